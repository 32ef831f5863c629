// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block per thread: the guard against recursion, the thread's counters, its
// last error. A thread claims a block at its first hit. Blocks are never
// unmapped: when a thread has ended, a later thread takes over its block. The
// trampoline reads and writes the head of the block (sites/hit_layout.h).
//
// A block's owner is a kernel thread id. The id is noted only where the thread
// runs in the process that owns this address space. A process made by vfork or
// clone(CLONE_VM) runs on the memory of another process's thread, and mostly on
// that thread's thread-local storage. A block claimed there has an unknown
// owner until that other thread has its next hit or call. A thread that is not
// known to have ended is never taken for ended.
#ifndef TPRT_THREADS_THREAD_BLOCK_H
#define TPRT_THREADS_THREAD_BLOCK_H

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

// The calling thread's block, or one that stands in for it. Read by
// trampolines.
extern "C" __attribute__((
    visibility("hidden"))) constinit thread_local tprt::Thread *__tprt_self;

namespace tprt {

// The bytes in each thread's block for components: see component.h.
constexpr size_t kComponentBytes = 256;

struct Thread : ThreadHead {
  OwnWork growing; // The thread is making its counters larger.
  uint32_t growthTries;
  // The thread's hit reads an action list without having raised a guard.
  OwnWork readsActionList;
  // The probe whose handler the dispatcher runs, while the guard has the bit
  // kDispatched.
  const tprt_probe *running;
  // Critical sections whose guard a later hit has overwritten, while nobody
  // knew whether they were over: the thread changed stacks, or left the handler
  // by longjmp. 0: the place is free. The thread itself sets a place. Whoever
  // sees that the critical section is over clears it. If all places are taken,
  // `leftMore` says that there are more critical sections, which are not known.
  static constexpr unsigned kMostLeft = 64;
  uint64_t left[kMostLeft];
  bool leftMore;
  uint64_t missed;
  // The kernel's id of the thread that owns the block; 0: the block is free;
  // -1: the thread is ending; -2: the id is not known. Claimed by
  // compare-and-swap.
  int32_t owner;
  // processGeneration at the time when the owner was noted.
  uint32_t generation;
  // The guard's value when a detacher last marked it, and the time of that.
  // Used by quiesce.cpp, under the lock.
  uint64_t marked, markedAt;
  // The thread's alternate signal stack when it was last read.
  uint64_t alternateLow, alternateBytes;
  bool alternateDisarms; // SS_AUTODISARM
  Thread *next;          // Written once, before the block is published.
  alignas(8) char componentState[kComponentBytes]; // component.h
  HitNumbers numbers;
  CounterArray *arrays; // The newest comes first.
  char lastError[512];
};
static_assert(sizeof(Thread) <= 4096, "a page");

// The calling thread's block, which is claimed if the thread has none. nullptr:
// there is no memory, or the block is just being claimed. Async-signal-safe.
Thread *currentThread();
// The same, except that it returns nullptr if the thread has no block yet.
Thread *knownThread();

// The calling thread has no block from now on, until it needs one again. Not in
// hits.
void leaveBlock();
// Hits of the calling thread call no handlers and are not counted, as if its
// functions were not probed, until this is called with false. For threads of
// this library that the program did not ask for. Not in hits; in hit.cpp.
void hideThread(bool hides);

// The calling thread's block, inside a handler: the hit has raised the guard in
// it.
inline Thread *threadInHandler() { return __tprt_self; }

// The owner of the calling thread's block, without asking whether it has one:
// the blocks that stand in for none have the owner 0. Async-signal-safe.
int32_t ownerInHit();

// The first of all blocks, linked by `next`. New blocks are added at the head;
// none is removed.
Thread *firstThread();

// Whether the block has no owner.
bool isFree(const Thread *thread);
// Whether the block's owner has certainly ended.
bool hasEnded(const Thread *thread);

// Whether the calling thread is inside a handler; `here` is a position on its
// stack. Async-signal-safe.
bool insideHandlerAt(uint64_t here);
// Where the caller of the function that this is inlined into has its stack: for
// the exported functions, each of which asks itself. It is the CFA, because the
// function's own frame may reach lower than the position of a handler that was
// left by longjmp; the position of such a handler is below the frame of the
// function that was jumped to, and so below the CFA. It is that minus one,
// because a function that the handler ends with a jump to (a tail call) has the
// handler's position as its CFA.
[[gnu::always_inline]] inline uint64_t stackOfCaller() {
  return reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()) - 1;
}
[[gnu::always_inline]] inline bool insideHandler() {
  return insideHandlerAt(stackOfCaller());
}

// Whether the calling thread, whose stack position is `here`, is inside the
// handler whose hit set this guard, as far as addresses can tell.
// Async-signal-safe.
bool guardStands(uint64_t guard, uint64_t here);

// Counts a hit that was not delivered: in the thread's block, or in a counter
// for all threads without a block.
void missHit(Thread *self);
uint64_t sumMissed();

// beginReading() says that a hit in a thread without a block is about to read a
// action list; endReading() that it has read the action list.
void beginReading();
void endReading();
uint32_t countReaders();

// How often this address space was copied on the way from the first process to
// this one: each copy adds one.
extern uint32_t processGeneration;
// Called at the beginning of every API call, and in hits that take the slow
// way. Notices that this process is a copy of the one that libtprt knew, or
// that a thread's id can now be found. `call`: this is an API call, not a hit.
void noticeProcess(bool call);
// Called around fork() by the thread that forks. That thread has the lock from
// beginFork() until endFork(), which parent and child both call. A signal
// handler may fork in between.
void beginFork();
void endFork(bool inChild);

// Keeps errno while it lives: the program's, and the runtime's own, as the hit
// may lie in a signal handler that interrupted the runtime. It does not call
// the C library in a thread that has a block, because that function may be
// probed itself. Async-signal-safe.
class KeptErrno {
public:
  KeptErrno();
  ~KeptErrno();
  KeptErrno(const KeptErrno &) = delete;
  KeptErrno &operator=(const KeptErrno &) = delete;

private:
  int *place;
  int saved, own;
};

// Called at the start; makeThreadKey() in os_thread.h says why so early.
void startThreads();

} // namespace tprt

#endif
