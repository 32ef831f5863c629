// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's one lock. What protects modules, sites, stubs and probes.
#ifndef TPRT_CORE_LOCK_H
#define TPRT_CORE_LOCK_H

#include "core/cancel.h"

namespace tprt {

// The loader's lock comes before this one: whoever has this one neither calls
// the loader nor allocates from the program's allocator, whose lock another
// thread may have that waits for this one in fork().
struct Lock {
  Lock();
  ~Lock();

private:
  CancelDisabled uncancelled; // lasts longer than the lock is held
};
// The same by hand: around a fork, and in a walk of the loader.
void takeLock();
void giveLock();
// False: a thread has it. Async-signal-safe, as giveLock() is.
bool tryLock();
// In a copy of this process that fork() did not make, before any other use of
// the lock.
void renewLock();
// False: when the copy was made another thread was changing what the lock
// protects. Such a copy runs on as it is, but no call can do anything there.
bool isUsable();
constexpr char kUnusable[] =
    "this process was made by a bare clone() or _Fork() while another thread "
    "was inside libtprt: nothing can be attached or detached here";

} // namespace tprt

#endif
