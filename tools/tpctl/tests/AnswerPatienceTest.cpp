// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how long tpctl waits for an answer.

#include "live/requests/AnswerPatience.h"
#include <gtest/gtest.h>

using namespace tpctl;
using std::chrono::seconds;

TEST(AnswerPatience, EndsWhereNothingIsDone) {
  AnswerPatience Of;
  EXPECT_TRUE(Of.lasts(seconds(1), 7));
  EXPECT_TRUE(Of.lasts(seconds(15), 7));
  EXPECT_FALSE(Of.lasts(seconds(16), 7));
}

TEST(AnswerPatience, LastsAsLongAsTheProcessWorks) {
  AnswerPatience Of;
  for (int I = 1; I < 1000; ++I)
    EXPECT_TRUE(Of.lasts(seconds(14 * I), static_cast<uint64_t>(I)));
  EXPECT_FALSE(Of.lasts(seconds(14 * 999 + 15), 999));
}

// The clock does not count the time in which a process waits for a processor.
TEST(AnswerPatience, LastsWhereNoTimePasses) {
  AnswerPatience Of;
  for (int I = 0; I < 1000; ++I)
    EXPECT_TRUE(Of.lasts(seconds(1), 7));
}
