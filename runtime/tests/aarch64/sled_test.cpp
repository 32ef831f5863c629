// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which store flips a sled, which sleds are refused, what is stored to a
// veneer, and whether a stub's branches have the right targets. The sleds are
// words in a buffer.
#include "loader/module_list.h"
#include "modules/module.h"
#include "sites/arch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/auxv.h>

using namespace tprt;

// Replaces the runtime's function (--wrap), so that the test can choose the
// features of the processor.
static unsigned long madeUpHwcap2;
extern "C" unsigned long __real___tprt_c_getauxval(unsigned long) noexcept;
extern "C" unsigned long
__wrap___tprt_c_getauxval(unsigned long type) noexcept {
  return type == AT_HWCAP2 ? madeUpHwcap2 : __real___tprt_c_getauxval(type);
}

namespace {
constexpr uint32_t kNopWord = 0xd503201f; // Arm ARM, C6.2, "NOP"

struct Sled : testing::Test {
  alignas(64) uint32_t code[16];
  tprt_site site{};
  Module module{};
  Toggle toggle{};

  void SetUp() override {
    for (uint32_t &word : code)
      word = kNopWord;
    ASSERT_TRUE(initialise());
    site.moduleNumber = 500; // unused, and in the first page of moduleAt
    moduleAt[site.moduleNumber] = &module;
    module.origin = reinterpret_cast<uint64_t>(code);
    site.sledAt = site.functionAt = 16;
    site.traits = TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, TPRT_SHAPE_WORD);
    site.size = 4;
  }
  tprt_record record{0, 0, TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, TPRT_SHAPE_WORD),
                     4, 0, 0};
  tprt_refusal plan(int64_t distance) {
    return planToggle(site, module.origin,
                      {reinterpret_cast<uint64_t>(site.sled()) +
                           static_cast<uint64_t>(distance),
                       0},
                      &toggle);
  }
  SledForm form() {
    EXPECT_EQ(plan(0x10000), TPRT_REFUSAL_NONE);
    return toggle.now;
  }
};

// The target of the branch `word` at `address` (Arm ARM, C6.2, "B").
uint64_t target(uint32_t word, uint64_t address) {
  return address +
         static_cast<uint64_t>(
             static_cast<int64_t>(static_cast<uint64_t>(word) << 38) >> 36);
}
} // namespace

TEST_F(Sled, BecomesABranch) {
  for (int event : {TPRT_KIND_ENTRY, TPRT_KIND_EXIT, TPRT_KIND_TAIL_EXIT}) {
    site.event.kind = static_cast<uint32_t>(event);
    ASSERT_EQ(plan(0x10000), TPRT_REFUSAL_NONE);
    EXPECT_EQ(toggle.bytes, 4);
    EXPECT_EQ(toggle.address, reinterpret_cast<uint64_t>(site.sled()));
    EXPECT_EQ(toggle.off, kNopWord);
    EXPECT_EQ(toggle.on, 0x14004000u);
  }
}

TEST_F(Sled, ReachesAllOfABranchAndNoMore) {
  constexpr int64_t kReach = int64_t{1} << 27;
  EXPECT_EQ(plan(-kReach), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.on, 0x16000000u);
  EXPECT_EQ(plan(kReach - 4), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.on, 0x15ffffffu);
  EXPECT_EQ(plan(-kReach - 4), TPRT_REFUSAL_REACH);
  EXPECT_EQ(plan(kReach), TPRT_REFUSAL_REACH);
  EXPECT_EQ(plan(int64_t{5} << 30), TPRT_REFUSAL_REACH);
}

// A program at a low address is within reach of address 0, which is unmapped.
TEST_F(Sled, NoStubIsOutOfReach) {
  module.origin = 0x400000;
  EXPECT_EQ(planToggle(site, module.origin, {}, &toggle), TPRT_REFUSAL_REACH);
}

TEST_F(Sled, OtherInstructionsAreNobodys) {
  EXPECT_EQ(form(), SledForm::Off);
  code[4] = 0xd4200000; // brk #0
  EXPECT_EQ(form(), SledForm::Other);
  code[4] = 0x14004004; // a branch that is not ours
  EXPECT_EQ(form(), SledForm::Other);
  code[4] = 0x14004000;
  EXPECT_EQ(form(), SledForm::On);
}

TEST_F(Sled, ShapesOfX86AreRefused) {
  site.traits = record.traits =
      TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, TPRT_SHAPE_LONG);
  EXPECT_EQ(plan(0x10000), TPRT_REFUSAL_SHAPE);
  EXPECT_STREQ(recordFault(record, 0x1000, 0x1000),
               "has a shape that AArch64 does not have");
}

TEST_F(Sled, RecordsThatAreNoWordAreFaults) {
  EXPECT_EQ(recordFault(record, 0x1000, 0x1000), nullptr);
  EXPECT_NE(recordFault(record, 0x1002, 0x1000), nullptr);
  record.size = 3;
  EXPECT_NE(recordFault(record, 0x1000, 0x1000), nullptr);
}

