// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A clock for waiting for another process. The clock does not count the time in
// which a thread of that process waits for a processor. On a busy machine, this
// may be most of the time, and does not depend on what the process does. Not
// thread-safe.

#ifndef TPCTL_FAIRCLOCK_H
#define TPCTL_FAIRCLOCK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <map>
#include <sys/types.h>

namespace tpctl {

/// The processor time that the kernel gave a thread.
struct ProcessorTimes {
  std::chrono::nanoseconds Ran{0};
  std::chrono::nanoseconds Waited{0}; ///< until it last ran
  bool operator==(const ProcessorTimes &) const = default;
};
/// Zero if the kernel does not record such times, or the thread has ended.
ProcessorTimes processorTimesOf(pid_t Pid, pid_t Thread);

using ThreadsTimes = std::map<pid_t, ProcessorTimes>;
/// The longest time that one of the threads has waited for a processor between
/// two checks, at most the time between the checks. The kernel adds a wait to
/// the sum only when the wait is over. So for threads that have not run since
/// then, the clock checks whether they are ready to run.
std::chrono::nanoseconds
longestWait(const ThreadsTimes &Before, const ThreadsTimes &Now,
            std::chrono::nanoseconds Passed,
            llvm::function_ref<bool(pid_t)> WantsToRun);

class FairClock {
public:
  explicit FairClock(pid_t Pid);
  /// The time since the clock was created, without the time in which the
  /// process waited for a processor. The threads are checked at most every 50
  /// ms.
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
