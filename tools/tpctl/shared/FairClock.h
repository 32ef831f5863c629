// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A clock for waiting for another process. It does not count the time in which
// a thread of that process waits for a processor: on a busy machine that may
// be most of the time, and says nothing about what the process does. One
// thread uses it.

#ifndef TPCTL_FAIRCLOCK_H
#define TPCTL_FAIRCLOCK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <map>
#include <sys/types.h>

namespace tpctl {

/// What the kernel gave a thread of the processors.
struct ProcessorTimes {
  std::chrono::nanoseconds Ran{0};
  std::chrono::nanoseconds Waited{0}; ///< up to when it last ran
  bool operator==(const ProcessorTimes &) const = default;
};
/// Zero where the kernel keeps no such times, or the thread has ended.
ProcessorTimes processorTimesOf(pid_t Pid, pid_t Thread);

using ThreadsTimes = std::map<pid_t, ProcessorTimes>;
/// How long one of the threads has waited for a processor between two looks, at
/// most the time that passed. The kernel adds up a wait when it is over, so of
/// threads that have not run since it is asked whether they want to.
std::chrono::nanoseconds
longestWait(const ThreadsTimes &Before, const ThreadsTimes &Now,
            std::chrono::nanoseconds Passed,
            llvm::function_ref<bool(pid_t)> WantsToRun);

class FairClock {
public:
  explicit FairClock(pid_t Pid);
  /// The time since the clock was made, as the process has had it. The threads
  /// are looked at every 50 ms at most.
  std::chrono::nanoseconds elapsed();

private:
  using Steady = std::chrono::steady_clock;
  ThreadsTimes look() const;

  const pid_t Pid;
  ThreadsTimes Threads;
  Steady::time_point Last;
  std::chrono::nanoseconds Sum{0};
};

} // namespace tpctl

#endif
