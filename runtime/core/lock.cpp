// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's lock; see lock.h.
#include "core/lock.h"
#include "core/os.h"
#include "core/threads.h"

namespace tprt {

void takeLock() { takeMutex(); }
void giveLock() { giveMutex(); }
bool tryLock() { return tryMutex(); }

static bool isBroken;

Lock::Lock() {
  noticeProcess(true);
  takeLock();
}
Lock::~Lock() { giveLock(); }

// If the lock was held by a thread that does not exist in this copy of the
// process, whatever that thread was changing may be half changed.
void renewLock() {
  if (!renewMutex())
    isBroken = true;
}
bool isUsable() { return !isBroken; }

} // namespace tprt
