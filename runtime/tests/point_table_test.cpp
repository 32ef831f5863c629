// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the tables of points and their descriptors with false contents. Each
// fault is reported by its name, and no false value is followed.
#include "core/arch.h"
#include "core/pointtable.h"
#include "core/table.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tprt;

namespace {

// Stands for a module with one gate and one sled.
struct PointTable : testing::Test {
  struct alignas(8) Image {
    tprt_descriptor descriptor;
    char types[3], name[5], format[7], file[4];
    alignas(8) tprt_gate_record gate;
    tprt_point_sled_record point;
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
    lead(&image.gate.gate, image.code);
    lead(&image.gate.target, image.code + 16);
    lead(&image.gate.descriptor, &image.descriptor);
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
  const char *checkGate() { return checkGates(&image.gate, 1, segments, &bad); }
  const char *check() {
    return checkPoints(&image.point, 1, {}, segments, &bad);
  }
  void expectFault(const char *part) {
    const char *fault = check();
    ASSERT_TRUE(fault);
    EXPECT_TRUE(strstr(fault, part)) << fault;
    ASSERT_TRUE(fault = checkGate());
    EXPECT_TRUE(strstr(fault, part)) << fault;
  }
};

TEST_F(PointTable, GoodRecordsAreTaken) {
  EXPECT_STREQ(checkGate(), nullptr);
  EXPECT_STREQ(check(), nullptr);
  EXPECT_EQ(addressesOf(image.point).descriptor,
            reinterpret_cast<uint64_t>(&image.descriptor));
  EXPECT_EQ(bytesOf(image.descriptor), 16u + 3 + 5 + 7 + 4);
}

TEST_F(PointTable, WhatLiesOutsideTheCodeIsNamed) {
  image.point.sled = 0x7fffffff;
  EXPECT_TRUE(strstr(check(), "a sled outside"));
  image.gate.target = -0x7fffffff;
  EXPECT_TRUE(strstr(checkGate(), "from its gate"));
  image.gate.gate = 0x7fffffff;
  EXPECT_TRUE(strstr(checkGate(), "a gate outside"));
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
  lead(&image.gate.descriptor, reinterpret_cast<char *>(&image) + 4);
  expectFault("outside the module's readable memory");
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
  expectFault("do not end");
  SetUp();
  image.descriptor.file_bytes = 0;
  expectFault("do not end");
  SetUp();
  image.types[1] = '?';
  expectFault("unknown type");
}

TEST_F(PointTable, SledOfATestIsNamed) {
  image.descriptor.style = TPRT_POINT_STYLE_TEST;
  EXPECT_TRUE(strstr(check(), "is a sled of a test"));
  EXPECT_STREQ(checkGate(), nullptr);
}

TEST_F(PointTable, DescriptorOfNoCheckedGateIsChecked) {
  struct alignas(8) Two {
    Image first, second;
  } two = {image, image};
  segments.clear();
  segments.push({reinterpret_cast<uint64_t>(&two),
                 reinterpret_cast<uint64_t>(&two + 1), 5});
  lead(two.second.code + 16 + TPRT_POINT_DESCRIPTOR_AT, &two.second.descriptor);
  two.second.descriptor.version = 2;
  EXPECT_TRUE(
      checkPoints(&two.second.point, 1, {&two.first.gate, 1}, segments, &bad));
  two.second.descriptor.version = TPRT_DESCRIPTOR_VERSION;
  EXPECT_FALSE(
      checkPoints(&two.second.point, 1, {&two.first.gate, 1}, segments, &bad));
}

TEST_F(PointTable, AnotherFormatIsAnotherModule) {
  ModuleFacts facts{};
  facts.gates = &image.gate, facts.points = &image.point;
  facts.gateCount = facts.pointCount = 1;
  uint64_t sum = checksumPoints(facts, segments, 0);
  image.format[1] = 'u';
  EXPECT_NE(checksumPoints(facts, segments, 0), sum);
  image.point.sled = 0x7fffffff; // is not followed
  checksumPoints(facts, segments, 0);
}

} // namespace
