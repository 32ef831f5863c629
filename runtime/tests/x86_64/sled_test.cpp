// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which store flips a sled, and which sleds are refused. The sleds are
// bytes in a buffer.
#include "loader/module_list.h"
#include "modules/module.h"
#include "sites/arch.h"

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
    site.moduleNumber = 500; // unused, and in the first page of moduleAt
    moduleAt[site.moduleNumber] = &module;
    module.origin = reinterpret_cast<uint64_t>(code);
    site.sledAt = site.functionAt = static_cast<uint32_t>(offset);
    site.traits = TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, shape);
    site.size = static_cast<uint8_t>(bytes.size());
    site.slot = slot;
  }
  // The stub, at a distance that its jump reaches. If a LONG sled needs an
  // island, this is the island.
  uint64_t way() const {
    uint64_t sled = module.origin + site.sledAt;
    FixedBits bits = fixedBitsOf(site);
    return bits.mask ? islandAt(sled, (kDistance & ~bits.mask) | bits.value)
                     : module.origin + 0x10000;
  }
  Ways ways() const { return {way()}; }
  tprt_refusal plan() {
    return planToggle(site, module.origin, ways(), &toggle);
  }
  SledForm form() {
    EXPECT_EQ(plan(), TPRT_REFUSAL_NONE);
    return toggle.now;
  }
  void put(size_t offset, std::initializer_list<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), code + offset);
  }
  static constexpr uint32_t kDistance = 0xfe120000;
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

// Flips byte by byte from off to on, or back. After each store the sled must be
// the old instruction, the new instruction, or an instruction of the same
// length that has no effect and begins with `opcode`. It must contain no byte
// of the sled's neighbours.
static void expectHarmlessSteps(Sled &sled, bool on, uint8_t opcode,
                                size_t stores) {
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
  size_t count = planSteps(sled.site, on ? Direction::On : Direction::Off,
                           sled.toggle, steps);
  ASSERT_EQ(count, stores);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(steps[i].bytes, 1);
    ASSERT_GE(at(steps[i]), sled.site.sled());
    ASSERT_LT(at(steps[i]), sled.site.sled() + sled.site.size);
    *at(steps[i]) = static_cast<uint8_t>(steps[i].value);
    bool whole =
        memcmp(sled.code, i + 1 < count ? before : after, sizeof after) == 0;
    bool nop = *sled.site.sled() == opcode &&
               (opcode != 0x0f || areNops(sled.site.sled(), sled.site.size));
    EXPECT_TRUE(whole || (i + 1 < count && nop)) << "after store " << i;
  }
}

TEST_F(Sled, BytewiseEveryStateIsOneHarmlessInstruction) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  expectHarmlessSteps(*this, true, 0xa8, 3);
  expectHarmlessSteps(*this, false, 0xa8, 3);
  place(17, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  expectHarmlessSteps(*this, true, 0x0f, 5);
  expectHarmlessSteps(*this, false, 0x0f, 5);
  // This also holds before a tail call, because nops change no flags.
  site.event.kind = TPRT_KIND_TAIL_EXIT;
  expectHarmlessSteps(*this, true, 0x0f, 5);
}

// A test of al changes the flags, and the flags may decide the jump that
// follows.
TEST_F(Sled, BytewiseShortIsRefusedBeforeATailCall) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  ASSERT_EQ(plan(), TPRT_REFUSAL_NONE);
  site.event.kind = TPRT_KIND_TAIL_EXIT;
  Step steps[kMaxSteps];
  EXPECT_EQ(planSteps(site, Direction::On, toggle, steps), 0u);
}

// A uprobe or a breakpoint may be added and removed over a sled that is on. The
// removal leaves the file's first byte, followed by the rest of our jump.
TEST_F(Sled, FirstByteBackOverAJumpIsOff) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0xf9});
  EXPECT_EQ(form(), SledForm::Off);
  EXPECT_EQ(toggle.off, 0x9066u);
  place(12, TPRT_SHAPE_SHORT, 9, {0x66, 0xf5}); // endbr64 in between
  EXPECT_EQ(form(), SledForm::Off);
  place(17, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x12, 0xfe});
  EXPECT_EQ(form(), SledForm::Off);
  put(17, {0x0f, 0x1f, 0x44, 0x12, 0x00}); // a flip by bytes that was
                                           // interrupted
  EXPECT_EQ(form(), SledForm::Off);
}

