// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the thread of the target that will create the new thread.
//
// pthread_create allocates memory. So the thread must not be inside the
// allocator or the loader, where it may hold a lock or be in the middle of a
// change. A thread that waits in a system call is not in the C library's
// allocator, except
// - in a futex that is one of the C library's own locks, or
// - in a handler of a signal that has interrupted the allocator. Both are
//   checked, and so are the loader's locks.
//
// Also, the stop must not disturb the wait: see waitOf() in Waits.h.
//
// If no thread waits in such a call, a computing thread is stopped. It is
// outside the allocator if it is outside the C library and the loader: in musl,
// and since glibc 2.34, the allocator calls no code of the program. Before, it
// holds no lock when it calls its usual hooks, and a program that has set the
// others counts as one with its own allocator. The only exception is
// malloc_stats(), which holds a lock of the
// heap while it prints, perhaps to a stream that the program implements. Then
// pthread_create() waits for that lock, and tpctl gives up the attempt. Signal
// handlers and the loader's locks are checked here, too. Also, the thread must
// not be inside a restartable sequence (rseq(2)), because the sequence would
// not be restarted.

#ifndef TPCTL_INJECT_CHOICE_H
#define TPCTL_INJECT_CHOICE_H

#include "Image.h"
#include "Tracee.h"

namespace tpctl {

/// Stops a suitable thread. Tries until `Deadline`. The process keeps running.
/// The error reports what the threads are doing instead.
llvm::Expected<std::unique_ptr<Tracee>>
chooseThread(const Image &Target, Clock::time_point Deadline);

} // namespace tpctl

#endif
