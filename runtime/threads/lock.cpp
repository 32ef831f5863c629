// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's lock; see lock.h.
#include "threads/lock.h"
#include "base/os_thread.h"
#include "threads/thread_block.h"

namespace tprt {

// How many times this thread holds the lock or waits for it. The number is
// raised before the lock is acquired, and lowered after the lock is released.
// So if a signal handler sees zero, the thread does not hold the lock.
static constinit thread_local uint32_t asked;
// The thread that holds the lock. 0 means that no thread holds the lock, or
// that the holder has not stored its id yet.
static uint64_t holder;

static void noteHolder(uint64_t thread) {
  __atomic_store_n(&holder, thread, __ATOMIC_RELAXED);
}

void takeLock() {
  ++asked;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  takeMutex();
  noteHolder(thisThread());
}

void giveLock() {
  noteHolder(0);
  giveMutex();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  --asked;
}

bool tryLock() {
  ++asked;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool taken = tryMutex();
  if (taken)
    noteHolder(thisThread());
  else
    --asked;
  return taken;
}

// A thread stores its id right after it has acquired the lock. So if no holder
// is stored for a long time, this thread itself was interrupted between the two
// steps.
bool hasLock() {
  constexpr unsigned kLong = 20000;
  constexpr uint64_t kPause = 50000; // nanoseconds; at least a second in total
  for (unsigned round = 0; asked && round < kLong; ++round) {
    uint64_t thread = __atomic_load_n(&holder, __ATOMIC_RELAXED);
    if (thread)
      return thread == thisThread();
    if (tryLock()) {
      giveLock();
      return false;
    }
    sleepFor(kPause);
  }
  return asked;
}

static bool isBroken;

Lock::Lock() {
  noticeProcess(true);
  takeLock();
}
Lock::~Lock() { giveLock(); }

// The lock may have been held by a thread that does not exist in this copy of
// the process. The data that this thread was changing may then be inconsistent.
void renewLock() {
  if (!renewMutex())
    isBroken = true;
}
bool isUsable() { return !isBroken; }

} // namespace tprt
