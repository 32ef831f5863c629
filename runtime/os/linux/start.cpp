// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when the library is loaded, and around a fork.
#include "core/probe.h"
#include "core/threads.h"
#include "os/linux/barrier.h"
#include "os/linux/walk.h"

#include <pthread.h>

// What pthread_atfork is made of (Linux Standard Base, "libc").
// That comes from an object in libc_nonshared.a which, in some
// distributions, has no property notes and would take them from libtprt.so.
// Null in a library that is never unloaded.
extern "C" {
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
#ifdef __GLIBC__
int __register_atfork(void (*)(), void (*)(), void (*)(), void *);
#endif
}

namespace tprt {

// Of the thread that forks, which is not cancelled where it waits here: fork()
// is no cancellation point.
static int cancelStateAtFork;

static void beforeFork() {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  noticeProcess(true);
  holdWalks();
  takeLock();
  cancelStateAtFork = state;
  beginFork();
}

static void afterForkInParent() {
  endFork(false);
  int state = cancelStateAtFork;
  giveLock();
  resumeWalks();
  pthread_setcancelstate(state, nullptr);
}

// The lock was taken by this very thread, so its state in the child is whole.
// The other threads are gone, and with them their stays in handlers.
static void afterForkInChild() {
  endFork(true);
  registerBarrier();
  int state = cancelStateAtFork;
  giveLock();
  resumeWalksInChild();
  pthread_setcancelstate(state, nullptr);
}

// Registration takes microseconds now, milliseconds once there are threads. Its
// failure is reported where it matters: by the first attach.
__attribute__((constructor)) static void start() {
  registerBarrier();
  startThreads();
  startVisits();
#ifdef __GLIBC__
  __register_atfork(beforeFork, afterForkInParent, afterForkInChild,
                    &__dso_handle);
#else
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
#endif
  startOptions();
}

void requireStart() {}

} // namespace tprt
