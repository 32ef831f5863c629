// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests when the runtime checks for uprobes (patch/uprobe_yield.h).
#include "patch/uprobe_yield.h"
#include "sites/arch.h"
#include "threads/lock.h"

#include <gtest/gtest.h>

using namespace tprt;

TEST(Yield, LooksSoonerFromTheFirstSiteOn) {
  Lock Lock;
  yieldToBreakpoints();
  EXPECT_FALSE(mayNeedYield());
  const uint64_t Idle = yieldIfDue();
  noteFirstByte();
  if (kCodeAlignment > 1) {
    EXPECT_FALSE(mayNeedYield()) << "breakpoints are whole instructions";
    return;
  }
  EXPECT_TRUE(mayNeedYield());
  EXPECT_LT(yieldIfDue(), Idle / 10);
  // No site is on.
  yieldToBreakpoints();
  EXPECT_FALSE(mayNeedYield());
  EXPECT_GT(yieldIfDue(), Idle / 2);
}
