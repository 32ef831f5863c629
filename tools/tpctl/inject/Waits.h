// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Knows in which system calls a thread can be stopped so that the call
// continues undisturbed.

#ifndef TPCTL_INJECT_WAITS_H
#define TPCTL_INJECT_WAITS_H

#include "Image.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace tpctl {

/// The effect of a stop on a waiting system call.
enum class Wait {
  Unsuitable, ///< It would return early, or it is not known.
  GoesOn,     ///< The kernel lets it go on, and a time limit stays as it is.
  /// It has no time limit, but it would return EINTR, so it is restarted.
  Repeats,
  /// The same, but with a time limit, which starts again.
  RepeatsWithLimit,
  None ///< The thread is in no system call: it computes.
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

/// `Alien` says that the allocator is not the C library's. Then it may wait in
/// more ways.
Wait waitOf(pid_t Pid, const CallOfThread &Call, CLibrary Kind, bool Alien);

} // namespace tpctl

#endif