// 66 c3 would return.
TEST_F(Sled, SlotsAfterWhichARestoredFirstByteIsHarmfulAreRefused) {
  place(32, TPRT_SHAPE_SHORT, 59, {0x66, 0x90});
  EXPECT_EQ(plan(), TPRT_REFUSAL_SHAPE);
}

// A jump with the distance of another slot is not ours.
TEST_F(Sled, FirstByteBackOverOtherBytesIsNobodys) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0xf5});
  EXPECT_EQ(form(), SledForm::Other);
  place(17, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x12, 0x34});
  EXPECT_EQ(form(), SledForm::Other);
}

TEST_F(Sled, OurJumpIsOn) {
  place(17, TPRT_SHAPE_LONG, 0, {0xe9, 0x1f, 0x44, 0x12, 0xfe});
  EXPECT_EQ(form(), SledForm::On);
  // A jump to the other stub, with another displacement.
  Ways both = {islandAt(module.origin + 17, 0x0034441f), {0, way()}};
  ASSERT_EQ(planToggle(site, module.origin, both, &toggle), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.now, SledForm::On);
  both.others[1] = 0;
  ASSERT_EQ(planToggle(site, module.origin, both, &toggle), TPRT_REFUSAL_NONE);
  EXPECT_EQ(toggle.now, SledForm::Other);
  // The jump may go through a slot. In that case the sled is on as long as the
  // slot jumps to the stub.
  place(40, TPRT_SHAPE_SHORT, 5, {0xeb, 0xf9});
  EXPECT_EQ(form(), SledForm::Stale);
  uint64_t jump = jumpAt(module.origin + 35, way());
  memcpy(code + 35, &jump, 5);
  EXPECT_EQ(form(), SledForm::On);
}

// Some bytes of a sled's jump are fixed, so that adding and removing a uprobe
// cannot make the sled crash.
TEST_F(Sled, LongJumpsWithABadDisplacementAreNeverWritten) {
  place(17, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  EXPECT_EQ(planToggle(site, module.origin, {way() + 1}, &toggle),
            TPRT_REFUSAL_REACH);
}

// Tests each nop that LLVM makes (X86AsmBackend, writeNopData; X86MCInstLower,
// emitNop), and other nops. For all values of the free bytes of the jump's
// displacement, the nop's first byte followed by these bytes must be a nop of
// the same length.
TEST_F(Sled, FirstByteOfANopBackIsANopAsLong) {
  for (std::initializer_list<uint8_t> nop :
       {std::initializer_list<uint8_t>{0x0f, 0x1f, 0x44, 0, 0},
        {0x66, 0x66, 0x66, 0x66, 0x90},
        {0x66, 0x0f, 0x1f, 0x04, 0x24},
        {0x0f, 0x1f, 0x04, 0x25, 0, 0, 0, 0},
        {0x0f, 0x1f, 0x05, 0, 0, 0, 0},
        {0x66, 0x0f, 0x1f, 0x44, 0, 0},
        {0x0f, 0x1f, 0x80, 0, 0, 0, 0},
        {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
        {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
        {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
        {0x2e, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
        {0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}}) {
    SetUp();
    place(16, TPRT_SHAPE_PATCHABLE, 0, nop);
    uint64_t first = 0;
    memcpy(&first, code + 16, nop.size() < 8 ? nop.size() : 8);
    FixedBits bits = fixedBitsOfNop(first);
    for (uint32_t free : {0u, ~0u, 0x25252525u, 0x05050505u, 0xfe120000u}) {
      uint32_t displacement = (free & ~bits.mask) | bits.value;
      memcpy(code + 17, &displacement, sizeof displacement);
      EXPECT_TRUE(areNops(code + 16, static_cast<unsigned>(nop.size())))
          << nop.size() << " bytes, " << displacement;
      readPatchable(site);
      EXPECT_EQ(site.size, nop.size());
    }
  }
}

TEST_F(Sled, LongAcrossAWordIsRefused) {
  for (size_t offset = 0; offset < 8; ++offset) {
    SetUp();
    place(offset, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
    EXPECT_EQ(plan(), offset <= 3 ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_ALIGNMENT)
        << offset;
  }
}

TEST_F(Sled, OtherBytesAreNobodys) {
  place(8, TPRT_SHAPE_SHORT, 5, {0xcc, 0x90}); // a breakpoint
  EXPECT_EQ(form(), SledForm::Other);
  place(16, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x01});
  EXPECT_EQ(form(), SledForm::Other);
}

TEST_F(Sled, PlainIsRefused) {
  place(8, TPRT_SHAPE_PLAIN, 0, {0x66, 0x90});
  EXPECT_EQ(plan(), TPRT_REFUSAL_SHAPE);
}

TEST_F(Sled, RetBecomesAJumpByItsOpcodeAlone) {
  place(13, TPRT_SHAPE_RET, 0, {0xc3, 0xcc, 0xcc, 0xcc, 0xcc});
  site.event.kind = TPRT_KIND_EXIT;
  uint64_t stub = reinterpret_cast<uint64_t>(code) + 0x10000;
  Slot slot;
  ASSERT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_NONE);
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
  // The bytes were written by the first call, so nothing remains to be done.
  memcpy(code + 14, &slot.code, 4);
  ASSERT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 0);
}

TEST_F(Sled, RetWithOtherBytesIsRefused) {
  place(8, TPRT_SHAPE_RET, 0, {0xc2, 0xcc, 0xcc, 0xcc, 0xcc});
  EXPECT_EQ(form(), SledForm::Other);
  place(8, TPRT_SHAPE_RET, 0, {0xc3, 0xcc, 0x48, 0xcc, 0xcc});
  Slot slot;
  EXPECT_EQ(planSlot(site, module.origin,
                     {reinterpret_cast<uint64_t>(code) + 0x10000}, &slot),
            TPRT_REFUSAL_BYTES);
}

TEST_F(Sled, SlotMayHoldTrapsOrNopsAndNothingElse) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  uint64_t stub = reinterpret_cast<uint64_t>(code) + 0x10000;
  Slot slot;
  EXPECT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 5);
  EXPECT_EQ(slot.code & 0xff, 0xe9u);
  memset(code + 3, 0x90, 5);
  EXPECT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_NONE);
  code[5] = 0xc3;
  EXPECT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_BYTES);
  memset(code + 3, 0, 5);
  EXPECT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_BYTES);
}

