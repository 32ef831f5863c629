// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens when the library is loaded, and around a fork: both in the
// thread that does so.
#include "core/start.h"
#include "core/lock.h"
#include "core/os.h"
#include "core/part.h"
#include "core/query.h"
#include "core/threads.h"

namespace tprt {

// Of the thread that forks, which is not cancelled where it waits here: fork()
// is no cancellation point.
static int cancelStateAtFork;

static void beforeFork() {
  int state = disableCancel();
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
  restoreCancel(state);
}

// The lock was taken by this very thread, so its state in the child is whole.
// The other threads are gone, and with them their stays in handlers.
static void afterForkInChild() {
  endFork(true);
  registerBarrier();
  int state = cancelStateAtFork;
  giveLock();
  resumeWalksInChild();
  restoreCancel(state);
}

// Registration takes microseconds now, milliseconds once there are threads. Its
// failure is reported where it matters: by the first attach.
__attribute__((constructor)) static void start() {
  registerBarrier();
  rememberStandardError();
  startThreads();
  startVisits();
  watchForks(beforeFork, afterForkInParent, afterForkInChild);
  for (const Part *const *part = parts; *part; ++part)
    if ((*part)->start)
      (*part)->start();
}

void requireStart() {}

} // namespace tprt
