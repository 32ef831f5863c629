// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of when the runtime looks for uprobes (core/yield.h).
#include "core/lock.h"
#include "core/yield.h"

#include <gtest/gtest.h>

using namespace tprt;

TEST(Yield, LooksSoonerFromTheFirstSiteOn) {
  static int Hastened;
  Lock Lock;
  yieldToBreakpoints();
  hastenYield = [] { ++Hastened; };
  const uint64_t Idle = yieldPause();
  noteFirstByte();
  EXPECT_EQ(Hastened, 1) << "whoever looks would sleep on";
  EXPECT_LT(yieldPause(), Idle);
  noteFirstByte();
  EXPECT_EQ(Hastened, 1) << "once is enough";
  // No site is on.
  yieldToBreakpoints();
  EXPECT_EQ(yieldPause(), Idle);
  noteFirstByte();
  EXPECT_EQ(Hastened, 2);
  yieldToBreakpoints();
  hastenYield = nullptr;
}
