// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread tprt-watch; see uprobe_thread.h.
#include "patch/uprobe_thread.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "code/code_modules.h"
#include "patch/uprobe_yield.h"
#include "text/pun_islands.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <errno.h>

namespace tprt {

// For how long the thread waits for a site that needs it, and how often it sees
// whether the program has ended.
static constexpr uint64_t kIdleNs = 1'000'000'000, kEndNs = 200'000'000;

bool startsWatch = true;

// processGeneration of the process that has the thread, plus one; 0: none has
// it. Written under the lock.
static uint32_t watchedFor;

// The time since which no site was on that needs the thread; 0: one is on.
static uint64_t idleSince, askedAt;

// If the program's threads have all ended, the process ends with the last
// thread that the C library knows of, which must not be this one.
static bool hasProgramEnded(uint64_t now) {
  if (now - askedAt < kEndNs)
    return false;
  askedAt = now;
  followProcessIfLess();
  return areLastThreads(1);
}

// The thread that looks in place of the watch, in the process with that
// generation; 0: there is none. Written under the lock.
static uint32_t hostedFor;
static void (*wakeHost)();

static bool isHosted() {
  return __atomic_load_n(&hostedFor, __ATOMIC_ACQUIRE) == processGeneration + 1;
}

// Returns for how many nanoseconds the thread may sleep; 0: it is to end.
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

// The thread has the priority of the program's own. It takes about a hundredth
// of a processor at most. A thread that has to wait for a busy program to sleep
// would look too late, and then the program may crash.
static void watch() {
  hideThread(true);
  nameThread("tprt-watch");
  bool isLast = false;
  while (uint64_t pause = watchOnce(isLast))
    sleepFor(pause);
  if (isLast)
    hideThread(false); // it calls what the program does at its end
}

// Whether the caller is to start the thread. In a child of fork(), a look
// settles whether a site is still on that needs it: a detach may have taken the
// last one off. `may`: no filter of system calls ends the process for that.
static bool beginWatch(bool &may) {
  Lock lock;
  if (watchedFor == processGeneration + 1 || isHosted() || !isUsable())
    return false;
  if (watchedFor)
    yieldToBreakpoints();
  // In a process that shares the memory of another one, as a child of vfork()
  // does, the thread would be the wrong process's.
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
