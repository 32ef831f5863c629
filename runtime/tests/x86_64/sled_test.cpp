// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which store flips a sled, and which sleds are refused, on bytes in a buffer.
#include "core/arch.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tprt;

namespace {
struct Sled : testing::Test {
  alignas(64) uint8_t code[64];
  tprt_site site{};
  Module module{};
  Toggle toggle{};

  void SetUp() override { memset(code, 0xcc, sizeof code); }

  void place(size_t offset, uint8_t shape, uint8_t slot,
             std::initializer_list<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), code + offset);
    ASSERT_TRUE(initialise());
    site.moduleNumber = 500; // nobody's, and in the first page of moduleAt
    moduleAt[site.moduleNumber] = &module;
    module.origin = reinterpret_cast<uint64_t>(code);
    site.sledAt = site.functionAt = static_cast<uint32_t>(offset);
    site.kind = TPRT_RECORD_KIND(TPRT_RECORD_ENTRY, shape);
    site.size = static_cast<uint8_t>(bytes.size());
    site.slot = slot;
  }
  tprt_refusal plan() {
    return planToggle(site, module.origin,
                      reinterpret_cast<uint64_t>(code) + 0x10000, &toggle);
  }
};
} // namespace

TEST_F(Sled, ShortBecomesAJumpToItsSlot) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.bytes, 2);
  EXPECT_EQ(toggle.address, reinterpret_cast<uint64_t>(code + 8));
  EXPECT_EQ(toggle.off, 0x9066u);
  EXPECT_EQ(toggle.on, 0xf9ebu); // eb f9: back to label - 5
}

TEST_F(Sled, ShortAtAnOddAddressIsRefused) {
  place(9, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  EXPECT_EQ(plan(), TPRT_REFUSAL_ALIGNMENT);
}

TEST_F(Sled, ShortWithASlotOutOfReachIsRefused) {
  place(32, TPRT_SHAPE_SHORT, 127, {0x66, 0x90});
  EXPECT_EQ(plan(), TPRT_REFUSAL_REACH);
}

TEST_F(Sled, LongBecomesAJumpAndKeepsItsNeighbours) {
  code[0] = 0x11;
  code[6] = 0x22;
  code[7] = 0x33;
  place(1, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.bytes, 8);
  EXPECT_EQ(toggle.address % 8, 0u);
  uint8_t on[8];
  memcpy(on, &toggle.on, 8);
  EXPECT_EQ(on[0], 0x11);
  EXPECT_EQ(on[1], 0xe9);
  EXPECT_EQ(on[6], 0x22);
  EXPECT_EQ(on[7], 0x33);
}

// Byte by byte from off to on, or back: after each store the old instruction,
// the new one, or a test of as many bytes, with no byte of the sled's
// neighbours.
static void expectHarmlessSteps(Sled &sled, bool on, uint8_t testOpcode) {
  uint8_t before[64], after[64];
  auto at = [&](const Step &step) {
    return reinterpret_cast<uint8_t *>(step.address);
  };
  const uint64_t from = on ? sled.toggle.off : sled.toggle.on,
                 to = on ? sled.toggle.on : sled.toggle.off;
  memcpy(reinterpret_cast<void *>(sled.toggle.address), &from,
         sled.toggle.bytes);
  memcpy(before, sled.code, sizeof before);
  memcpy(after, sled.code, sizeof after);
  memcpy(after + (sled.toggle.address - reinterpret_cast<uint64_t>(sled.code)),
         &to, sled.toggle.bytes);
  Step steps[kMaxSteps];
  size_t count = planSteps(sled.site, on, sled.toggle, steps);
  ASSERT_EQ(count, sled.site.size + 1u);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(steps[i].bytes, 1);
    ASSERT_GE(at(steps[i]), sled.site.sled());
    ASSERT_LT(at(steps[i]), sled.site.sled() + sled.site.size);
    *at(steps[i]) = static_cast<uint8_t>(steps[i].value);
    bool whole =
        memcmp(sled.code, i + 1 < count ? before : after, sizeof after) == 0;
    EXPECT_TRUE(whole || (i + 1 < count && *sled.site.sled() == testOpcode))
        << "after store " << i;
  }
}

TEST_F(Sled, BytewiseEveryStateIsOneHarmlessInstruction) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  expectHarmlessSteps(*this, true, 0xa8);
  expectHarmlessSteps(*this, false, 0xa8);
  place(17, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  expectHarmlessSteps(*this, true, 0xa9);
  expectHarmlessSteps(*this, false, 0xa9);
}

