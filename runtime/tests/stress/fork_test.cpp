// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork at any moment of an attach or detach by another thread: the child calls
// instrumented functions, attaches and detaches by itself, and ends with 0.
#include "workers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace stress;

namespace {

// In the child: 0, or the number of the step that failed.
int childWork(const std::vector<const tprt_site *> &Sites,
              const std::vector<StressFunction> &Functions, uint64_t Seed) {
  alarm(20); // a child that hangs is a failure, not a hung test
  Caller Caller(Seed);
  for (int I = 0; I < 200; ++I)
    Caller.call(Functions[Caller.random(Functions.size())]);
  if (Faults::count())
    return 1;
  Toggler Toggler(Sites, AllActions, Seed);
  for (int I = 0; I < 5; ++I) {
    Toggler.toggleOnce();
    for (int J = 0; J < 50; ++J)
      Caller.call(Functions[Caller.random(Functions.size())]);
  }
  if (Faults::count())
    return 2;
  tprt_selector Selector = {};
  Selector.sites = Sites.data();
  Selector.site_count = Sites.size();
  Selector.events = TPRT_EVENTS_ALL;
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_COUNT;
  tprt_probe *Probe = nullptr;
  if (tprt_probe_attach(&Selector, &Action, &Probe, nullptr) != TPRT_STATUS_OK)
    return 3;
  for (int I = 0; I < 100; ++I)
    Caller.call(Functions[Caller.random(Functions.size())]);
  if (tprt_probe_count(Probe) != 100)
    return 4;
  if (tprt_probe_detach(Probe, 5000) != TPRT_STATUS_OK)
    return 5;
  return Faults::count() ? 6 : 0;
}

class Fork : public testing::TestWithParam<Group> {};

TEST_P(Fork, WhileToggling) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  ASSERT_FALSE(Sites.empty());
  std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  Workers Workers(2, Functions);
  std::thread Other([&] { Toggler(Sites, AllActions, 23).runUntil(End); });
  uint64_t Children = 0;
  while ((!Children || std::chrono::steady_clock::now() < End) &&
         !HasFailure() && !Faults::count()) {
    const pid_t Child = fork();
    if (Child == 0) {
      const int Step = childWork(Sites, Functions, Children * 2 + 1);
      if (Step)
        fprintf(stderr, "child: %s\n", Faults::first());
      _exit(Step);
    }
    ASSERT_GT(Child, 0);
    int Ended = 0;
    ASSERT_EQ(waitpid(Child, &Ended, 0), Child);
    EXPECT_TRUE(WIFEXITED(Ended))
        << "child " << Children << " died of signal " << WTERMSIG(Ended);
    if (WIFEXITED(Ended)) {
      EXPECT_EQ(WEXITSTATUS(Ended), 0)
          << "the step of childWork, in child " << Children;
    }
    ++Children;
  }
  Other.join();
  Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  printf("%lu children\n", static_cast<unsigned long>(Children));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Fork, testing::ValuesIn(Groups), nameOfGroup);

} // namespace
