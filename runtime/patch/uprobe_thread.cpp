// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread tprt-watch; see uprobe_thread.h.
#include "patch/uprobe_thread.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "code/code_modules.h"
#include "hits/hit.h"
#include "patch/uprobe_yield.h"
#include "text/pun_islands.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <errno.h>

namespace tprt {

// How long the thread keeps running while no site needs it, and how often it
// checks whether the program has ended.
static constexpr uint64_t kIdleNs = 1'000'000'000, kEndNs = 200'000'000;

bool startsWatch = true;

// processGeneration of the process that has the thread, plus one; 0 if no
// process has the thread. Written under the lock.
static uint32_t watchedFor;

// Since when no site that needs the thread was on; 0 if such a site is on. And
// the time of the last hasProgramEnded().
static uint64_t idleSince, askedAt;

// Whether all of the program's threads have ended. A process ends when the last
// thread known to the C library ends, so this thread must then end, too.
static bool hasProgramEnded(uint64_t now) {
  if (now - askedAt < kEndNs)
    return false;
  askedAt = now;
  followProcessIfLess();
  return areLastThreads(1);
}

// processGeneration of the process, plus one, in which another thread checks
// for breakpoints in place of tprt-watch; 0 if there is none. Written under the
// lock.
static uint32_t hostedFor;
static void (*wakeHost)();

static bool isHosted() {
  return __atomic_load_n(&hostedFor, __ATOMIC_ACQUIRE) == processGeneration + 1;
}

// Returns how many nanoseconds the thread may sleep, or 0 if it must end.
static uint64_t watchOnce(bool &isLast) {
  Lock lock;
  if (isHosted()) {
    __atomic_store_n(&watchedFor, 0, __ATOMIC_RELAXED);
    return 0;
  }
  uint64_t pause = yieldIfDue(), now = nanoseconds();
  if (mayNeedYield()) {
    idleSince = 0;
  } else {
    idleSince = idleSince ? idleSince : now;
    pause = kYieldPauseNs;
  }
  isLast = hasProgramEnded(now);
  if (!isLast && !(idleSince && now - idleSince >= kIdleNs))
    return pause;
  __atomic_store_n(&watchedFor, 0, __ATOMIC_RELAXED);
  return 0;
}

// The thread has the same priority as the program's threads. The thread uses at
// most about a hundredth of a processor. With a lower priority, the thread
// might check too late in a busy program, and the program might crash.
static void watch() {
  hideThread(true);
  nameThread("tprt-watch");
  bool isLast = false;
  while (uint64_t pause = watchOnce(isLast))
    sleepFor(pause);
  if (isLast)
    hideThread(false); // runs the program's exit handlers
}

// Whether the caller must start the thread. In a child of fork(), a check finds
// out whether any site still needs the thread: a detach may have turned off the
// last such site. `may` is set if no filter of system calls would end the
// process for a new thread.
static bool beginWatch(bool &may) {
  Lock lock;
  if (watchedFor == processGeneration + 1 || isHosted() || !isUsable())
    return false;
  if (watchedFor)
    yieldToBreakpoints();
  // A child of vfork() shares its parent's memory. A thread of the child would
  // belong to the wrong process.
  if (!mayNeedYield() || !knownThreadId())
    return false;
  beginTrials();
  if ((may = mayStartThreads())) {
    idleSince = askedAt = 0;
    __atomic_store_n(&watchedFor, processGeneration + 1, __ATOMIC_RELAXED);
  }
  return true;
}

static bool isWatched() {
  return __atomic_load_n(&watchedFor, __ATOMIC_RELAXED) ==
         processGeneration + 1;
}

static void sayThatNoneStarts(int error) {
  static bool said;
  if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
    return;
  say(1,
      "the thread that looks for uprobes at functions without sleds cannot be "
      "started: %s; a uprobe that comes and goes while a probe is on may crash "
      "the program, and TPRT_OPTIONS=uprobes=1 keeps it from that",
      error == EAGAIN ? "a limit on threads or memory is reached"
                      : "the system refused");
}

void keepWatch() {
  bool may = false;
  if (!startsWatch || !mayNeedYield() || oneByte == OneByte::Never)
    return;
  if (isHosted())
    return wakeHost();
  if (isWatched() || !beginWatch(may))
    return;
  if (!may)
    return sayThatNoneStarts(EPERM);
  if (startThread(watch, nullptr))
    return;
  int error = errno;
  {
    Lock lock;
    __atomic_store_n(&watchedFor, 0, __ATOMIC_RELAXED);
  }
  sayThatNoneStarts(error);
}

void hostWatch(void (*wake)()) {
  Lock lock;
  wakeHost = wake;
  __atomic_store_n(&hostedFor, processGeneration + 1, __ATOMIC_RELEASE);
}

uint64_t lookAsHost() {
  if (!mayNeedYield() || oneByte == OneByte::Never)
    return 0;
  hideThread(true);
  uint64_t pause;
  {
    Lock lock;
    pause = yieldIfDue();
  }
  hideThread(false);
  return mayNeedYield() ? pause : 0;
}

void endHosting() {
  {
    Lock lock;
    __atomic_store_n(&hostedFor, 0, __ATOMIC_RELEASE);
  }
  keepWatch();
}

} // namespace tprt
