// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Toggles while timer signals interrupt the threads at any instruction,
// including stubs and handlers. The signal handler itself calls instrumented
// functions.
#include "workers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/time.h>

using namespace stress;

namespace {

std::atomic<uint64_t> SignalCount; // relaxed, because it is read after the
                                   // timers are off

void onTimer(int) {
  const int Saved = errno;
  const uint64_t Number = SignalCount.fetch_add(1, std::memory_order_relaxed);
  Caller Caller(Number * 0x9e3779b97f4a7c15u);
  std::span<const StressFunction> All = functions();
  for (int I = 0; I < 3; ++I) {
    const StressFunction &Function = All[Caller.random(All.size())];
    if (canCall(Function))
      Caller.call(Function);
  }
  errno = Saved;
}

class Timers {
public:
  Timers() {
    struct sigaction Action = {};
    Action.sa_handler = onTimer;
    Action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &Action, nullptr);
    sigaction(SIGALRM, &Action, nullptr);
    set(1700, 930);
  }
  // The handlers remain installed: under qemu a signal may still be pending.
  ~Timers() { set(0, 0); }

private:
  static void set(suseconds_t Profile, suseconds_t Alarm) {
    itimerval Value = {{0, Profile}, {0, Profile}};
    setitimer(ITIMER_PROF, &Value, nullptr);
    Value = {{0, Alarm}, {0, Alarm}};
    setitimer(ITIMER_REAL, &Value, nullptr);
  }
};

class Signals : public testing::TestWithParam<Group> {};

TEST_P(Signals, InterruptAnywhere) {
  Faults::reset();
  SignalCount = 0;
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  ASSERT_FALSE(Sites.empty());
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  {
    Workers Workers(3, functionsAt(functions(), Sites));
    Timers Timers;
    Toggler(Sites, AllActions, 11).runUntil(End);
  }
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  EXPECT_GT(SignalCount.load(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Signals, testing::ValuesIn(Groups),
                         nameOfGroup);

} // namespace
