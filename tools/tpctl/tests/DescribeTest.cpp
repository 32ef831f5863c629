// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations as text. Those that expressions lead to are in ExpressionTest.cpp,
// too.

#include "expressions/Program.h"
#include "tprt/control_program.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace tpctl::expressions;

namespace {

std::string line(tprt_program_operation O) {
  tprt_program_head Head = {1, 0, 0, 0};
  Program P;
  P.Bytes = std::string(reinterpret_cast<char *>(&Head), sizeof Head) +
            std::string(reinterpret_cast<char *>(&O), sizeof O);
  std::string Text;
  raw_string_ostream OS(Text);
  describe(OS, P);
  return StringRef(Text).drop_front(5).rtrim().str();
}

std::string line(tprt_program_code Code, int32_t Number = 0) {
  return line({static_cast<uint8_t>(Code), 1, 2, 3, Number});
}

TEST(Describe, ValuesOfTheHit) {
  EXPECT_EQ(line(TPRT_PROGRAM_ARGUMENT, 4), "r1 = arg4");
  EXPECT_EQ(line(TPRT_PROGRAM_STACK_ARGUMENT, 7),
            "r1 = word 7 of the arguments in memory");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_ARGUMENT, 7), "r1 = vector argument 7");
  EXPECT_EQ(line(TPRT_PROGRAM_RESULT), "r1 = result");
  EXPECT_EQ(line(TPRT_PROGRAM_RESULT, 1), "r1 = the result's second register");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_RESULT, 1), "r1 = vector result 1");
}

TEST(Describe, OtherCallsAndTheLastOne) {
  EXPECT_EQ(line(TPRT_PROGRAM_INSIDE, 1), "r1 = inside a call of --in");
  EXPECT_EQ(line(TPRT_PROGRAM_DEPTH), "r1 = depth");
  EXPECT_EQ(line(TPRT_PROGRAM_STOP_IF), "if r2 is not 0, this is the last hit");
  EXPECT_EQ(line(TPRT_PROGRAM_STOP_IF, 7),
            "if r2 is not 0, this is one of the 7 hits that count");
}

TEST(Describe, Pairs) {
  EXPECT_EQ(line(TPRT_PROGRAM_PAIR_START), "start the pair r2");
  EXPECT_EQ(line(TPRT_PROGRAM_PAIR_END),
            "r1 = the time since the start of the pair r2");
}

TEST(Describe, ImmediateNumbers) {
  auto immediate = [](unsigned Code) {
    return line(
        {static_cast<uint8_t>(Code | TPRT_PROGRAM_IMMEDIATE), 1, 2, 0, -5});
  };
  EXPECT_EQ(immediate(TPRT_PROGRAM_ADD), "r1 = r2 + -5");
  EXPECT_EQ(immediate(TPRT_PROGRAM_LESS_EQUAL_UNSIGNED),
            "r1 = r2 <= unsigned -5");
}

TEST(Describe, OperationsOfDoubles) {
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_ADD), "r1 = r2 + r3, doubles");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_SUBTRACT), "r1 = r2 - r3, doubles");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_MULTIPLY), "r1 = r2 * r3, doubles");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_DIVIDE), "r1 = r2 / r3, doubles");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_EQUAL), "r1 = r2 == r3, doubles");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_LESS), "r1 = r2 < r3, doubles");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_LESS_EQUAL), "r1 = r2 <= r3, doubles");
}

TEST(Describe, Conversions) {
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_FROM_SIGNED),
            "r1 = r2, signed, as a double");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_FROM_UNSIGNED),
            "r1 = r2, unsigned, as a double");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_TO_SIGNED), "r1 = r2, a double, as signed");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_TO_UNSIGNED),
            "r1 = r2, a double, as unsigned");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_FROM_SINGLE),
            "r1 = r2, a float, as a double");
  EXPECT_EQ(line(TPRT_PROGRAM_FLOAT_TO_SINGLE),
            "r1 = r2, a double, as a float");
}

} // namespace
