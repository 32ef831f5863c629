// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides in which system calls a thread can be stopped without disturbing the
// call.

#ifndef TPCTL_INJECT_WAITS_H
#define TPCTL_INJECT_WAITS_H

#include "Image.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace tpctl {

/// How a stop affects a waiting system call.
enum class Wait {
  Unsuitable, ///< It would return early, or the effect is unknown.
  GoesOn,     ///< The kernel continues it with the same time limit.
  /// The wait has no time limit. The stop makes the call return EINTR, and the
  /// call is then restarted.
  Repeats,
  /// The same, but with a time limit, which starts again.
  RepeatsWithLimit,
  None ///< The thread computes, outside of system calls.
};

/// A thread's system call, from /proc/PID/task/TID/syscall.
struct CallOfThread {
  uint64_t Number, Arguments[6], Stack, Place;
};
/// nullopt if the thread is running, or waits outside a system call.
std::optional<CallOfThread> callOf(pid_t Pid, pid_t Thread, int &Code);

/// How long a thread has run, outside the kernel and inside it, in ticks.
struct ThreadTimes {
  uint64_t Outside = 0, InKernel = 0;
};
ThreadTimes timesOf(pid_t Pid, pid_t Thread);

/// `Alien` says that the allocator is not the C library's. Then the allocator
/// may wait in more kinds of calls.
Wait waitOf(pid_t Pid, const CallOfThread &Call, CLibrary Kind, bool Alien);

} // namespace tpctl

#endif
