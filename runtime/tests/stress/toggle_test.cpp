// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threaded toggle test: four threads call through instrumented functions of
// one shape, at every even offset of a cache line, while this one attaches and
// detaches. Every argument, result and preserved register is checked at each
// call, and the data of a detached handler is made unreadable.
#include "workers.h"

#include <gtest/gtest.h>

using namespace stress;

namespace {

struct ToggleCase {
  const char *Name;
  const char *Glob; // of the functions
  size_t Count;
  unsigned Actions;
};

void PrintTo(const ToggleCase &Case, std::ostream *Out) { *Out << Case.Name; }

class Toggle : public testing::TestWithParam<ToggleCase> {};

TEST_P(Toggle, CallsStayRight) {
  const auto [Name, Glob, Count, Actions] = GetParam();
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(Glob);
  ASSERT_EQ(Sites.size(), Count) << Faults::first();
  const auto End = std::chrono::steady_clock::now() + timeFor(4);
  Workers Workers(4, functionsAt(functions(), Sites));
  Toggler Toggler(Sites, Actions, 42);
  Toggler.runUntil(End);
  const uint64_t Calls = Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  EXPECT_GT(Toggler.toggles(), 10u);
  EXPECT_GT(Toggler.hits(), 0u);
  printf("%s: %lu toggles, %lu calls, %lu hits\n", Name,
         static_cast<unsigned long>(Toggler.toggles()),
         static_cast<unsigned long>(Calls),
         static_cast<unsigned long>(Toggler.hits()));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Toggle,
    testing::Values(ToggleCase{"ShortGeneral", "stress_short_*", 128, General},
                    ToggleCase{"ShortTrample", "stress_short_*", 128, Trample},
                    ToggleCase{"ShortCount", "stress_short_*", 128, Count},
                    ToggleCase{"ShortMixed", "stress_short_*", 128, AllActions},
                    ToggleCase{"LongGeneral", "stress_long_*", 128, General},
                    ToggleCase{"LongTrample", "stress_long_*", 128, Trample},
                    ToggleCase{"LongCount", "stress_long_*", 128, Count},
                    ToggleCase{"LongMixed", "stress_long_*", 128, AllActions},
                    ToggleCase{"OtherMixed", "stress_other_*", 64, AllActions},
                    ToggleCase{"LiveMixed", "stress_live_*", 128, AllActions},
                    ToggleCase{"RetGeneral", "stress_ret_*", 64, General},
                    ToggleCase{"RetTrample", "stress_ret_*", 64, Trample},
                    ToggleCase{"RetCount", "stress_ret_*", 64, Count},
                    ToggleCase{"RetMixed", "stress_ret_*", 64, AllActions},
                    ToggleCase{"ExitMixed", "stress_exit_*", 64, AllActions},
                    ToggleCase{"TailGeneral", "stress_tail_*", 64, General},
                    ToggleCase{"TailTrample", "stress_tail_*", 64, Trample},
                    ToggleCase{"TailCount", "stress_tail_*", 64, Count},
                    ToggleCase{"TailMixed", "stress_tail_*", 64, AllActions}),
    [](const auto &Info) { return std::string(Info.param.Name); });

} // namespace
