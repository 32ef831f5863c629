// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's only lock. The lock protects modules, sites, stubs and probes.
#ifndef TPRT_THREADS_LOCK_H
#define TPRT_THREADS_LOCK_H

#include "base/cancel.h"

namespace tprt {

// The loader's lock must be acquired before this lock. So a thread that holds
// this lock does not call the loader. Such a thread also does not call the
// program's allocator: another thread may hold the allocator's lock and wait
// for this lock in fork().
struct Lock {
  Lock();
  ~Lock();

private:
  CancelDisabled uncancelled; // outlives the lock
};
// Acquire and release the lock without a Lock object: around a fork, and in a
// walk of the loader.
void takeLock();
void giveLock();
// Whether the calling thread holds the lock. For example, it does if it forks
// in a signal handler that interrupted libtprt.
bool hasLock();
// Returns false if another thread holds the lock. tryLock() and giveLock() are
// async-signal-safe.
bool tryLock();
// Called in a copy of this process that fork() did not make, before any other
// use of the lock.
void renewLock();
// Returns false if another thread was changing the protected data when this
// copy of the process was made. The copy continues to run, but calls of libtprt
// have no effect in it.
bool isUsable();
constexpr char kUnusable[] =
    "this process was made by a bare clone() or _Fork() while another thread "
    "was inside libtprt: nothing can be attached or detached here";

} // namespace tprt

#endif