// Flips through /proc/self/mem: one store of a whole word, on and off.
TEST_F(Sled, IsOneStepWhereWordsAreCopiedWhole) {
  ASSERT_EQ(plan(0x10000), TPRT_REFUSAL_NONE);
  Step steps[kMaxSteps];
  for (bool on : {true, false}) {
    ASSERT_EQ(
        planSteps(site, on ? Direction::On : Direction::Off, toggle, steps),
        1u);
    EXPECT_EQ(steps[0].address, reinterpret_cast<uint64_t>(site.sled()));
    EXPECT_EQ(steps[0].value, on ? 0x14004000u : kNopWord);
    EXPECT_EQ(steps[0].bytes, 4);
  }
}

TEST_F(Sled, HasNoStepsWhereCopiesMayStopBetweenBytes) {
  ASSERT_EQ(plan(0x10000), TPRT_REFUSAL_NONE);
  Step steps[kMaxSteps];
  madeUpHwcap2 = 1ul << 43; // HWCAP2_MOPS
  EXPECT_EQ(planSteps(site, Direction::On, toggle, steps), 0u);
  EXPECT_EQ(planSteps(site, Direction::Off, toggle, steps), 0u);
  madeUpHwcap2 = 0;
}

TEST_F(Sled, IsNotAdvisedToUseTraps) {
  site.sledAt = 18;
  EXPECT_EQ(plan(0x10000), TPRT_REFUSAL_ALIGNMENT);
  for (tprt_refusal reason : {TPRT_REFUSAL_SHAPE, TPRT_REFUSAL_ALIGNMENT})
    EXPECT_EQ(strstr(tprt_refusal_string(reason), "trap"), nullptr);
}

TEST_F(Sled, NeedsNoSlot) {
  Slot slot;
  EXPECT_EQ(planSlot(site, module.origin, {}, &slot), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 0);
}

TEST_F(Sled, StubCallsItsHeaderAndBranchesAfterTheSled) {
  uint64_t header = reinterpret_cast<uint64_t>(site.sled()) + 0x100000,
           stub = header + kStubHeaderBytes + 3 * kStubBytes;
  uint32_t words[4];
  ASSERT_EQ(sizeof words, kStubBytes);
  writeStub(reinterpret_cast<uint8_t *>(words), stub, header, 0, 0, site);
  EXPECT_EQ(words[1] >> 26, 0x25u); // bl
  uint64_t usual = target(words[1], stub + 4);
  EXPECT_GT(usual, header);
  EXPECT_LT(usual, header + kStubHeaderBytes);
  EXPECT_EQ(words[3] >> 26, 5u); // b
  EXPECT_EQ(target(words[3], stub + 12),
            reinterpret_cast<uint64_t>(site.sled()) + 4);
  // At a tail call the header must save more registers.
  site.event.kind = TPRT_KIND_TAIL_EXIT;
  writeStub(reinterpret_cast<uint8_t *>(words), stub, header, 0, 0, site);
  EXPECT_EQ(target(words[1], stub + 4), header);
}

namespace {
// The words of the veneer are code[2] to code[7], and the sled is code[9],
// after a landing pad.
struct Veneer : Sled {
  static constexpr uint64_t kStub = 0x123456789abc0;
  Ways ways{};
  Slot slot{};

  void SetUp() override {
    Sled::SetUp();
    code[8] = 0xd503245f; // bti c
    site.functionAt = 32;
    site.sledAt = 36;
    site.slot = 24;
    ways.wanted = veneerOf(site, module.origin);
    ways.afterVeneer = kStub;
  }
  tprt_refusal planSlotNow() {
    return planSlot(site, module.origin, ways, &slot);
  }
  void write() { wordsOfVeneer(site, module.origin, kStub, &code[2]); }
  SledForm form() {
    EXPECT_EQ(planToggle(site, module.origin, ways, &toggle),
              TPRT_REFUSAL_NONE);
    return toggle.now;
  }
};
} // namespace

TEST_F(Veneer, LeadsToItsStubAndBackAfterTheSled) {
  write();
  EXPECT_EQ(code[2], 0x58000050u); // ldr x16, .+8
  EXPECT_EQ(code[3], 0xd61f0200u); // br x16
  EXPECT_EQ(code[4] | uint64_t{code[5]} << 32, kStub);
  EXPECT_EQ(code[6], 0xd503245fu); // bti c
  EXPECT_EQ(code[7] >> 26, 5u);    // b
  EXPECT_EQ(target(code[7], reinterpret_cast<uint64_t>(&code[7])),
            reinterpret_cast<uint64_t>(&code[10]));
  EXPECT_EQ(stubOfVeneer(&code[2]), kStub);
  EXPECT_EQ(stubOfVeneer(&code[1]), 0u);
}

