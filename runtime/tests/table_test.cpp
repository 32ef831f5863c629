// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests notes and tables with false contents. Each fault is reported by its
// name, and no false value is used as an address.
#include "modules/sled_table.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tprt;

namespace {
#ifdef __aarch64__
constexpr uint8_t kShape = TPRT_SHAPE_WORD, kSize = 4, kSlot = 0,
                  kPatchableShape = TPRT_SHAPE_SHORT;
#else
constexpr uint8_t kShape = TPRT_SHAPE_SHORT, kSize = 2, kSlot = 5,
                  kPatchableShape = TPRT_SHAPE_WORD;
#endif

// A substitute for a module: one executable segment with a note, a table and
// code.
struct Table : testing::Test {
  struct Image {
    uint32_t noise[9]; // another note before ours, whose size is not a multiple
                       // of 8
    uint32_t namesz = 3, descsz = 16, type = TPRT_TABLE_VERSION;
    char name[4] = "tp";
    uint8_t desc[16];
    tprt_record records[2];
    uint8_t code[64];
  } image;
  Array<Segment> segments;
  const tprt_record *records = nullptr;
  uint32_t count = 0, bad = 0;
  FoundModule module;

  void SetUp() override {
    memset(image.noise, 0x5a, sizeof image.noise);
    for (int i = 0; i < 2; ++i) {
      tprt_record &r = image.records[i];
      uint8_t *label = image.code + 16 + 16 * i;
      r = {};
      r.sled =
          static_cast<int32_t>(label - reinterpret_cast<uint8_t *>(&r.sled));
      r.function = static_cast<int32_t>(
          label - reinterpret_cast<uint8_t *>(&r.function));
      r.traits = TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, kShape);
      r.size = kSize;
      r.slot = kSlot;
    }
    auto base = reinterpret_cast<uint64_t>(&image);
    segments.clear();
    segments.push({base, base + sizeof image, 5});
    span(image.records, image.records + 2);
  }
  void span(const void *start, const void *stop) {
    span(reinterpret_cast<uint64_t>(start), reinterpret_cast<uint64_t>(stop));
  }
  void span(uint64_t start, uint64_t stop) {
    uint64_t fields[2] = {start - reinterpret_cast<uint64_t>(image.desc),
                          stop - reinterpret_cast<uint64_t>(image.desc + 8)};
    memcpy(image.desc, fields, sizeof fields);
  }
  const char *find(size_t bytes = offsetof(Image, records)) {
    module = {};
    module.segments[module.segmentCount++] = segments[0];
    const char *fault =
        readNotes(reinterpret_cast<const uint8_t *>(&image), bytes, module);
    records = module.records;
    count = module.recordCount;
    return fault;
  }
  const char *check() { return checkRecords(image.records, 2, segments, &bad); }
};
} // namespace

TEST_F(Table, IsFoundAfterANoteOfOtherPadding) {
  EXPECT_EQ(find(), nullptr);
  EXPECT_EQ(records, image.records);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(check(), nullptr);
}

TEST_F(Table, NoneWhereBothSymbolsAreUndefined) {
  span(uint64_t{0}, uint64_t{0});
  EXPECT_EQ(find(), nullptr);
  EXPECT_EQ(records, nullptr);
}

TEST_F(Table, OtherVersionsAreSkipped) {
  image.type = TPRT_TABLE_VERSION + 1;
  EXPECT_EQ(find(), nullptr);
  EXPECT_EQ(records, nullptr);
}

TEST_F(Table, TruncatedNoteIsNamed) {
  for (size_t bytes = offsetof(Image, desc); bytes < offsetof(Image, records);
       ++bytes)
    EXPECT_STREQ(find(bytes), "its note is truncated") << bytes;
  for (size_t bytes = 0; bytes < offsetof(Image, desc); ++bytes)
    EXPECT_EQ(find(bytes), nullptr) << bytes;
}

TEST_F(Table, WrongDescriptorSizeIsNamed) {
  image.descsz = 8;
  EXPECT_NE(find(), nullptr);
}

TEST_F(Table, SpanOutsideTheModuleIsNamed) {
  span(image.records, reinterpret_cast<uint8_t *>(image.records) + 12 * 1000);
  EXPECT_NE(find(), nullptr);
  span(reinterpret_cast<uint64_t>(&image) - 24,
       reinterpret_cast<uint64_t>(&image));
  EXPECT_NE(find(), nullptr);
  span(image.records + 2, image.records); // the span ends before it begins
  EXPECT_NE(find(), nullptr);
}

TEST_F(Table, RaggedSpanIsNamed) {
  span(image.records, reinterpret_cast<uint8_t *>(image.records) + 20);
  EXPECT_NE(find(), nullptr);
  span(reinterpret_cast<uint8_t *>(image.records) + 1,
       reinterpret_cast<uint8_t *>(image.records) + 13);
  EXPECT_NE(find(), nullptr);
}

TEST_F(Table, RecordOutsideTheCodeIsNamed) {
  image.records[1].sled = 0x7fffffff;
  EXPECT_NE(check(), nullptr);
  EXPECT_EQ(bad, 1u);
  SetUp();
  image.records[0].function = -0x7fffffff;
  EXPECT_NE(check(), nullptr);
  EXPECT_EQ(bad, 0u);
}

TEST_F(Table, NearRecordGoesOnFromTheOneBefore) {
  auto at = [&](uint64_t place) {
    return place - reinterpret_cast<uint64_t>(image.code);
  };
  tprt_record &second = image.records[1];
  second.needs = TPRT_RECORD_NEAR;
  second.sled = 16, second.function = 0;
  EXPECT_EQ(check(), nullptr);
  second.function = -1;
  RecordAddresses addresses;
  addresses.read(image.records[0]);
  EXPECT_EQ(at(addresses.sled), 16u);
  EXPECT_EQ(at(addresses.function), 16u);
  addresses.read(second);
  EXPECT_EQ(at(addresses.sled), 32u);
  EXPECT_EQ(at(addresses.function), 31u);
  second.sled = 1 << 20;
  EXPECT_NE(check(), nullptr);
  EXPECT_EQ(bad, 1u);
}

TEST_F(Table, FirstRecordHasNoneToGoOnFrom) {
  image.records[0].needs = TPRT_RECORD_NEAR;
  EXPECT_STREQ(check(), "continues a record that does not exist");
  EXPECT_EQ(bad, 0u);
}

TEST_F(Table, SledInDataIsNamed) {
  segments[0].flags = 6; // not executable
  EXPECT_NE(check(), nullptr);
}

TEST_F(Table, UnknownKindAndShapeAreNamed) {
  image.records[0].traits = 0x1f;
  EXPECT_NE(check(), nullptr);
  image.records[0].traits = 0xf0;
  EXPECT_NE(check(), nullptr);
  image.records[0].traits =
      TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, kPatchableShape);
  EXPECT_NE(check(), nullptr);
}

TEST_F(Table, SledSmallerThanItsShapeIsNamed) {
  image.records[0].size = 1;
  EXPECT_NE(check(), nullptr);
  SetUp();
  image.records[0].slot = 0;
  EXPECT_EQ(check() == nullptr, kSlot == 0);
}
