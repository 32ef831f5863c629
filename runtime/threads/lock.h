// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's one lock. It protects modules, sites, stubs and probes.
#ifndef TPRT_THREADS_LOCK_H
#define TPRT_THREADS_LOCK_H

#include "base/cancel.h"

namespace tprt {

// The loader's lock comes before this one. So a thread that has this lock does
// not call the loader. Nor does it call the program's allocator: another thread
// may have the allocator's lock and wait for this one in fork().
struct Lock {
  Lock();
  ~Lock();

private:
  CancelDisabled uncancelled; // lives longer than the lock is held
};
// Takes and releases the lock without a Lock object: around a fork, and in a
// walk of the loader.
void takeLock();
void giveLock();
// Whether the calling thread has the lock. It has the lock, for example, if it
// forks in a signal handler that interrupted it inside libtprt.
bool hasLock();
// False: another thread has the lock. tryLock() and giveLock() are
// async-signal-safe.
bool tryLock();
// Called in a copy of this process that fork() did not make, before any other
// use of the lock.
void renewLock();
// False: when this copy of the process was made, another thread was changing
// what the lock protects. The copy continues to run, but no call of libtprt has
// an effect in it.
bool isUsable();
constexpr char kUnusable[] =
    "this process was made by a bare clone() or _Fork() while another thread "
    "was inside libtprt: nothing can be attached or detached here";

} // namespace tprt

#endif
