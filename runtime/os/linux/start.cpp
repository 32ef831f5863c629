// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when the library is loaded, and around a fork.
#include "core/probe.h"
#include "core/threads.h"
#include "os/linux/barrier.h"
#include "os/linux/loader.h"

#include <pthread.h>

namespace tprt {

static void beforeFork() {
  lockWalk();
  lockForFork();
}

static void afterForkInParent() {
  unlockAfterFork();
  unlockWalk();
}

// The locks were taken by this very thread, so their state in the child is
// whole. The other threads are gone, and with them their stays in handlers.
static void afterForkInChild() {
  forgetOtherThreads();
  registerBarrier();
  unlockAfterFork();
  unlockWalk();
}

// Registration takes microseconds now, milliseconds once there are threads. Its
// failure is reported where it matters: by the first attach.
__attribute__((constructor)) static void start() {
  registerBarrier();
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  startOptions();
}

void requireStart() {}

} // namespace tprt
