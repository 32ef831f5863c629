// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites that no store can flip safely are refused one by one, say why, and their
// functions run on unchanged.
#include "workers.h"

#include <gtest/gtest.h>

using namespace stress;

namespace {

TEST(Refusal, OtherConventionKeepsItsRegisters) {
  Faults::reset();
  tprt_selector Selector = {};
  Selector.function = "stress_other_*";
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_COUNT;
  tprt_probe *Probe = nullptr;
  tprt_result Result = {};
  EXPECT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, &Result), TPRT_STATUS_REFUSED);
  EXPECT_EQ(Result.matched, 64u);
  EXPECT_EQ(Result.refused, 64u);
  EXPECT_EQ(Result.first_refusal, TPRT_REFUSAL_CONVENTION);
  EXPECT_EQ(Probe, nullptr);
  EXPECT_STRNE(tprt_last_error(), "");
  Caller Caller(3);
  for (const StressFunction &Function : functions())
    if (Function.Needs & TPRT_NEEDS_OTHER)
      Caller.call(Function);
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

} // namespace
