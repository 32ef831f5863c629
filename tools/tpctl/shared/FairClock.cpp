// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FairClock.h, and "schedstat" in proc_pid_schedstat(5) and the kernel's
// Documentation/scheduler/sched-stats.rst.

#include "FairClock.h"

#include "Processes.h"
#include "llvm/ADT/Twine.h"
#include <fstream>

using namespace llvm;
using std::chrono::nanoseconds;

namespace tpctl {

/// Shorter intervals would cost too much for the little more that they show.
static constexpr auto LookPause = std::chrono::milliseconds(50);

ProcessorTimes processorTimesOf(pid_t Pid, pid_t Thread) {
  std::ifstream In(
      ("/proc/" + Twine(Pid) + "/task/" + Twine(Thread) + "/schedstat").str());
  long long Ran = 0, Waited = 0;
  if (!(In >> Ran >> Waited))
    return {};
  return {nanoseconds(Ran), nanoseconds(Waited)};
}

nanoseconds longestWait(const ThreadsTimes &Before, const ThreadsTimes &Now,
                        nanoseconds Passed,
                        function_ref<bool(pid_t)> WantsToRun) {
  nanoseconds Longest{0};
  for (const auto &[Thread, Times] : Now) {
    auto Found = Before.find(Thread);
    if (Found == Before.end())
      continue;
    bool Waits = Times == Found->second && WantsToRun(Thread);
    Longest =
        std::max(Longest, Waits ? Passed : Times.Waited - Found->second.Waited);
  }
  return std::min(Longest, Passed);
}

FairClock::FairClock(pid_t Pid)
    : Pid(Pid), Threads(look()), Last(Steady::now()) {}

ThreadsTimes FairClock::look() const {
  ThreadsTimes Found;
  for (pid_t Thread : threadsOf(Pid))
    Found[Thread] = processorTimesOf(Pid, Thread);
  return Found;
}

nanoseconds FairClock::elapsed() {
  auto Now = Steady::now();
  if (Now - Last < LookPause)
    return Sum;
  nanoseconds Passed = Now - std::exchange(Last, Now);
  ThreadsTimes Before = std::exchange(Threads, look());
  return Sum += Passed - longestWait(Before, Threads, Passed, [](pid_t Thread) {
                  return stateOf(Thread) == 'R';
                });
}

} // namespace tpctl
