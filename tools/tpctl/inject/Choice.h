// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the thread of the target that makes the new thread.
//
// pthread_create allocates memory. So the thread must not be inside the
// allocator or the loader, which may hold locks or be half-way through a
// change. A thread that waits in a system call is not in the C library's
// allocator, except
// - in a futex that is one of the C library's own locks, or
// - in a handler of a signal that has interrupted the allocator.
// Both are looked for, and so is a lock of the loader.
//
// Also, the wait must go on as if nothing had been: see waitOf() in Waits.h.
//
// If no thread waits so, one that computes is stopped. It is not inside the
// allocator if it is in other code than the C library's and the loader's:
// from glibc 2.34 on, and in musl, the allocator calls no code of the program
// (its hooks are gone). malloc_stats() alone prints with a lock of the heap
// taken, to what may be a stream of the program's own: pthread_create() waits
// for that lock then, and is given up. Again there may be a handler of a
// signal, or a lock of the loader. And the thread must not be inside a
// restartable sequence (rseq(2)), which would not begin again.

#ifndef TPCTL_INJECT_CHOICE_H
#define TPCTL_INJECT_CHOICE_H

#include "Image.h"
#include "Tracee.h"

namespace tpctl {

/// Stops a suitable thread. Tries until `Deadline`, while the process runs. The
/// error says what the threads do instead.
llvm::Expected<std::unique_ptr<Tracee>>
chooseThread(const Image &Target, Clock::time_point Deadline);

} // namespace tpctl

#endif
