// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread blocks; see thread_block.h. Most of this file runs inside hits,
// possibly in a signal handler, so it is async-signal-safe and uses no lock.
// The only system calls in this file are those for pages, and those that an
// attach found to be permitted (mayAsk()).
#include "threads/thread_block.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/os_text.h"
#include "base/os_thread.h"
#include "base/page_size.h"
#include "sites/site.h"
#include "threads/component.h"
#include "threads/lock.h"

#include <errno.h>

// A substitute for the block of a thread without a block.
static constexpr tprt::Thread placeholder(uint64_t guard) {
  tprt::Thread thread{};
  thread.guard = guard;
  return thread;
}

// The substitute for threads without a block. The substitute's guard leads each
// hit to the slow path.
static tprt::Thread nobody = placeholder(1);

// The substitute while a thread is getting its block. This calls functions of
// the C library, which may also be probed. Hits of these functions are not
// delivered.
static tprt::Thread registering = placeholder(UINT64_MAX);

extern "C" {
__attribute__((visibility("hidden"),
               used)) constinit thread_local tprt::Thread *__tprt_self =
    &nobody;
}

namespace tprt {

// All blocks. Append-only; published with release, read with acquire.
static Thread *threads;
static ThreadKey endKey;

// Values of Thread::owner other than the id of a thread.
static constexpr int32_t kFree = 0, kEnding = -1, kUnknown = -2;

uint32_t processGeneration;

Thread *firstThread() { return __atomic_load_n(&threads, __ATOMIC_ACQUIRE); }

// How many blocks are free, or were free when last counted. A hint.
static uint32_t freeBlocks;

// Forgets the last owner's critical sections: the guard, and all notes about
// earlier critical sections.
static void forgetSections(Thread *thread) {
  for (uint64_t &left : thread->left)
    __atomic_store_n(&left, 0, __ATOMIC_RELAXED);
  thread->leftMore = false;
  thread->readsActionList.end();
  __atomic_store_n(&thread->guard, 0, __ATOMIC_RELEASE);
}

static void release(Thread *thread) {
  forgetSections(thread);
  __atomic_store_n(&thread->owner, kFree, __ATOMIC_RELEASE);
  __atomic_fetch_add(&freeBlocks, 1, __ATOMIC_RELAXED);
}

// The destructor of the pthread key. A hit in a later destructor claims a block
// again. The claim sets the key again, so this destructor is called again. The
// same is true for a hit in a signal handler meanwhile. Such a hit must not
// find this block, either by its owner or as a free block.
//
// A hit after the last round of destructors also sets the key. The C library
// keeps the value with the thread's stack, and so calls this function for the
// next thread that gets the stack. By then, the block may belong to another
// thread.
static void endThread(void *block) {
  auto *thread = static_cast<Thread *>(block);
  if (thread != __tprt_self)
    return;
  __atomic_store_n(&thread->owner, kEnding, __ATOMIC_RELAXED);
  for (const Component *const *component = components; *component; ++component)
    if ((*component)->endThread)
      (*component)->endThread(thread->componentState + (*component)->stateAt);
  hideCounters();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __tprt_self = &nobody;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  leaveCounters(thread);
  release(thread);
}

// The key keeps its value; endThread() will see that the block has been
// released.
void leaveBlock() {
  if (Thread *self = knownThread())
    endThread(self);
}

bool isFree(const Thread *thread) {
  return __atomic_load_n(&thread->owner, __ATOMIC_SEQ_CST) == kFree;
}

bool hasEnded(const Thread *thread) {
  int32_t owner = __atomic_load_n(&thread->owner, __ATOMIC_ACQUIRE);
  return owner == kFree ||
         (owner > 0 && thread->generation == processGeneration &&
          hasThreadEnded(owner));
}

static bool claim(Thread *thread, int32_t from) {
  return __atomic_compare_exchange_n(&thread->owner, &from, kUnknown, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static Thread *claimFree() {
  if (!__atomic_load_n(&freeBlocks, __ATOMIC_RELAXED))
    return nullptr;
  uint32_t now = __atomic_load_n(&processGeneration, __ATOMIC_RELAXED);
  for (Thread *t = firstThread(); t; t = t->next) {
    if (__atomic_load_n(&t->owner, __ATOMIC_RELAXED) != kFree)
      continue;
    // The generation is stored before the claim; otherwise, releaseInherited()
    // might free the block again.
    __atomic_store_n(&t->generation, now, __ATOMIC_RELAXED);
    if (claim(t, kFree)) {
      __atomic_fetch_sub(&freeBlocks, 1, __ATOMIC_RELAXED);
      return t;
    }
  }
  return nullptr;
}

// Takes over the block of a thread that has ended. If a thread ends without the
// destructor, or has a hit after the destructor's last round, it abandons its
// block. A thread that needs a block checks a few blocks, in rotation. So
// abandoned blocks are found as fast as they appear, and the cost per hit is
// bounded. A block with the calling thread's own id is also abandoned: the
// kernel has reused the id.
static Thread *claimEnded(int32_t self) {
  constexpr unsigned kLooks = 8;
  static Thread *position;
  Thread *t = __atomic_load_n(&position, __ATOMIC_RELAXED);
  for (unsigned looks = 0; looks < kLooks; ++looks, t = t->next) {
    if (!t && !(t = firstThread()))
      return nullptr;
    int32_t owner = __atomic_load_n(&t->owner, __ATOMIC_ACQUIRE);
    if (owner > 0 && t->generation == processGeneration &&
        (owner == self || hasThreadEnded(owner)) && claim(t, owner)) {
      forgetSections(t);
      return t;
    }
  }
  __atomic_store_n(&position, t, __ATOMIC_RELAXED);
  return nullptr;
}

static Thread *makeThread() {
  auto *thread =
      static_cast<Thread *>(allocatePages(roundToPages(sizeof(Thread))));
  if (!thread)
    return nullptr;
  thread->owner = kUnknown;
  thread->generation = __atomic_load_n(&processGeneration, __ATOMIC_RELAXED);
  Thread *head = __atomic_load_n(&threads, __ATOMIC_RELAXED);
  do
    thread->next = head;
  while (!__atomic_compare_exchange_n(&threads, &head, thread, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return thread;
}

// The id is stored last, with release, so that hasEnded() reads the matching
// generation.
static void noteOwner(Thread *thread, int32_t self) {
  thread->generation = __atomic_load_n(&processGeneration, __ATOMIC_RELAXED);
  __atomic_store_n(&thread->owner, self ? self : kUnknown, __ATOMIC_RELEASE);
}

static Thread *claimBlock() {
  if (!reserveSites())
    return nullptr;
  int32_t self = knownThreadId();
  Thread *thread = claimFree();
  if (!thread)
    thread = claimEnded(self);
  if (!thread)
    thread = makeThread();
  if (thread)
    noteOwner(thread, self);
  return thread;
}

// If the system call is not permitted, the last known stack is used. With
// `disarms`, the kernel reports no alternate stack while one is in use.
static void lookForAlternateStack(Thread *self) {
  AlternateStack now;
  if (!readAlternateStack(now) || (!now.bytes && self->alternateDisarms))
    return;
  self->alternateLow = now.low;
  self->alternateBytes = now.bytes;
  self->alternateDisarms = now.disarms;
}

static Thread *claimForThisThread() {
  Thread *thread = __tprt_self;
  if (thread != &nobody)
    return thread;
  __tprt_self = &registering;
  if ((thread = claimBlock())) {
    thread->errnoLocation = programErrno();
    thread->sites = sites;
    thread->lastError[0] = 0;
    thread->alternateDisarms = false;
    lookForAlternateStack(thread);
    thread->stack = ownStack(thread->owner);
    thread->growing.end();
    thread->growthTries = 0;
    forgetHits(thread->numbers);
    for (const Component *const *component = components; *component;
         ++component)
      if ((*component)->beginThread)
        (*component)
            ->beginThread(thread->componentState + (*component)->stateAt);
    setThreadValue(endKey, thread);
    takeCounters(thread);
  }
  __tprt_self = thread ? thread : &nobody;
  return thread;
}

static Thread *registerThread() {
  int savedErrno = errno;
  Thread *thread;
  // While this runs, no hit in a signal handler may be left by siglongjmp.
  if (mayAsk(HitCall::SignalMask)) {
    SignalsBlocked blocked;
    thread = claimForThisThread();
  } else {
    thread = claimForThisThread();
  }
  errno = savedErrno;
  return thread;
}

KeptErrno::KeptErrno()
    : place(__tprt_self->owner ? __tprt_self->errnoLocation : programErrno()),
      saved(*place), own(errno) {}

KeptErrno::~KeptErrno() {
  *place = saved;
  errno = own;
}

Thread *knownThread() {
  Thread *self = __tprt_self;
  return self == &nobody || self == &registering ? nullptr : self;
}

int32_t ownerInHit() { return __tprt_self->owner; }

int32_t idInHit() {
  const Thread *self = __tprt_self;
  return self->owner > 0 &&
                 self->generation ==
                     __atomic_load_n(&processGeneration, __ATOMIC_ACQUIRE)
             ? self->owner
             : 0;
}

Thread *currentThread() {
  Thread *self = __tprt_self;
  if (self == &nobody)
    return registerThread();
  return self == &registering ? nullptr : self;
}

// In a copy of the address space: releases all inherited blocks, except the
// calling thread's own block, if it has one.
static void releaseInherited(const Thread *self) {
  uint32_t now = __atomic_load_n(&processGeneration, __ATOMIC_ACQUIRE);
  for (Thread *t = firstThread(); t; t = t->next)
    if (t != self && t->generation != now && t->owner != kFree)
      release(t);
}

// In a copy of the address space, the calling thread finds the block that it
// had before. So this thread has made the copy. All other blocks in the copy
// belong to threads that do not exist in this process.
static void adopt(Thread *self) {
  bool isInherited =
      self->generation != __atomic_load_n(&processGeneration, __ATOMIC_ACQUIRE);
  noteOwner(self, knownThreadId());
  if (isInherited) {
    renumberCounters(self);
    releaseInherited(self);
  }
}

// The same for a thread that had no block when it made the copy. The thread has
// made the copy if its id is equal to the process's id.
static uint32_t adoptedGeneration; // the last generation that was handled
static void adoptWithoutBlock(const Thread *self) {
  uint32_t now = __atomic_load_n(&processGeneration, __ATOMIC_ACQUIRE);
  if (adoptedGeneration == now || knownThreadId() != processId())
    return;
  adoptedGeneration = now;
  releaseInherited(self);
}

// How many hits in threads without a block are reading an action list now.
static uint32_t readers;

static uint64_t forker;
static uint32_t forksUnderWay; // the forker's
// Whether this thread is in fork(). If another thread copies the address space
// meanwhile, the copy is not of this fork.
static bool isForkUnderWay() { return forksUnderWay && thisThread() == forker; }

static void renew() {
  __atomic_store_n(&processGeneration, processGeneration + 1, __ATOMIC_RELEASE);
  if (!isForkUnderWay()) {
    renewLock();
    resumeWalksInChild();
    forksUnderWay = 0;
  }
  __atomic_store_n(&readers, 0, __ATOMIC_RELAXED);
  forgetMappingsFile();
  finishRenewal();
}

void noticeProcess(bool call) {
  if (isCopiedProcess() && !isForkUnderWay() && beginRenewal(false))
    renew();
  if (call)
    awaitRenewal();
  Thread *self = knownThread();
  if (self && (self->owner == kUnknown ||
               self->generation !=
                   __atomic_load_n(&processGeneration, __ATOMIC_ACQUIRE)))
    adopt(self);
  if (call)
    adoptWithoutBlock(self);
}

void beginFork() {
  forker = thisThread();
  ++forksUnderWay;
}

// The child has no other threads, and so no critical sections of other threads,
// whether or not the forking thread has a block.
void endFork(bool inChild) {
  if (inChild && beginRenewal(true))
    renew();
  --forksUnderWay;
  if (!inChild)
    return;
  Thread *self = knownThread();
  if (self)
    adopt(self);
  releaseInherited(self);
  adoptedGeneration = processGeneration;
}

// Decides whether a frame at `guard` is still in use at the time of a hit at
// `here`.
// - If both are on one stack, the frame is in use if it lies above `here`. If
//   it lies below, a longjmp, a throw or a pthread_exit out of the handler has
//   left it.
// - If one of the two is on the alternate signal stack: a signal on that stack
//   interrupts the normal stack, never the reverse. So a guard on the normal
//   stack is in use while the thread runs on the alternate one.
bool guardHolds(uint64_t guard, uint64_t here) {
  // Positions within this distance are on one stack; this test needs no system
  // call. On an alternate stack a signal's frame lies at the upper end, so a
  // position there is not near the lower end.
  constexpr uint64_t kNear = 1024;
  guard &= ~uint64_t{7};
  if (guard > here && guard - here < kNear)
    return true;
  Thread *self = knownThread();
  if (!self)
    return guard > here;
  lookForAlternateStack(self);
  if (self->alternateBytes) {
    bool guardOnIt = guard - self->alternateLow < self->alternateBytes;
    bool hereOnIt = here - self->alternateLow < self->alternateBytes;
    if (guardOnIt != hereOnIt)
      return hereOnIt;
  }
  return guard > here;
}

bool insideHandlerAt(uint64_t here) {
  Thread *self = knownThread();
  uint64_t guard = self ? __atomic_load_n(&self->guard, __ATOMIC_RELAXED) : 0;
  return guard && guardHolds(guard, here);
}

void missHit(Thread *self) {
  if (self)
    ++self->missed;
  else
    __atomic_fetch_add(&nobody.missed, 1, __ATOMIC_RELAXED);
}

uint64_t sumMissed() {
  uint64_t sum = __atomic_load_n(&nobody.missed, __ATOMIC_RELAXED);
  for (Thread *t = firstThread(); t; t = t->next)
    sum += __atomic_load_n(&t->missed, __ATOMIC_RELAXED);
  return sum;
}

void beginReading() { __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST); }

void endReading() { __atomic_fetch_sub(&readers, 1, __ATOMIC_RELEASE); }

uint32_t countReaders() { return __atomic_load_n(&readers, __ATOMIC_SEQ_CST); }

void startThreads() {
  startProcess();
  makeThreadKey(endKey, endThread);
}

} // namespace tprt
