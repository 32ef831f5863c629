// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of libtprt-code.so on AArch64: instructions, and the sites that it
// finds in this program's own code.
#include "decode/instruction.h"
#include "tests/ownprogram.h"
#include "tprt/tprt.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tprt;

namespace {

Instruction decoded(uint32_t Word) {
  uint8_t Code[4];
  memcpy(Code, &Word, sizeof Code);
  Instruction Out = {};
  decode(Code, sizeof Code, Out);
  return Out;
}

TEST(Instruction, SaysHowItGoesOn) {
  EXPECT_EQ(decoded(0xd503201f).flow, Flow::Nop);
  EXPECT_EQ(decoded(0xd503203f).flow, Flow::Next) << "yield";
  EXPECT_EQ(decoded(0xd503233f).flow, Flow::LandingPad) << "paciasp";
  EXPECT_EQ(decoded(0xd503237f).flow, Flow::LandingPad) << "pacibsp";
  EXPECT_EQ(decoded(0xd50323bf).flow, Flow::Next) << "autiasp";
  EXPECT_EQ(decoded(0xd503245f).flow, Flow::LandingPad) << "bti c";
  EXPECT_EQ(decoded(0xd50324df).flow, Flow::LandingPad) << "bti jc";
  EXPECT_EQ(decoded(0x14000004).flow, Flow::Jump);
  EXPECT_EQ(decoded(0x94000004).flow, Flow::Call);
  EXPECT_EQ(decoded(0xd63f0100).flow, Flow::Call) << "blr x8";
  EXPECT_EQ(decoded(0xd73f0901).flow, Flow::Call) << "blraa x8, x1";
  EXPECT_EQ(decoded(0x54000041).flow, Flow::Branch) << "b.ne";
  EXPECT_EQ(decoded(0xb4000043).flow, Flow::Branch) << "cbz x3";
  EXPECT_EQ(decoded(0x37000043).flow, Flow::Branch) << "tbnz w3, #0";
  EXPECT_EQ(decoded(0xd61f0220).flow, Flow::JumpRegister);
  EXPECT_EQ(decoded(0xd61f0220).target, 17);
  EXPECT_EQ(decoded(0xd71f0a11).flow, Flow::JumpRegister) << "braa x16, x17";
  EXPECT_EQ(decoded(0xd65f03c0).flow, Flow::Return);
  EXPECT_EQ(decoded(0xd65f0bff).flow, Flow::Return) << "retaa";
  EXPECT_EQ(decoded(0xd4200020).flow, Flow::Stop) << "brk #1";
  EXPECT_EQ(decoded(0xd4000001).flow, Flow::Bound) << "svc #0";
  EXPECT_EQ(decoded(0xd69f03e0).flow, Flow::Bound) << "eret";
  EXPECT_EQ(decoded(0x91000400).flow, Flow::Next) << "add";
  EXPECT_EQ(decoded(0x00000000).length, 0) << "udf";
  EXPECT_EQ(decoded(0x06000000).length, 0) << "reserved";
  EXPECT_EQ(decoded(0x04a08421).length, 4) << "SVE";
}

TEST(Instruction, SaysWhereItLeads) {
  auto To = [](uint32_t Word) { return decoded(Word).distance + 4; };
  EXPECT_EQ(To(0x14000004), 16);
  EXPECT_EQ(To(0x17ffffff), -4);
  EXPECT_EQ(To(0x94000004), 16);
  EXPECT_EQ(To(0x54000041), 8) << "b.ne";
  EXPECT_EQ(To(0x54ffffe1), -4);
  EXPECT_EQ(To(0xb4ffffe3), -4) << "cbz x3";
  EXPECT_EQ(To(0x37000043), 8) << "tbnz w3, #0";
  EXPECT_EQ(To(0x3707ffe3), -4);
  EXPECT_EQ(To(0x58000050), 8) << "ldr x16, literal";
  EXPECT_EQ(To(0x70000020), 7) << "adr x0, .+7";
}

// Functions whose sites are tested.
extern "C" void tp_test_nop(), tp_test_pad(), tp_test_before(), tp_test_plain(),
    tp_test_tail(), tp_test_branch(), tp_test_loop(), tp_test_literal(),
    tp_test_adr(), tp_test_page(), tp_test_switch(), tp_test_xray(),
    tp_test_call(), tp_test_table(), tp_test_exclusive(), tp_test_room(),
    tp_test_more(), tp_test_few(), tp_test_reached(), tp_test_led(),
    tp_test_bound(), tp_test_signed(), tp_test_calls();
__asm__(
    ".text\n"
    ".macro TEST name\n.p2align 4\n.globl \\name\n.type \\name, "
    "%function\n\\name:\n"
    ".cfi_startproc\n.endm\n"
    ".macro TEST_END name\n.cfi_endproc\n.size \\name, . - \\name\n.endm\n"
    "TEST tp_test_nop\nnop\nmov x0, #1\nret\nTEST_END tp_test_nop\n"
    "TEST tp_test_pad\nhint #34\nnop\nret\nTEST_END tp_test_pad\n"
    // GCC's unwind entries begin after the function's nops.
    ".p2align 4\n.globl tp_test_before\n.type tp_test_before, "
    "%function\ntp_test_before:\nhint #34\n"
    "nop\nnop\n.cfi_startproc\nmov x0, #1\nret\nTEST_END tp_test_before\n"
    "TEST tp_test_plain\nmov x0, #1\nret\nTEST_END tp_test_plain\n"
    "TEST tp_test_tail\nmov x0, #1\nb tp_test_plain\nTEST_END tp_test_tail\n"
    "TEST tp_test_branch\ncmp x0, #1\nb.ne tp_test_plain\nret\n"
    "TEST_END tp_test_branch\n"
    "TEST tp_test_loop\nnop\nsubs x0, x0, #1\nb.ne tp_test_loop\nret\n"
    "TEST_END tp_test_loop\n"
    "TEST tp_test_literal\nnop\nldr x0, 1f\nret\n.p2align 3\n1: .xword "
    "0x1400000494000004\nTEST_END tp_test_literal\n"
    "TEST tp_test_adr\nnop\nadr x1, 1f\nldr w0, [x1]\nret\n1: .word "
    "0x94000004\nTEST_END tp_test_adr\n"
    "TEST tp_test_page\nnop\nadrp x1, 1f\nadd x0, x0, #1\nldr w0, [x1, "
    "#:lo12:1f]\nret\n1: .word 0x94000004\nTEST_END tp_test_page\n"
    "TEST tp_test_switch\nnop\nadr x1, 1f\nadd x1, x1, w0, uxtw #2\nbr x1\n1:\n"
    "b 2f\nb 2f\n2: ret\nTEST_END tp_test_switch\n"
    "TEST tp_test_table\nnop\nadr x1, 1f\nldr w0, [x1, w0, uxtw #2]\n"
    "add x1, x1, w0, sxtw\nbr x1\n1: .word 0x14000004\nret\n"
    "TEST_END tp_test_table\n"
    "TEST tp_test_exclusive\n1: nop\nldxr x1, [x0]\nnop\nadd x1, x1, #1\n"
    "b 2f\n2: stxr w2, x1, [x0]\nnop\ncbnz w2, 1b\nldaxr w1, [x0]\nclrex\n"
    "nop\n.arch_extension lse\ncasp x2, x3, x4, x5, [x0]\nnop\nret\n"
    "TEST_END tp_test_exclusive\n"
    "TEST tp_test_xray\nb 1f\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n1: ret\n"
    "TEST_END tp_test_xray\n"
    "TEST tp_test_call\nstp x29, x30, [sp, #-16]!\nbl tp_test_plain\n"
    "blr x0\nnop\nldp x29, x30, [sp], #16\nret\nTEST_END tp_test_call\n"
    // A function with nops between its label and an instruction before it.
    ".macro NOPS name, count, before:vararg\n\\before\n.rept \\count\nnop\n"
    ".endr\n.globl \\name\n.type \\name, %function\n\\name:\n"
    ".cfi_startproc\nnop\nret\nTEST_END \\name\n.endm\n"
    "NOPS tp_test_room, 6, ret\nNOPS tp_test_more, 8, b tp_test_room\n"
    "NOPS tp_test_few, 5, ret\nNOPS tp_test_reached, 6, add x0, x0, #1\n"
    "NOPS tp_test_led, 6, ret\n"
    "9: .xword 1\n"
    "TEST tp_test_bound\nnop\nadr x0, tp_test_led\nadrp x0, tp_test_led\n"
    "ldr x0, 9b\nldrsw x0, 9b\nprfm pldl1keep, 9b\nldr d0, 9b\ncbz x0, 1f\n"
    "1: tbnz x0, #3, 1f\n1: hint #29\nsvc #0\nblr x0\nhint #36\n"
    ".inst 0x0420bc00\nadd x0, x0, #1\nadd x0, x0, #1\n"
    ".inst 0x04912000\nadd x0, x0, #1\n.inst 0x1d010440\nbrk #1\n"
    "TEST_END tp_test_bound\n"
    "TEST tp_test_signed\nhint #25\nmov x0, #1\n.inst 0xd65f0bff\n"
    "TEST_END tp_test_signed\n"
    "TEST tp_test_calls\nbl tp_test_plain\nret\nTEST_END tp_test_calls\n"
    "TEST tp_test_leads\nmov x0, #1\nb tp_test_led - 8\nTEST_END "
    "tp_test_leads\n");

// The program with all symbols removed except these.
struct Program : OwnProgram {
  std::vector<CodeSymbol> Symbols;
  const char *readAgain(std::initializer_list<void (*)()> Named) {
    for (auto *One : Named)
      Symbols.push_back({offsetOf(One), false, 0, Profiler::None});
    View.symbols = Symbols.data();
    View.symbolCount = Symbols.size();
    Sites.clear();
    return readSites(View, Sites);
  }
  uint32_t offsetOf(void (*Function)()) const {
    return static_cast<uint32_t>(reinterpret_cast<uint64_t>(Function) -
                                 View.origin);
  }
  Program() {
    Fault =
        readAgain({tp_test_nop, tp_test_pad, tp_test_before, tp_test_plain,
                   tp_test_tail, tp_test_branch, tp_test_loop, tp_test_literal,
                   tp_test_adr, tp_test_page, tp_test_switch, tp_test_xray,
                   tp_test_call, tp_test_table, tp_test_exclusive,
                   tp_test_bound, tp_test_signed, tp_test_calls});
  }
  // The refusal of the function's entry, which must exist.
  unsigned entryOf(void (*Function)()) const {
    auto Found = of(Function);
    EXPECT_FALSE(Found.empty());
    return Found.empty() ? 99u : Found[0].refusal;
  }
};

TEST(Reader, TakesNopsAtEntries) {
  Program All;
  ASSERT_EQ(All.Fault, nullptr);
  auto Sites = All.of(tp_test_nop);
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(Sites[0].kind, TPRT_KIND_ENTRY);
  EXPECT_EQ(Sites[0].means, Means::Jump);
  EXPECT_EQ(changedFrom(Sites[0]), Sites[0].at);
  EXPECT_EQ(changedBytes(Sites[0]), 4u);
  EXPECT_EQ(Sites[0].starts, kNoPun) << "a batch would look for its islands";
  EXPECT_EQ(Sites[1].kind, TPRT_KIND_EXIT);
  EXPECT_EQ(Sites[1].means, Means::Jump) << "ret";
  EXPECT_EQ(All.entryOf(tp_test_plain), TPRT_REFUSAL_NONE) << "mov";
}

TEST(Reader, RefusesWhatRunsOnlyAtItsPlace) {
  Program All;
  const uint32_t Asked[] = {All.offsetOf(tp_test_bound)};
  InnerCode Inside;
  ASSERT_EQ(readInstructions(All.View, Asked, 1, Inside), nullptr);
  // Each line of the function: how it is refused, or NONE.
  constexpr uint8_t N = TPRT_REFUSAL_NONE, I = TPRT_REFUSAL_INSTRUCTION;
  const struct {
    uint8_t Refusal;
    const char *Text;
  } Wanted[] = {{N, "adr"},          {N, "adrp"},
                {N, "ldr literal"},  {N, "ldrsw literal"},
                {N, "prfm literal"}, {I, "ldr vector literal"},
                {N, "cbz"},          {N, "tbnz"},
                {N, "autiasp"},      {I, "svc"},
                {I, "blr"},          {I, "bti j"},
                {I, "movprfx"},      {I, "after movprfx"},
                {N, "after that"},   {I, "movprfx, predicated"},
                {I, "after it"},     {I, "cpyp"},
                {I, "brk"}};
  ASSERT_EQ(Inside.sites.size(), std::size(Wanted));
  for (size_t At = 0; At < std::size(Wanted); ++At)
    EXPECT_EQ(Inside.sites[At].refusal, Wanted[At].Refusal) << Wanted[At].Text;
}

TEST(Reader, EntriesAreAfterAPaciasp) {
  Program All;
  auto Sites = All.of(tp_test_signed);
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(Sites[0].at, Sites[0].function + 4);
  EXPECT_EQ(Sites[0].means, Means::Jump);
  EXPECT_EQ(Sites[1].means, Means::Jump) << "retaa";
}

TEST(Reader, RefusesACallAtAnEntry) {
  EXPECT_EQ(Program().entryOf(tp_test_calls), TPRT_REFUSAL_INSTRUCTION);
}

TEST(Reader, UsesNopsAfterALandingPad) {
  Program All;
  auto Sites = All.of(tp_test_pad);
  ASSERT_GE(Sites.size(), 1u);
  EXPECT_EQ(Sites[0].at, Sites[0].function + 4);
  EXPECT_EQ(Sites[0].means, Means::Jump);
}

TEST(Reader, TakesNopsInFrontOfAnUnwindEntry) {
  Program All;
  auto Sites = All.of(tp_test_before);
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(Sites[0].at, Sites[0].function + 4);
  EXPECT_EQ(Sites[0].means, Means::Jump);
}

TEST(Reader, TakesAJumpToAnotherFunctionForATailExit) {
  Program All;
  auto Sites = All.of(tp_test_tail);
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(Sites[1].kind, TPRT_KIND_TAIL_EXIT);
  EXPECT_EQ(Sites[1].means, Means::Jump);
  Sites = All.of(tp_test_branch);
  ASSERT_EQ(Sites.size(), 3u);
  EXPECT_EQ(Sites[1].kind, TPRT_KIND_TAIL_EXIT);
  EXPECT_EQ(Sites[1].refusal, TPRT_REFUSAL_INSTRUCTION) << "b.ne";
}

TEST(Reader, RefusesABeginningThatIsALoopsToo) {
  Program All;
  EXPECT_EQ(All.entryOf(tp_test_loop), TPRT_REFUSAL_BRANCH);
}

TEST(Reader, LeavesFunctionsWithDataAlone) {
  Program All;
  EXPECT_EQ(All.entryOf(tp_test_literal), TPRT_REFUSAL_DECODE);
  EXPECT_EQ(All.entryOf(tp_test_adr), TPRT_REFUSAL_DECODE);
  EXPECT_EQ(All.entryOf(tp_test_page), TPRT_REFUSAL_DECODE);
  EXPECT_EQ(All.entryOf(tp_test_table), TPRT_REFUSAL_DECODE);
  EXPECT_EQ(All.entryOf(tp_test_switch), TPRT_REFUSAL_NONE);
}

TEST(Reader, LeavesXRaysSledsAlone) {
  Program All;
  EXPECT_EQ(All.entryOf(tp_test_xray), TPRT_REFUSAL_XRAY);
  const uint32_t Asked[] = {All.offsetOf(tp_test_xray)};
  InnerCode Inside;
  ASSERT_EQ(readInstructions(All.View, Asked, 1, Inside), nullptr);
  ASSERT_GE(Inside.sites.size(), 8u);
  for (size_t I = 0; I != 8; ++I)
    EXPECT_EQ(Inside.sites[I].refusal, TPRT_REFUSAL_XRAY) << I;
}

TEST(Reader, TakesCallsBranchesAndNopsInsideFunctions) {
  Program All;
  const uint32_t Asked[] = {All.offsetOf(tp_test_call)};
  InnerCode Inside;
  ASSERT_EQ(readInstructions(All.View, Asked, 1, Inside), nullptr);
  // The entry and the exit are no sites inside: stp, ret.
  ASSERT_EQ(Inside.sites.size(), 4u);
  const Means Wanted[] = {Means::Call, Means::None, Means::Jump, Means::Jump};
  for (size_t I = 0; I != 4; ++I)
    EXPECT_EQ(Inside.sites[I].means, Wanted[I]) << I;
  EXPECT_EQ(Inside.sites[1].refusal, TPRT_REFUSAL_INSTRUCTION) << "blr";
  EXPECT_EQ(changedFrom(Inside.sites[0]), Inside.sites[0].at);
  EXPECT_EQ(changedBytes(Inside.sites[0]), 4u);
  EXPECT_EQ(Inside.sites[0].starts, kNoPun);
}

TEST(Reader, LeavesWhatIsBetweenExclusiveAccessesAlone) {
  Program All;
  const uint32_t Asked[] = {All.offsetOf(tp_test_exclusive)};
  InnerCode Inside;
  ASSERT_EQ(readInstructions(All.View, Asked, 1, Inside), nullptr);
  // The function's instructions without its ret, which is its exit.
  std::vector<unsigned> Refusals;
  for (const CodeSite &S : Inside.sites)
    Refusals.push_back(S.refusal);
  constexpr unsigned N = TPRT_REFUSAL_NONE, I = TPRT_REFUSAL_INSTRUCTION;
  const std::vector<unsigned> Wanted = {N, N, I, I, I, I, N, N, N, I, N, N, N};
  EXPECT_EQ(Refusals, Wanted);
}

TEST(Reader, FindsNopsForAVeneerThatNoThreadExecutes) {
  Program All;
  auto RoomBefore = [&](void (*Function)()) {
    auto Found = All.of(Function);
    return Found.empty() || !Found[0].slot ? 0u : Found[0].at - Found[0].slot;
  };
  EXPECT_EQ(RoomBefore(tp_test_room), 24u);
  EXPECT_EQ(RoomBefore(tp_test_more), 24u);
  EXPECT_EQ(RoomBefore(tp_test_few), 0u);
  EXPECT_EQ(RoomBefore(tp_test_reached), 0u) << "the code before runs on";
  EXPECT_EQ(RoomBefore(tp_test_led), 0u) << "a jump leads there";
}

TEST(Reader, LeavesSledsOfOthersAlone) {
  Program All;
  const uint32_t Kept[] = {All.offsetOf(tp_test_nop)};
  All.View.kept = Kept;
  All.View.keptCount = 1;
  ASSERT_EQ(All.readAgain({}), nullptr);
  EXPECT_EQ(All.entryOf(tp_test_nop), TPRT_REFUSAL_ROOM);
}

} // namespace
