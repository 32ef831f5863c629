// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that a counting probe is exact. Threads start, make a known number of
// calls and end, and the probe must count exactly this number. The count must
// be exact both without other probes on its sites and while another thread
// toggles other probes on the same sites.
#include "workers.h"

#include <gtest/gtest.h>

using namespace stress;

namespace {

class CountExact : public testing::TestWithParam<Group> {};

uint64_t callFromThreads(const std::vector<StressFunction> &Functions,
                         uint64_t Round) {
  constexpr uint64_t ThreadCount = 4, CallsEach = 5000;
  std::vector<std::thread> Threads;
  for (uint64_t I = 0; I < ThreadCount; ++I)
    Threads.emplace_back([&Functions, Seed = (Round * ThreadCount + I + 1) *
                                             0x9e3779b97f4a7c15u] {
      Caller Caller(Seed);
      for (uint64_t J = 0; J < CallsEach; ++J)
        Caller.call(Functions[Caller.random(Functions.size())]);
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  return ThreadCount * CallsEach;
}

void countPhases(const Group &Group, bool WithOthers) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(Group.Glob);
  std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  std::thread Other;
  if (WithOthers)
    Other = std::thread([&] { Toggler(Sites, AllActions, 7).runUntil(End); });
  uint64_t Round = 0;
  do {
    tprt_selector Selector = {};
    Selector.function = Group.Glob;
    Selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
    Selector.flags = TPRT_SELECT_TRAPS;
    tprt_action Action = {};
    Action.kind = TPRT_ACTION_COUNT;
    tprt_probe *Probe = nullptr;
    tprt_status Status = tprt_probe_attach(&Selector, &Action, &Probe, nullptr);
    if (Status != TPRT_STATUS_OK) {
      ADD_FAILURE() << tprt_error_string();
      break;
    }
    const uint64_t Calls = callFromThreads(Functions, Round);
    EXPECT_EQ(tprt_probe_count(Probe), Calls) << "in round " << Round;
    uint64_t Sum = 0;
    tprt_probe_visit_counts(
        Probe,
        [](const tprt_site *, uint64_t Count, void *Data) {
          *static_cast<uint64_t *>(Data) += Count;
          return 0;
        },
        &Sum);
    EXPECT_EQ(Sum, Calls) << "over the sites, in round " << Round;
    EXPECT_EQ(tprt_probe_detach(Probe, -1), TPRT_STATUS_OK)
        << tprt_error_string();
    ++Round;
  } while (std::chrono::steady_clock::now() < End &&
           !testing::Test::HasFailure());
  if (Other.joinable())
    Other.join();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

TEST_P(CountExact, Alone) { countPhases(GetParam(), false); }
TEST_P(CountExact, WithOtherProbes) { countPhases(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(Shapes, CountExact, testing::ValuesIn(Groups),
                         nameOfGroup);

} // namespace