// The slot jumps to another stub of ours, and a thread may be on its way to it.
// So the slot is changed by one store, or not at all.
TEST_F(Sled, SlotThatLeadsToTheOtherStubChangesInOneStore) {
  place(8, TPRT_SHAPE_SHORT, 5, {0x66, 0x90});
  uint64_t stub = reinterpret_cast<uint64_t>(code) + 0x10000,
           other = stub + 0x1000;
  Slot slot;
  ASSERT_EQ(planSlot(site, module.origin, {other}, &slot), TPRT_REFUSAL_NONE);
  memcpy(code + 3, &slot.code, 5);
  code[0] = 0x11;
  EXPECT_EQ(planSlot(site, module.origin, {stub}, &slot), TPRT_REFUSAL_BYTES);
  ASSERT_EQ(planSlot(site, module.origin, {stub, {0, other}}, &slot),
            TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.state, SlotState::InUse);
  EXPECT_EQ(slot.address, reinterpret_cast<uint64_t>(code));
  ASSERT_EQ(slot.bytes, 8);
  memcpy(code, &slot.code, 8);
  EXPECT_EQ(code[0], 0x11);
  ASSERT_EQ(planSlot(site, module.origin, {stub, {other}}, &slot),
            TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.bytes, 0);
  EXPECT_EQ(slot.state, SlotState::Written);
  // A jump to neither stub is refused.
  code[4] ^= 1;
  EXPECT_EQ(planSlot(site, module.origin, {stub, {other}}, &slot),
            TPRT_REFUSAL_BYTES);
  // A slot that crosses two words is not changed.
  SetUp();
  place(14, TPRT_SHAPE_SHORT, 9, {0x66, 0x90});
  ASSERT_EQ(planSlot(site, module.origin, {other}, &slot), TPRT_REFUSAL_NONE);
  memcpy(code + 5, &slot.code, 5);
  ASSERT_EQ(planSlot(site, module.origin, {stub, {other}}, &slot),
            TPRT_REFUSAL_NONE);
  EXPECT_EQ(slot.state, SlotState::Final);
  EXPECT_EQ(slot.bytes, 0);
}

TEST_F(Sled, StubOutOfReachIsRefused) {
  place(0, TPRT_SHAPE_LONG, 0, {0x0f, 0x1f, 0x44, 0x00, 0x00});
  EXPECT_EQ(planToggle(site, module.origin,
                       {module.origin + (uint64_t{3} << 30)}, &toggle),
            TPRT_REFUSAL_REACH);
  EXPECT_EQ(planToggle(site, module.origin, {}, &toggle), TPRT_REFUSAL_REACH);
}
