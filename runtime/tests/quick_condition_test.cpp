// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unit tests of programs/quick_condition.cpp: a program with a quick condition
// does the same as its operations.
#include "aggregateprogram.h"
#include "programs/program_check.h"
#include "programs/run_program.h"

namespace {

constexpr uint64_t kNumbers[] = {0,          1,          2,
                                 99,         100,        101,
                                 127,        128,        255,
                                 256,        INT32_MAX,  0x80000000,
                                 UINT32_MAX, UINT64_MAX, INT64_MAX,
                                 1ull << 63, 0xffffff80, 0xffff8000,
                                 1ull << 32, 5ull << 60, UINT64_MAX - 1};
constexpr tprt_program_code kComparisons[] = {
    TPRT_PROGRAM_EQUAL,      TPRT_PROGRAM_NOT_EQUAL,
    TPRT_PROGRAM_LESS,       TPRT_PROGRAM_LESS_UNSIGNED,
    TPRT_PROGRAM_LESS_EQUAL, TPRT_PROGRAM_LESS_EQUAL_UNSIGNED};

class QuickCondition : public AggregateProgram {
protected:
  // With the argument in register 1 and the condition in register 0.
  void check(Operations Code, bool UsesAgain) {
    Code.push_back({TPRT_PROGRAM_FILTER, 0, 0, 0, 0});
    const size_t Length = Code.size();
    Code.push_back({TPRT_PROGRAM_ARGUMENT, 2, 0, 0, 3});
    Code.push_back({TPRT_PROGRAM_KEY, 0, uint8_t(UsesAgain ? 1 : 2), 0, 0});
    const Source From = source(Code);
    ASSERT_EQ(fault(From), "");
    const Program &Of = *place(From);
    ASSERT_EQ(programFault(const_cast<Program &>(Of)), nullptr);
    ASSERT_EQ(Of.quick.operations, Length);
    ASSERT_EQ(Of.quick.isUsedAgain, UsesAgain);
    auto *Words = const_cast<uint64_t *>(Hit.arguments);
    for (uint64_t Number : kNumbers) {
      Words[2] = Number;
      const Ran Quick = run(Of);
      ProgramResult To;
      To.keys = reinterpret_cast<uint64_t *>(KeyMemory.last(kKeyRoom * 8));
      ASSERT_EQ(Quick.How, runOperations(Of, Of.begin(), Of.end(), Hit, To))
          << Number;
      if (Quick.How == Outcome::Counts) {
        ASSERT_EQ(Quick.Keys[1], To.keys[1]) << Number;
      }
    }
  }

  static Operations argument(uint8_t Extend, int Bits) {
    Operations Code = {{TPRT_PROGRAM_ARGUMENT, 1, 0, 0, 2}};
    if (Extend)
      Code.push_back({Extend, 1, 1, 0, Bits});
    return Code;
  }

  void checkAll(uint8_t Extend, int Bits) {
    const Operations Argument = argument(Extend, Bits);
    for (tprt_program_code Code : kComparisons)
      for (uint64_t Number : kNumbers)
        for (bool Exchanged : {false, true})
          for (bool Negated : {false, true}) {
            SCOPED_TRACE(testing::Message()
                         << Code << " " << Number << (Exchanged ? " < " : " ")
                         << Negated << " bits " << Bits);
            Operations Compare = {{+Code, 0, uint8_t(Exchanged ? 3 : 1),
                                   uint8_t(Exchanged ? 1 : 3), 0}};
            if (Negated)
              Compare.push_back({immediate(TPRT_PROGRAM_EQUAL), 0, 0, 0, 0});
            check(join({Argument, load(3, Number), Compare}), Negated);
            if (HasFatalFailure())
              return;
          }
  }
};

TEST_F(QuickCondition, ComparisonsOfWholeArguments) { checkAll(0, 64); }
TEST_F(QuickCondition, ComparisonsOfSignedParts) {
  for (int Bits : {8, 16, 32})
    checkAll(TPRT_PROGRAM_SIGN_EXTEND, Bits);
}
TEST_F(QuickCondition, ComparisonsOfUnsignedParts) {
  for (int Bits : {8, 16, 32})
    checkAll(TPRT_PROGRAM_ZERO_EXTEND, Bits);
}

TEST_F(QuickCondition, ComparisonsWithImmediates) {
  for (tprt_program_code Code : kComparisons)
    for (int Number : {0, 1, -1, 100, INT32_MIN, INT32_MAX})
      check(join({argument(0, 64), {{immediate(Code), 0, 1, 0, Number}}}),
            false);
}

TEST_F(QuickCondition, ArgumentsThemselvesAreConditions) {
  check({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 2}}, false);
}

// Other conditions are none, and neither is one after another.
TEST_F(QuickCondition, OtherConditionsHaveNone) {
  auto HasNone = [&](Operations Code) {
    Code.push_back({TPRT_PROGRAM_FILTER, 0, 0, 0, 0});
    EXPECT_EQ(fault(source(Code)), "");
    Program *Of = place(source(Code));
    EXPECT_EQ(programFault(*Of), nullptr);
    EXPECT_EQ(Of->quick.operations, 0);
  };
  HasNone({{TPRT_PROGRAM_THREAD, 0, 0, 0, 0}});
  HasNone({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 0},
           {immediate(TPRT_PROGRAM_ADD), 0, 0, 0, 1}});
  HasNone({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 0},
           {TPRT_PROGRAM_CONSTANT_HIGH, 0, 0, 0, 1}});
  HasNone({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 0},
           {TPRT_PROGRAM_ARGUMENT, 1, 0, 0, 1},
           {TPRT_PROGRAM_LESS, 0, 0, 1, 0}});
  HasNone({{TPRT_PROGRAM_CONSTANT, 0, 0, 0, 1}});
}

// An argument that the function does not have is unknown, not false.
TEST_F(QuickCondition, UnknownArgumentsAreUnread) {
  Entry.traits = traitsOf(TPRT_LIVE_ONE);
  Operations Code = {{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 1},
                     {immediate(TPRT_PROGRAM_LESS), 0, 0, 0, 0},
                     {TPRT_PROGRAM_FILTER, 0, 0, 0, 0}};
  EXPECT_EQ(run(source(Code)).How, Outcome::Unread);
}

} // namespace
