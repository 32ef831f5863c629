// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs at single instructions and at points: where they may run, and the
// registers.
#include "aggregateprogram.h"
#include "programs/program_check.h"
#include "sites/arch.h"
#include "tprt/tprt.h"

namespace {

constexpr Operation kRegister = {TPRT_PROGRAM_REGISTER, 0, 0, 0, 0};
constexpr Operation kPointValue = {TPRT_PROGRAM_POINT_VALUE, 0, 0, 0, 0};

class AggregatePlaces : public AggregateProgram {
protected:
  // Why a program cannot run at hits of these kinds, or "".
  std::string at(uint32_t Kinds, const Operations &Code, uint32_t Flags = 0) {
    Program &Of = *place(source(Code, "", Flags));
    EXPECT_EQ(programFault(Of), nullptr);
    Place Found;
    const char *Fault = placeFault(Of, Kinds, Found);
    return Fault ? Fault : "";
  }
};

TEST_F(AggregatePlaces, EachRegisterIsTheOneOfItsNumber) {
  // Above and below the registers are the words that trampolines save.
  uint64_t Words[256];
  for (unsigned I = 0; I < 256; ++I)
    Words[I] = 0x0101010101010101u * I;
  auto *Regs = reinterpret_cast<tprt_regs *>(Words + 64);
  tprt_registers All;
  ASSERT_EQ(tprt_regs_expand(Regs, &All), 1);
#if defined(__x86_64__)
  const uint64_t Expected[] = {
      All.rax, All.rdx, All.rcx, All.rbx, All.rsi, All.rdi, All.rbp, All.rsp,
      All.r8,  All.r9,  All.r10, All.r11, All.r12, All.r13, All.r14, All.r15};
#else
  uint64_t Expected[32];
  memcpy(Expected, All.x, sizeof All.x);
  Expected[31] = All.sp;
#endif
  ASSERT_EQ(std::size(Expected), kGeneralRegisters);
  Hit.regs = Regs;
  for (int I = 0; I < int{kGeneralRegisters}; ++I)
    EXPECT_EQ(value({{TPRT_PROGRAM_REGISTER, 0, 0, 0, I}}, "", 0),
              static_cast<int64_t>(Expected[I]))
        << I;
}

TEST_F(AggregatePlaces, NumbersHaveBounds) {
  const int Registers = kGeneralRegisters;
  EXPECT_EQ(fault({{TPRT_PROGRAM_REGISTER, 0, 0, 0, Registers - 1}}), "");
  for (int Number : {Registers, -1})
    EXPECT_EQ(fault({{TPRT_PROGRAM_REGISTER, 0, 0, 0, Number}}),
              "there is no general register of that number");
  EXPECT_EQ(fault({{TPRT_PROGRAM_POINT_VALUE, 0, 0, 0, 11}}), "");
  for (int Number : {12, -1})
    EXPECT_EQ(fault({{TPRT_PROGRAM_POINT_VALUE, 0, 0, 0, Number}}),
              "a point has at most 12 arguments");
}

TEST_F(AggregatePlaces, ValuesOfDifferentHitsDoNotMix) {
  constexpr const char *Mixed =
      "a program uses values of hits of different kinds";
  EXPECT_EQ(fault({kRegister, kPointValue}), Mixed);
  EXPECT_EQ(fault(source({kRegister}, "", TPRT_PROGRAM_AT_END)), Mixed);
  EXPECT_EQ(fault(source({kPointValue}, "", TPRT_PROGRAM_AT_END)), Mixed);
  for (tprt_program_code Code :
       {TPRT_PROGRAM_ARGUMENT, TPRT_PROGRAM_CALLER, TPRT_PROGRAM_ERROR,
        TPRT_PROGRAM_STACK_ARGUMENT, TPRT_PROGRAM_FLOAT_ARGUMENT}) {
    EXPECT_EQ(fault({kRegister, {+Code, 1, 0, 0, 0}}), Mixed);
    EXPECT_EQ(fault({kPointValue, {+Code, 1, 0, 0, 0}}), Mixed);
  }
  for (tprt_program_code Code : {TPRT_PROGRAM_THREAD, TPRT_PROGRAM_FUNCTION}) {
    EXPECT_EQ(fault({kRegister, {+Code, 1, 0, 0, 0}}), "");
    EXPECT_EQ(fault({kPointValue, {+Code, 1, 0, 0, 0}}), "");
  }
}

TEST_F(AggregatePlaces, ProgramsRunWhereTheirValuesAre) {
  const Operations Any, Call = {{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 0}};
  for (uint32_t Kinds :
       {uint32_t{0}, uint32_t{TPRT_KIND_SET_ENTRY}, uint32_t{TPRT_KIND_SET_ALL},
        uint32_t{TPRT_KIND_SET_EXIT}}) {
    EXPECT_EQ(at(Kinds, Any), "");
    EXPECT_EQ(at(Kinds, Call), "");
    EXPECT_EQ(at(Kinds, Any, TPRT_PROGRAM_AT_END), "");
    for (const Operation &Each : {kRegister, kPointValue})
      EXPECT_EQ(at(Kinds, {Each}),
                "the program needs a value of points or of single "
                "instructions");
  }
  EXPECT_EQ(at(TPRT_KIND_SET_POINT, Any), "");
  EXPECT_EQ(at(TPRT_KIND_SET_POINT, {kPointValue}), "");
  EXPECT_EQ(at(TPRT_KIND_SET_POINT, {kRegister}),
            "the program needs a value that no point has");
  EXPECT_EQ(at(TPRT_KIND_SET_POINT, Call),
            "the program needs a value that no point has");
  EXPECT_EQ(at(TPRT_KIND_SET_INSTRUCTION, Any), "");
  EXPECT_EQ(at(TPRT_KIND_SET_INSTRUCTION, {kRegister}), "");
  EXPECT_EQ(at(TPRT_KIND_SET_INSTRUCTION, {kPointValue}),
            "the program needs a value that no single instruction has");
  EXPECT_EQ(at(TPRT_KIND_SET_INSTRUCTION, Any, TPRT_PROGRAM_AT_END),
            "a program at the end of calls cannot run at points or at single "
            "instructions");
  EXPECT_EQ(at(TPRT_KIND_SET_POINT | TPRT_KIND_SET_ENTRY, Any),
            "expressions at points and at single instructions need selections "
            "of their own");
}

} // namespace
