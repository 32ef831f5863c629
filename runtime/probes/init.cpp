// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs when the library is loaded, and around a fork, on the thread that loads
// the library or forks.
#include "probes/init.h"
#include "base/os_file.h"
#include "base/os_process.h"
#include "base/os_text.h"
#include "base/os_thread.h"
#include "patch/uprobe_yield.h"
#include "probes/query.h"
#include "threads/component.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

namespace tprt {

// The cancellation state of the thread that forks. That thread is not cancelled
// while it waits here, because fork() is not a cancellation point.
static int cancelStateAtFork;
// How many forks of this thread that are in progress found that the thread
// already had the lock. That happens if a signal handler forks after it has
// interrupted its thread under the lock: in a call, or in another fork between
// the functions below. In the child, too, the thread continues its interrupted
// work.
static unsigned innerForks;

static void beforeFork() {
  int state = disableCancel();
  noticeProcess(true);
  const bool has = hasLock();
  holdWalks(has);
  if (has) {
    ++innerForks; // the thread is not cancelled while it has the lock
  } else {
    takeLock();
    cancelStateAtFork = state;
    // A uprobe may be for this process only. In the child, the kernel removes
    // such a uprobe at its first hit, and libtprt cannot act in between.
    if (mayNeedYield())
      yieldToBreakpoints();
  }
  beginFork();
}

static void afterForkInParent() {
  endFork(false);
  if (innerForks) {
    --innerForks;
    return resumeWalks();
  }
  int state = cancelStateAtFork;
  giveLock();
  resumeWalks();
  restoreCancel(state);
}

// This thread itself has the lock, so the data that the lock protects is
// consistent in the child. The other threads are gone, and so are their
// critical sections.
static void afterForkInChild() {
  endFork(true);
  registerBarrier();
  if (innerForks) {
    --innerForks;
    MemoryFile::reopenInChild();
    return resumeWalksInChild();
  }
  int state = cancelStateAtFork;
  giveLock();
  resumeWalksInChild();
  restoreCancel(state);
}

// Registering for the barrier takes microseconds now, and milliseconds once
// there are threads. If the registration fails, the first attach reports that.
__attribute__((constructor)) static void start() {
  registerBarrier();
  rememberStandardError();
  startThreads();
  startVisits();
  watchForks(beforeFork, afterForkInParent, afterForkInChild);
  for (const Component *const *component = components; *component; ++component)
    if ((*component)->start)
      (*component)->start();
}

void requireStart() {}

} // namespace tprt