TEST_F(Veneer, TakesNopsAndItsOwnWordsAndNoOthers) {
  ASSERT_EQ(planSlotNow(), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.state, SlotState::UnusedVeneer);
  EXPECT_EQ(slot.address, reinterpret_cast<uint64_t>(&code[2]));
  EXPECT_EQ(slot.code, kStub);
  code[3] = 0xd61f0200; // partly written
  ASSERT_EQ(planSlotNow(), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.state, SlotState::UnusedVeneer);
  write();
  ASSERT_EQ(planSlotNow(), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.state, SlotState::Written);
  for (size_t i = 2; i < 8; ++i) {
    uint32_t was = code[i];
    code[i] ^= 4;
    EXPECT_EQ(planSlotNow(), TPRT_REFUSAL_BYTES) << i;
    code[i] = was;
  }
}

TEST_F(Veneer, IsOnTheWayOfASledThatIsOn) {
  EXPECT_EQ(form(), SledForm::Off);
  write();
  code[9] = toggle.on;
  EXPECT_EQ(form(), SledForm::On);
  code[4] = kNopWord; // the system restored the page
  EXPECT_EQ(form(), SledForm::Stale);
}

TEST_F(Veneer, NeedsRoom) {
  EXPECT_TRUE(hasVeneer(site));
  EXPECT_EQ(extentOf(site, module.origin).start,
            reinterpret_cast<uint64_t>(&code[2]));
  for (unsigned slot : {0u, 20u, 132u + 4u}) {
    site.slot = static_cast<uint8_t>(slot);
    EXPECT_FALSE(hasVeneer(site)) << slot;
  }
  record.slot = 24;
  EXPECT_EQ(recordFault(record, 0x1000, 0x1000), nullptr);
  for (unsigned slot : {4u, 20u, 26u}) {
    record.slot = static_cast<uint8_t>(slot);
    EXPECT_NE(recordFault(record, 0x1000, 0x1000), nullptr) << slot;
  }
}

TEST_F(Veneer, OfAnExitIsForInstructionsThatNeedNoX16) {
  auto refusalBefore = [&](uint32_t leaving) {
    code[10] = leaving;
    return planSlotNow();
  };
  for (uint8_t kind : {TPRT_KIND_EXIT, TPRT_KIND_TAIL_EXIT}) {
    site.event.kind = kind;
    EXPECT_TRUE(hasVeneer(site));
    for (uint32_t leaving : {0xd65f03c0u, 0xd65f0bffu, 0xd65f0fffu, 0x17ff0000u,
                             0xd61f0020u, 0xd61f0220u})
      EXPECT_EQ(refusalBefore(leaving), TPRT_REFUSAL_NONE) << leaving;
    // br x16, braa x16, x17, autiasp, tbz, bl.
    for (uint32_t leaving :
         {0xd61f0200u, 0xd71f0a11u, 0xd50323bfu, 0x36000041u, 0x94000004u})
      EXPECT_EQ(refusalBefore(leaving), TPRT_REFUSAL_REACH) << leaving;
  }
  site.needs = TPRT_NEEDS_OTHER;
  EXPECT_TRUE(hasVeneer(site));
  site.event.kind = TPRT_KIND_EXIT;
  EXPECT_FALSE(hasVeneer(site)) << "a result may be in any register";
}

TEST_F(Veneer, OfAnExitMayBeFarFromItsSled) {
  site.event.kind = TPRT_KIND_EXIT;
  for (uint32_t distance : {400u, 0x3000000u, 0u - 0x3000000u}) {
    site.functionAt = 0x8000000;
    site.sledAt = site.functionAt + distance;
    EXPECT_TRUE(hasVeneer(site)) << distance;
    EXPECT_EQ(extentOf(site, 0).start, site.sledAt);
  }
  for (uint32_t distance : {0x4000000u, 0u - 0x4000004u}) {
    site.sledAt = site.functionAt + distance;
    EXPECT_FALSE(hasVeneer(site)) << distance;
  }
}

TEST_F(Veneer, FarStubsAndOriginalsGoOnInTheWayBack) {
  uint64_t stub = kStub, wayBack = kStub + 0x90000;
  uint32_t words[4], way[kWayBackBytes / 4];
  writeStub(reinterpret_cast<uint8_t *>(words), stub, stub - 64, 0, wayBack,
            site);
  EXPECT_EQ(words[3] & 0xff00001f, 0xb400001fu); // cbz xzr
  EXPECT_EQ(stub + 12 + (words[3] >> 5 & 0x7ffff) * 4, wayBack);
  writeOriginal(reinterpret_cast<uint8_t *>(words), stub, wayBack, site);
  EXPECT_EQ(target(words[1], stub + 4), wayBack);
  writeWayBack(reinterpret_cast<uint8_t *>(way), wayBack, site);
  EXPECT_EQ(way[0], 0x58000050u);
  EXPECT_EQ(way[1], 0xd61f0200u);
  uint64_t addresses[2];
  memcpy(addresses, &way[2], sizeof addresses);
  EXPECT_EQ(addresses[0], reinterpret_cast<uint64_t>(&code[6]));
  EXPECT_EQ(addresses[1], reinterpret_cast<uint64_t>(&code[10]));
}
