// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which system calls a thread can be stopped in, so that the call afterwards
// continues as if nothing had been.

#ifndef TPCTL_INJECT_WAITS_H
#define TPCTL_INJECT_WAITS_H

#include "Image.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace tpctl {

/// What a stop means for a system call that waits.
enum class Wait {
  Unsuitable, ///< It would return early, or it is not known.
  GoesOn,     ///< The kernel lets it go on, and a time limit stays as it is.
  /// It has no time limit, but it would return EINTR. It is begun again.
  Repeats,
  /// The same, but with a time limit, which begins anew.
  RepeatsWithLimit,
  None ///< The thread is in no system call: it computes.
};

/// A thread's system call, from /proc/PID/task/TID/syscall.
struct CallOfThread {
  uint64_t Number, Arguments[6], Stack, Place;
};
/// nullopt: the thread runs, or waits outside of a system call.
std::optional<CallOfThread> callOf(pid_t Pid, pid_t Thread, int &Code);

/// How long a thread has run, outside of the kernel and in it, in ticks.
struct ThreadTimes {
  uint64_t Outside = 0, InKernel = 0;
};
ThreadTimes timesOf(pid_t Pid, pid_t Thread);

/// `Alien`: the allocator is not the C library's. It may wait in ways that the
/// C library's does not.
Wait waitOf(pid_t Pid, const CallOfThread &Call, CLibrary Kind, bool Alien);

} // namespace tpctl

#endif
