// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock.h.
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

// Where a thread that is not here had the lock: whatever it was about to change
// may be half changed.
void renewLock() {
  if (!renewMutex())
    isBroken = true;
}
bool isUsable() { return !isBroken; }

} // namespace tprt