// The flags that a test sets may decide the jump that follows.
TEST_F(Sled, BytewiseIsRefusedBeforeATailCall) {
  place(17, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  site.event.event = TPRT_RECORD_TAIL_EXIT;
  Step steps[kMaxSteps];
  EXPECT_EQ(planSteps(site, true, toggle, steps), 0u);
}

TEST_F(Sled, LongAcrossAWordIsRefused) {
  for (size_t offset = 0; offset < 8; ++offset) {
    SetUp();
    place(offset, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
    EXPECT_EQ(plan(), offset <= 3 ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_ALIGNMENT)
        << offset;
  }
}

TEST_F(Sled, OtherBytesAreRefused) {
  place(8, TPRT_SHAPE_SHORT, 5, {0xcc, 0x90}); // a breakpoint
  EXPECT_EQ(plan(), TPRT_REFUSAL_BYTES);
  place(16, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x01});
  EXPECT_EQ(plan(), TPRT_REFUSAL_BYTES);
}

TEST_F(Sled, PlainIsRefused) {
  place(8, TPRT_SHAPE_PLAIN, 0, {0x66, 0x90});
  EXPECT_EQ(plan(), TPRT_REFUSAL_SHAPE);
}

TEST_F(Sled, RetBecomesAJumpByItsOpcodeAlone) {
  place(13, TPRT_SHAPE_RET, 0, {0xc3, 0xcc, 0xcc, 0xcc, 0xcc});
  site.event.event = TPRT_RECORD_EXIT;
  uint64_t stub = reinterpret_cast<uint64_t>(code) + 0x10000;
  Slot slot;
  ASSERT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.address, reinterpret_cast<uint64_t>(code + 14));
  ASSERT_EQ(slot.bytes, 4);
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.address, reinterpret_cast<uint64_t>(code + 13));
  EXPECT_EQ(toggle.bytes, 1);
  EXPECT_EQ(toggle.off, 0xc3u);
  EXPECT_EQ(toggle.on, 0xe9u);
  int32_t distance;
  memcpy(&distance, &slot.code, sizeof distance);
  EXPECT_EQ(reinterpret_cast<uint64_t>(code + 18) + distance, stub);
  // Written once: nothing to do the second time.
  memcpy(code + 14, &slot.code, 4);
  ASSERT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 0);
}

TEST_F(Sled, RetWithOtherBytesIsRefused) {
  place(8, TPRT_SHAPE_RET, 0, {0xc2, 0xcc, 0xcc, 0xcc, 0xcc});
  EXPECT_EQ(plan(), TPRT_REFUSAL_BYTES);
  place(8, TPRT_SHAPE_RET, 0, {0xc3, 0xcc, 0x48, 0xcc, 0xcc});
  Slot slot;
  EXPECT_EQ(planSlot(site, module.origin,
                     reinterpret_cast<uint64_t>(code) + 0x10000, 0, &slot),
            TPRT_REFUSAL_BYTES);
}

TEST_F(Sled, SlotMayHoldTrapsOrNopsAndNothingElse) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  uint64_t stub = reinterpret_cast<uint64_t>(code) + 0x10000;
  Slot slot;
  EXPECT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 5);
  EXPECT_EQ(slot.code & 0xff, 0xe9u);
  memset(code + 3, 0x90, 5);
  EXPECT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_NONE);
  code[5] = 0xc3;
  EXPECT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_BYTES);
  memset(code + 3, 0, 5);
  EXPECT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_BYTES);
}

// To another of ours a thread may be on its way: by one store, or not at all.
TEST_F(Sled, SlotThatLeadsToTheOtherStubChangesInOneStore) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  uint64_t stub = reinterpret_cast<uint64_t>(code) + 0x10000,
           other = stub + 0x1000;
  Slot slot;
  ASSERT_EQ(planSlot(site, module.origin, other, 0, &slot), TPRT_REFUSAL_NONE);
  memcpy(code + 3, &slot.code, 5);
  code[0] = 0x11;
  EXPECT_EQ(planSlot(site, module.origin, stub, 0, &slot), TPRT_REFUSAL_BYTES);
  ASSERT_EQ(planSlot(site, module.origin, stub, other, &slot),
            TPRT_REFUSAL_NONE);
  EXPECT_TRUE(slot.reached);
  EXPECT_EQ(slot.address, reinterpret_cast<uint64_t>(code));
  ASSERT_EQ(slot.bytes, 8);
  memcpy(code, &slot.code, 8);
  EXPECT_EQ(code[0], 0x11);
  ASSERT_EQ(planSlot(site, module.origin, stub, other, &slot),
            TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 0);
  EXPECT_FALSE(slot.reached);
  // Somebody else's jump is neither.
  code[4] ^= 1;
  EXPECT_EQ(planSlot(site, module.origin, stub, other, &slot),
            TPRT_REFUSAL_BYTES);
  // Across two words: it stays as it is.
  SetUp();
  place(14, TPRT_SHAPE_SHORT, 9, {0x66, 0x90});
  ASSERT_EQ(planSlot(site, module.origin, other, 0, &slot), TPRT_REFUSAL_NONE);
  memcpy(code + 5, &slot.code, 5);
  ASSERT_EQ(planSlot(site, module.origin, stub, other, &slot),
            TPRT_REFUSAL_NONE);
  EXPECT_TRUE(slot.reached);
  EXPECT_EQ(slot.bytes, 0);
}

TEST_F(Sled, StubOutOfReachIsRefused) {
  place(0, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  EXPECT_EQ(planToggle(site, module.origin,
                       reinterpret_cast<uint64_t>(code) + (uint64_t{3} << 30),
                       &toggle),
            TPRT_REFUSAL_REACH);
}
