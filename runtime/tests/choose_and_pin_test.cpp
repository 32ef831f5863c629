// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the order of the steps in which a call chooses sites and pins their
// modules: what runs under the lock, how often, and when it ends.
#include "loader/choose_and_pin.h"
#include "threads/lock.h"

#include <gtest/gtest.h>

#include <string>

using namespace tprt;

namespace {

TEST(ChooseAndPin, PreparesBeforeEachChoice) {
  std::string Order;
  Pins None;
  chooseAndPin(
      None,
      [&] {
        Order += hasLock() ? "P" : "p";
        return true;
      },
      [&](Round) {
        Order += hasLock() ? "C" : "c";
        return Order.size() >= 6;
      });
  EXPECT_EQ(Order, "pCpCpC");
}

TEST(ChooseAndPin, AChoiceThatIsNeverFinalEndsAfterSomeRounds) {
  unsigned Choices = 0;
  Pins None;
  chooseAndPin(
      None, [] { return true; },
      [&](Round Of) {
        ++Choices;
        EXPECT_TRUE(Of.memory);
        return !Of.mayWait;
      });
  EXPECT_EQ(Choices, Pins::kMostRounds + 1);
}

TEST(ChooseAndPin, WithoutMemoryNothingIsPreparedAgain) {
  unsigned Prepared = 0, Choices = 0;
  Pins None;
  chooseAndPin(
      None, [&] { return ++Prepared < 2; },
      [&](Round Of) {
        ++Choices;
        EXPECT_EQ(Of.memory, Choices == 1);
        EXPECT_EQ(Of.mayWait, Choices == 1);
        return Choices == 3; // a choice may ignore that it may not wait
      });
  EXPECT_EQ(Prepared, 2u);
  EXPECT_EQ(Choices, 3u);
}

} // namespace
