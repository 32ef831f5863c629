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
  int Shape;
  unsigned Actions;
};

void PrintTo(const ToggleCase &Case, std::ostream *Out) { *Out << Case.Name; }

class Toggle : public testing::TestWithParam<ToggleCase> {};

TEST_P(Toggle, CallsStayRight) {
  const auto [Name, Shape, Actions] = GetParam();
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(globOfShape(Shape));
  ASSERT_EQ(Sites.size(), 128u) << Faults::first();
  const auto End = std::chrono::steady_clock::now() + timeFor(5);
  Workers Workers(4, functionsOfShape(functions(), Shape));
  Toggler Toggler(Sites, Actions, 42);
  Toggler.runUntil(End);
  const uint64_t Calls = Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  EXPECT_GT(Toggler.toggles(), 10u);
  EXPECT_GT(Toggler.hits(), 0u);
  printf("%s: %lu toggles, %lu calls, %lu hits\n", Name,
         static_cast<unsigned long>(Toggler.toggles()), static_cast<unsigned long>(Calls),
         static_cast<unsigned long>(Toggler.hits()));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Toggle,
    testing::Values(ToggleCase{"ShortGeneral", TPRT_SHAPE_SHORT, General},
                    ToggleCase{"ShortTrample", TPRT_SHAPE_SHORT, Trample},
                    ToggleCase{"ShortCount", TPRT_SHAPE_SHORT, Count},
                    ToggleCase{"ShortMixed", TPRT_SHAPE_SHORT, AllActions},
                    ToggleCase{"LongGeneral", TPRT_SHAPE_LONG, General},
                    ToggleCase{"LongTrample", TPRT_SHAPE_LONG, Trample},
                    ToggleCase{"LongCount", TPRT_SHAPE_LONG, Count},
                    ToggleCase{"LongMixed", TPRT_SHAPE_LONG, AllActions}),
    [](const auto &Info) { return std::string(Info.param.Name); });

} // namespace
