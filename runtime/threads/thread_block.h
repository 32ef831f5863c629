// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block per thread: the guard against recursion, the thread's counters, and
// its last error. A thread claims a block at its first hit. Blocks are never
// unmapped: when a thread has ended, a later thread takes over its block. The
// trampoline reads and writes the head of the block (sites/hit_layout.h).
//
// A block's owner is a kernel thread id. The id is stored only if the thread
// runs in the process that owns this address space. A process made by vfork or
// clone(CLONE_VM) runs in the memory of another process's thread, and usually
// with that thread's thread-local storage. A block claimed there has an unknown
// owner until that other thread has its next hit or call. A thread is treated
// as ended only if that is certain.
#ifndef TPRT_THREADS_THREAD_BLOCK_H
#define TPRT_THREADS_THREAD_BLOCK_H

#include "base/os_thread.h"
#include "sites/hit_layout.h"
#include "sites/reentry_flag.h"
#include "sites/site.h"
#include "threads/counters.h"
#include "threads/every_nth.h"

#include <stddef.h>
#include <stdint.h>

struct tprt_site;
struct tprt_probe;
namespace tprt {
struct Thread;
}

// The calling thread's block, or a substitute for it. Read by trampolines.
extern "C" __attribute__((
    visibility("hidden"))) constinit thread_local tprt::Thread *__tprt_self;

namespace tprt {

// The bytes in each thread's block for components: see component.h.
constexpr size_t kComponentBytes = 384;

struct Thread : ThreadHead {
  OwnWork growing; // The thread is enlarging its counters.
  uint32_t growthTries;
  // A hit of the thread reads an action list, but has not raised a guard.
  OwnWork readsActionList;
  // The probe whose handler the dispatcher runs, while the guard has the bit
  // kDispatched.
  const tprt_probe *running;
  // Critical sections whose guard was overwritten by a later hit before it was
  // known whether they were over: the thread has changed stacks, or has left
  // the handler by longjmp. 0 means that the place is free. Only the thread
  // itself fills a place. Any thread that sees that the critical section is
  // over clears the place. If all places are full, `leftMore` means that there
  // are more critical sections, which are unknown.
  static constexpr unsigned kMostLeft = 64;
  uint64_t left[kMostLeft];
  bool leftMore;
  uint64_t missed;
  // The kernel's id of the thread that owns the block. 0 means that the block
  // is free, -1 that the thread is ending, and -2 that the id is unknown.
  // Claimed by compare-and-swap.
  int32_t owner;
  // The value of processGeneration when the owner was noted.
  uint32_t generation;
  // The guard's value when a detacher last marked it, and the time of that
  // mark. Used by quiesce.cpp, under the lock.
  uint64_t marked, markedAt;
  // The thread's alternate signal stack when it was last read.
  uint64_t alternateLow, alternateBytes;
  bool alternateDisarms; // SS_AUTODISARM
  // A handler has set errno on purpose, to this number: deliver() then does not
  // restore it.
  bool setsErrno;
  int32_t handlerErrno;
  StackRange stack; // Set when the thread claims the block.
  Thread *next;     // Written once, before the block is published.
  alignas(8) char componentState[kComponentBytes]; // component.h
  HitNumbers numbers;
  CounterArray *arrays; // The newest comes first.
  char lastError[512];
};
static_assert(sizeof(Thread) <= 4096, "a page");

// The calling thread's block. If the thread has none, claims one. Returns
// nullptr if there is no memory, or while the block is being claimed.
// Async-signal-safe.
Thread *currentThread();
// The same as currentThread(), but returns nullptr if the thread has no block
// yet.
Thread *knownThread();

// Releases the calling thread's block. The thread has no block until it needs
// one again. Not called in hits.
void leaveBlock();

// Inside a handler: the calling thread's block, in which the hit has raised the
// guard.
inline Thread *threadInHandler() { return __tprt_self; }

// The owner of the calling thread's block. If the thread has no block, the
// result is 0, which is the owner in each substitute. Async-signal-safe.
int32_t ownerInHit();
// The calling thread's kernel id, or 0 if the block does not have the id of a
// thread of this process. Async-signal-safe.
int32_t idInHit();

// The first of all blocks, which are linked by `next`. New blocks are added at
// the head, and blocks are never removed.
Thread *firstThread();

// Whether the block has no owner.
bool isFree(const Thread *thread);
// Whether the block's owner has certainly ended.
bool hasEnded(const Thread *thread);

// Whether the calling thread is inside a handler; `here` is a position on its
// stack. Async-signal-safe.
bool insideHandlerAt(uint64_t here);
// The stack position of the caller of an exported function, into which this is
// inlined. The position is based on the CFA. If a handler was left by longjmp,
// the handler's position is below the frame of the function that longjmp
// returned to, and so below the CFA. But the exported function's own frame may
// reach lower than that position. The result is the CFA minus one: if a handler
// ends with a jump to the function (a tail call), the CFA is exactly the
// handler's position.
[[gnu::always_inline]] inline uint64_t stackOfCaller() {
  return reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()) - 1;
}
[[gnu::always_inline]] inline bool insideHandler() {
  return insideHandlerAt(stackOfCaller());
}

// Whether the calling thread, whose stack position is `here`, is inside the
// handler whose hit set this guard, judged by the addresses. Async-signal-safe.
bool guardHolds(uint64_t guard, uint64_t here);

// Counts a hit that was not delivered: in the thread's block, or in a counter
// for all threads without a block.
void missHit(Thread *self);
uint64_t sumMissed();

// A hit in a thread without a block calls beginReading() before it reads an
// action list, and endReading() after that.
void beginReading();
void endReading();
uint32_t countReaders();

// How many copies of the address space lie between the first process and this
// one: each copy adds one.
extern uint32_t processGeneration;
// Called at the beginning of every API call, and in hits on the slow path.
// Finds out whether this process is a copy of the process that libtprt knew,
// and whether a thread's id can now be read. `call` is true in an API call, and
// false in a hit.
void noticeProcess(bool call);
// Called around fork() by the forking thread. That thread holds the lock from
// beginFork() to endFork(), which both parent and child call. A signal handler
// may fork in between.
void beginFork();
void endFork(bool inChild);

// The destructor restores errno: both the program's errno and the runtime's
// errno, because the hit may be in a signal handler that interrupted the
// runtime. In a thread with a block, this does not call the C library, because
// that function may be probed. Async-signal-safe.
class KeptErrno {
public:
  KeptErrno();
  ~KeptErrno();
  // Restores this number in place of the program's.
  void replace(int number) { saved = number; }
  KeptErrno(const KeptErrno &) = delete;
  KeptErrno &operator=(const KeptErrno &) = delete;

private:
  int *place;
  int saved, own;
};

// Called at the start; makeThreadKey() in os_thread.h gives the reason.
void startThreads();

} // namespace tprt

#endif
