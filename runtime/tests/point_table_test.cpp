// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the tables of points and their descriptors with false contents. Each
// fault is reported by its name, and no false value is used as an address.
#include "modules/point_table.h"
#include "modules/sled_table.h"
#include "sites/arch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

using namespace tprt;

namespace {

// A substitute for a module with one static branch and one sled.
struct PointTable : testing::Test {
  struct alignas(8) Image {
    tprt_descriptor descriptor;
    char types[3], name[5], format[7], file[4];
    alignas(8) tprt_branch_record branch;
    alignas(8) tprt_point_sled_record point;
    alignas(8) uint8_t code[32];
  } image;
  Array<Segment> segments;
  uint32_t bad = 0;

  void SetUp() override {
    image = {
        {TPRT_DESCRIPTOR_VERSION, TPRT_POINT_STYLE_PRINTF, 2, 0, 7, 5, 7, 4, 0},
        "iz",
        "name",
        "%d, %s",
        "a.c",
        {},
        {},
        {}};
    lead(&image.branch.branch, image.code);
    lead(&image.branch.target, image.code + 16);
    lead(&image.branch.descriptor,
         reinterpret_cast<char *>(&image.descriptor) + TPRT_BRANCH_MARK);
    lead(&image.point.sled, image.code + 16);
    lead(image.code + 16 + TPRT_POINT_DESCRIPTOR_AT, &image.descriptor);
    setSegment(5);
  }
  void setSegment(uint64_t flags) {
    auto base = reinterpret_cast<uint64_t>(&image);
    segments.clear();
    segments.push({base, base + sizeof image, flags});
  }
  static void lead(void *field, const void *to) {
    auto distance = static_cast<int32_t>(static_cast<const char *>(to) -
                                         static_cast<const char *>(field));
    memcpy(field, &distance, sizeof distance);
  }
  const char *checkBranch() {
    PointRecords records(&image.branch.descriptor, 3);
    return checkPoints(records, segments, &bad);
  }
  const char *check() {
    return checkPoints({&image.point.sled, 1}, segments, &bad);
  }
  void expectFault(const char *part) {
    const char *fault = check();
    ASSERT_TRUE(fault);
    EXPECT_TRUE(strstr(fault, part)) << fault;
    ASSERT_TRUE(fault = checkBranch());
    EXPECT_TRUE(strstr(fault, part)) << fault;
  }
};

TEST_F(PointTable, GoodRecordsAreTaken) {
  EXPECT_STREQ(checkBranch(), nullptr);
  EXPECT_STREQ(check(), nullptr);
  EXPECT_EQ(addressesOf(image.point).descriptor,
            reinterpret_cast<uint64_t>(&image.descriptor));
  EXPECT_EQ(bytesOf(image.descriptor), 16u + 3 + 5 + 7 + 4);
}

TEST_F(PointTable, WhatLiesOutsideTheCodeIsNamed) {
  image.point.sled = 0x7ffffff8;
  EXPECT_TRUE(strstr(check(), "a sled outside"));
  image.branch.target = -0x7fffffff;
  EXPECT_TRUE(strstr(checkBranch(), "has a static branch that leads"));
  image.branch.branch = 0x7fffffff;
  EXPECT_TRUE(strstr(checkBranch(), "a static branch outside"));
}

TEST_F(PointTable, SledWhoseDistanceIsCutOffIsNamed) {
  lead(&image.point.sled, image.code + sizeof image.code - 8);
  EXPECT_TRUE(strstr(check(), "a sled outside"));
}

TEST_F(PointTable, CodeThatCannotBeReadIsNotRead) {
  setSegment(1); // executable only
  EXPECT_TRUE(strstr(check(), "can't be read"));
}

TEST_F(PointTable, DescriptorOutsideOrUnalignedIsNamed) {
  lead(image.code + 16 + TPRT_POINT_DESCRIPTOR_AT,
       reinterpret_cast<char *>(&image) + sizeof image);
  lead(&image.branch.descriptor,
       reinterpret_cast<char *>(&image) + sizeof image + TPRT_BRANCH_MARK);
  expectFault("outside the module's readable memory");
  lead(image.code + 16 + TPRT_POINT_DESCRIPTOR_AT,
       reinterpret_cast<char *>(&image) + 4);
  EXPECT_TRUE(strstr(check(), "outside the module's readable memory"));
}

TEST_F(PointTable, UnknownVersionStyleAndFlagsAreNamed) {
  image.descriptor.version = 2;
  expectFault("of a version");
  SetUp();
  image.descriptor.style = 3;
  expectFault("of a version");
  SetUp();
  image.descriptor.flags = 1;
  expectFault("of a version");
}

TEST_F(PointTable, TextsThatDoNotEndWhereTheyShouldAreNamed) {
  image.descriptor.argument_count = 13;
  expectFault("more than 12");
  SetUp();
  image.descriptor.format_bytes = 65535;
  expectFault("end outside");
  SetUp();
  image.name[4] = 'x';
  expectFault("do not have");
  SetUp();
  image.descriptor.file_bytes = 0;
  expectFault("do not have");
  SetUp();
  image.types[1] = '?';
  expectFault("unknown type");
}

TEST_F(PointTable, SledOfATestIsNamed) {
  image.descriptor.style = TPRT_POINT_STYLE_TEST;
  EXPECT_TRUE(strstr(check(), "is a sled of a point that only tests"));
  EXPECT_STREQ(checkBranch(), nullptr);
}

TEST_F(PointTable, EachDescriptorIsChecked) {
  struct alignas(8) Many {
    Image images[6];
    tprt_point_sled_record points[6];
  } many;
  for (int i = 0; i < 6; ++i) {
    many.images[i] = image;
    lead(&many.points[i].sled, many.images[i].code + 16);
  }
  segments.clear();
  segments.push({reinterpret_cast<uint64_t>(&many),
                 reinterpret_cast<uint64_t>(&many + 1), 5});
  for (uint32_t i = 0; i < 6; ++i) {
    PointRecords records(&many.points[0].sled, 6);
    EXPECT_FALSE(checkPoints(records, segments, &bad));
    many.images[i].descriptor.version = 2;
    EXPECT_TRUE(checkPoints(records, segments, &bad));
    EXPECT_EQ(bad, i);
    many.images[i].descriptor.version = TPRT_DESCRIPTOR_VERSION;
  }
}

// Static branches and sleds are in the table in any order.
TEST_F(PointTable, RecordsAreToldApartByWhatTheyLeadTo) {
  struct alignas(8) Table {
    Image image;
    tprt_point_sled_record early;
    tprt_branch_record branches[2];
    tprt_point_sled_record late[2];
  } table;
  table.image = image;
  lead(&table.early.sled, table.image.code + 16);
  for (tprt_branch_record &branch : table.branches) {
    lead(&branch.descriptor,
         reinterpret_cast<char *>(&table.image.descriptor) + TPRT_BRANCH_MARK);
    lead(&branch.branch, table.image.code);
    lead(&branch.target, table.image.code + 16);
  }
  for (tprt_point_sled_record &sled : table.late)
    lead(&sled.sled, table.image.code + 16);
  segments.clear();
  segments.push({reinterpret_cast<uint64_t>(&table),
                 reinterpret_cast<uint64_t>(&table + 1), 5});
  EXPECT_STREQ(checkPoints({&table.early.sled, 9}, segments, &bad), nullptr);
  EXPECT_EQ(bad, 5u);
  std::string order;
  PointRecords records(&table.early.sled, 9);
  while (records.next())
    order += records.isStaticBranch() ? 'g' : 's';
  EXPECT_EQ(order, "sggss");
  EXPECT_FALSE(records.isCut());
  EXPECT_EQ(addressesOf(table.branches[1]).descriptor,
            reinterpret_cast<uint64_t>(&table.image.descriptor));
  // The second static branch is cut off.
  PointRecords cut(&table.early.sled, 6);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(cut.next());
  EXPECT_FALSE(cut.next());
  EXPECT_TRUE(cut.isCut());
}

// A note that refers to a table of this many bytes.
static const char *readNote(Segments segments, uint32_t type, int32_t *table,
                            size_t bytes, FoundModule &module) {
  struct {
    uint32_t header[3];
    char name[4];
    int64_t start, stop;
  } note = {{3, 16, type}, TPRT_NOTE_NAME, 0, 0};
  note.start =
      reinterpret_cast<int64_t>(table) - reinterpret_cast<int64_t>(&note.start);
  note.stop = reinterpret_cast<int64_t>(table) + static_cast<int64_t>(bytes) -
              reinterpret_cast<int64_t>(&note.stop);
  module = {};
  for (const Segment &s : segments)
    module.segments[module.segmentCount++] = s;
  readNotes(reinterpret_cast<const uint8_t *>(&note), sizeof note, module);
  return module.pointFault;
}

TEST_F(PointTable, TablesOfEarlierHeadersAndCutOnesAreRefused) {
  static FoundModule module;
  int32_t *branch = &image.branch.descriptor;
  EXPECT_STREQ(readNote(segments, TPRT_POINTS_VERSION, branch, 12, module),
               nullptr);
  EXPECT_EQ(module.branchCount, 1u);
  EXPECT_EQ(module.pointCount, 0u);
  const char *fault =
      readNote(segments, TPRT_POINTS_VERSION, branch, 8, module);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(strstr(fault, "ends inside a record"));
  for (uint32_t type : {3u, 4u}) {
    ASSERT_TRUE(fault = readNote(segments, type, branch, 12, module));
    EXPECT_TRUE(strstr(fault, "from an earlier tprt/trace.h"));
    // A linker has dropped the whole table.
    EXPECT_STREQ(readNote(segments, type, branch, 0, module), nullptr);
  }
}

TEST_F(PointTable, AnotherFormatIsAnotherModule) {
  ModuleFacts facts{};
  facts.points = &image.point.sled;
  facts.pointWords = facts.pointCount = 1;
  uint64_t sum = checksumPoints(facts, segments, 0);
  image.format[1] = 'u';
  EXPECT_NE(checksumPoints(facts, segments, 0), sum);
  image.point.sled = 0x7ffffff8; // this address is not used
  checksumPoints(facts, segments, 0);
}

} // namespace
