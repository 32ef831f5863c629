// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread blocks; see threads.h. Most of this runs inside a hit, possibly in a
// signal handler: it takes no lock, and its only system calls are mmap, gettid,
// tgkill, sigaltstack and rt_sigprocmask.
#include "core/threads.h"
#include "core/arch.h"
#include "core/chain.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/sites.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// What stands for a block where there is none.
static constexpr tprt::Thread standIn(uint64_t guard) {
  tprt::Thread thread{};
  thread.guard = guard;
  return thread;
}

// Of threads that have no block: its guard sends each hit the slow way.
static tprt::Thread nobody = standIn(1);

// Of threads that are about to get theirs. What the C library calls meanwhile
// may be traced, too: such a hit is taken for one inside a handler.
static tprt::Thread registering = standIn(UINT64_MAX);

extern "C" {
// Read by trampolines and by counting code.
__attribute__((visibility("hidden"),
               used)) thread_local tprt::Thread *__tprt_self = &nobody;
__attribute__((visibility("hidden"),
               used)) thread_local uint64_t __tprt_counters = 0;
__attribute__((visibility("hidden"),
               used)) thread_local uint64_t __tprt_first_counter = 0;
}

namespace tprt {

static Thread
    *threads; // append-only; published with release, read with acquire
static uint64_t *sharedCounters; // for threads that got none of their own;
                                 // added to atomically
static pthread_key_t endKey;
static bool haveEndKey;

// An owner that no thread is.
static constexpr int32_t kEnding = -1;

static int32_t threadId() { return static_cast<int32_t>(syscall(SYS_gettid)); }

static bool hasEnded(int32_t owner) {
  return syscall(SYS_tgkill, getpid(), owner, 0) != 0 && errno == ESRCH;
}

static void release(Thread *thread) {
  __atomic_store_n(&thread->guard, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&thread->owner, 0, __ATOMIC_RELEASE);
}

// pthread key destructor. A hit in a later destructor claims a block again, and
// sets the key again, so that this is called again. So does one in a signal
// handler that comes in between, which must not find this block: neither still
// this thread's by its owner nor already free.
static void endThread(void *block) {
  auto *thread = static_cast<Thread *>(block);
  __atomic_store_n(&thread->owner, kEnding, __ATOMIC_RELAXED);
  __tprt_counters = __tprt_first_counter = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __tprt_self = &nobody;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  release(thread);
}

void forgetCalls(unsigned slot) {
  for (Thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (OpenCalls *open = t->open[slot])
      open->count = 0;
}

void disownCalls(unsigned slot, uint64_t stack) {
  for (Thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (OpenCalls *open = t->open[slot])
      for (uint32_t i = 0; i < __atomic_load_n(&open->count, __ATOMIC_RELAXED);
           ++i) {
        // Its thread may push and pop meanwhile, but nothing at `stack`.
        uint64_t own = stack;
        __atomic_compare_exchange_n(&open->calls[i].stack, &own, 0, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      }
}

static bool claim(Thread *thread, int32_t from, int32_t self) {
  return __atomic_compare_exchange_n(&thread->owner, &from, self, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static Thread *claimEnded(int32_t self) {
  for (Thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t;
       t = t->next) {
    int32_t owner = __atomic_load_n(&t->owner, __ATOMIC_ACQUIRE);
    // Our own id in a block that is not ours: its owner ended without the
    // destructor, and the kernel gave us its id.
    if ((owner == 0 || owner == self) && claim(t, owner, self))
      return t;
  }
  return nullptr;
}

static Thread *makeThread(int32_t self) {
  auto *thread =
      static_cast<Thread *>(allocatePages(roundToPages(sizeof(Thread))));
  if (!thread)
    return nullptr;
  thread->owner = self;
  thread->counters =
      static_cast<uint64_t *>(reservePages(kMaxSites * sizeof(uint64_t)));
  Thread *head = __atomic_load_n(&threads, __ATOMIC_RELAXED);
  do
    thread->next = head;
  while (!__atomic_compare_exchange_n(&threads, &head, thread, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return thread;
}

static Thread *claimBlock() {
  if (!reserveSites())
    return nullptr;
  int32_t self = threadId();
  Thread *thread = claimEnded(self);
  return thread ? thread : makeThread(self);
}

// For counting stubs, which add countWord(); and for the counting code of
// arch/aarch64, which adds a site's address over 4.
static void showCounters(const uint64_t *counters) {
  if (!counters)
    return;
  auto first = reinterpret_cast<uint64_t>(counters);
  __tprt_first_counter = first - kCountBias;
  __tprt_counters = first - reinterpret_cast<uint64_t>(sites) / 4;
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
}

SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static Thread *registerThread() {
  int savedErrno = errno;
  // No signal handler may claim a second block for this thread in between.
  SignalsBlocked blocked;
  Thread *thread = __tprt_self;
  if (thread == &nobody) {
    __tprt_self = &registering;
    if ((thread = claimBlock())) {
      thread->guard = 0;
      thread->errnoLocation = &errno;
      thread->sites = sites;
      thread->lastError[0] = 0;
      for (OpenCalls *open : thread->open)
        if (open)
          open->count = 0;
      if (haveEndKey)
        pthread_setspecific(endKey, thread);
      showCounters(thread->counters);
    }
    __tprt_self = thread ? thread : &nobody;
  }
  errno = savedErrno;
  return thread;
}

Thread *currentThread() {
  Thread *self = __tprt_self;
  return self != &nobody ? self : registerThread();
}

// Decides whether a frame at `guard` is still in use, seen from a hit at
// `here`. On one stack it is, as long as it lies above us; a longjmp, a throw
// or a pthread_exit out of the handler left it if it lies below. With one of
// the two on the alternate signal stack: a signal on that stack interrupts the
// normal one, never the reverse, so the mark on the normal stack stands while
// we are on the alternate one.
bool guardStands(uint64_t guard, uint64_t here) {
  guard &= ~uint64_t{1};
  stack_t alternate;
  if (sigaltstack(nullptr, &alternate) == 0 &&
      !(alternate.ss_flags & SS_DISABLE)) {
    auto low = reinterpret_cast<uint64_t>(alternate.ss_sp);
    bool guardOnIt = guard - low < alternate.ss_size;
    bool hereOnIt = here - low < alternate.ss_size;
    if (guardOnIt != hereOnIt)
      return hereOnIt;
  }
  return guard > here;
}

bool insideHandlerAt(uint64_t here) {
  Thread *self = __tprt_self;
  uint64_t guard = __atomic_load_n(&self->guard, __ATOMIC_RELAXED);
  return self != &nobody && guard && guardStands(guard, here);
}

uint64_t countHit(uint32_t site) {
  Thread *self = currentThread();
  if (!self || !self->counters)
    return __atomic_add_fetch(&sharedCounters[site], 1, __ATOMIC_RELAXED);
  // One instruction, so that a signal handler on this thread that counts the
  // same site loses nothing; no lock prefix, as no other thread writes here.
  return addOne(&self->counters[site]);
}

uint64_t sumCounters(uint32_t site) {
  uint64_t sum = sharedCounters
                     ? __atomic_load_n(&sharedCounters[site], __ATOMIC_RELAXED)
                     : 0;
  for (Thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (t->counters)
      sum += __atomic_load_n(&t->counters[site], __ATOMIC_RELAXED);
  return sum;
}

uint64_t sumMissed() {
  uint64_t sum = __atomic_load_n(&registering.missed, __ATOMIC_RELAXED);
  for (Thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
    sum += __atomic_load_n(&t->missed, __ATOMIC_RELAXED);
  return sum;
}

// One thread: waits until its stay in a handler, if any, has ended. The mark
// goes with that stay, as the thread stores 0 or a new position over it. (Were
// the thread to be in a later stay, at the same place and marked by another
// caller, at every look, this would wait for that one too.)
static bool waitForThread(Thread *thread, uint64_t deadline) {
  uint64_t stay = __atomic_load_n(&thread->guard, __ATOMIC_ACQUIRE);
  if (stay == 0)
    return true;
  uint64_t marked = stay | 1;
  if (stay != marked &&
      !__atomic_compare_exchange_n(&thread->guard, &stay, marked, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
      stay != marked)
    return true;
  for (unsigned round = 0;; ++round) {
    if (__atomic_load_n(&thread->guard, __ATOMIC_ACQUIRE) != marked)
      return true;
    if (round < 64) {
      sched_yield();
      continue;
    }
    int32_t owner = __atomic_load_n(&thread->owner, __ATOMIC_ACQUIRE);
    if (owner == 0 || hasEnded(owner))
      return true; // pthread_exit, or a raw exit, out of the handler
    if (nanoseconds() >= deadline)
      return false;
    timespec pause = {0, 50000};
    nanosleep(&pause, nullptr);
  }
}

bool waitForHandlers(int timeoutMs) {
  uint64_t deadline = timeoutMs < 0
                          ? UINT64_MAX
                          : nanoseconds() + uint64_t{1'000'000} * timeoutMs;
  for (Thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (t != __tprt_self && !waitForThread(t, deadline))
      return false;
  return true;
}

void forgetOtherThreads() {
  for (Thread *t = threads; t; t = t->next) {
    if (t == __tprt_self)
      t->owner = threadId();
    else
      release(t);
  }
}

void startThreads() {
  haveEndKey = pthread_key_create(&endKey, endThread) == 0;
}

bool initialiseThreads() {
  if (!sharedCounters)
    sharedCounters =
        static_cast<uint64_t *>(reservePages(kMaxSites * sizeof(uint64_t)));
  return sharedCounters != nullptr;
}

} // namespace tprt
