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
// owner until that other thread has its next hit or call. A thread counts as
// ended only if that is certain.
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

// The calling thread's block, or a substitute for it. Read by trampolines.
extern "C" __attribute__((
    visibility("hidden"))) constinit thread_local tprt::Thread *__tprt_self;

namespace tprt {

// The bytes in each thread's block for components: see component.h.
constexpr size_t kComponentBytes = 256;

struct Thread : ThreadHead {
  OwnWork growing; // The thread is enlarging its counters.
  uint32_t growthTries;
  // The thread's hit reads an action list without having raised a guard.
  OwnWork readsActionList;
  // The probe whose handler the dispatcher runs, while the guard has the bit
  // kDispatched.
  const tprt_probe *running;
  // Critical sections whose guard a later hit has overwritten before it was
  // known whether they were over: the thread has changed stacks, or has left
  // the handler by longjmp. 0: the place is free. Only the thread itself fills
  // a place. Any thread that sees that the critical section is over clears the
  // place. If all places are full, `leftMore` says that there are more critical
  // sections, which are not known.
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
  // The guard's value when a detacher last marked it, and when that was. Used
  // by quiesce.cpp, under the lock.
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

// The calling thread's block. If the thread has none, claims one. Returns
// nullptr if there is no memory, or while the block is being claimed.
// Async-signal-safe.
Thread *currentThread();
// The same, except that it returns nullptr if the thread has no block yet.
Thread *knownThread();

// Releases the calling thread's block. The thread has none until it needs one
// again. Not in hits.
void leaveBlock();
// Hits of the calling thread call no handlers and are not counted, as if its
// functions were not probed, until this is called with false. For threads that
// this library starts. Not in hits. Defined in hit.cpp.
void hideThread(bool hides);

// The calling thread's block, inside a handler: the hit has raised the guard in
// it.
inline Thread *threadInHandler() { return __tprt_self; }

// The owner of the calling thread's block. If the thread has no block, the
// result is 0, which is the owner of each substitute. Async-signal-safe.
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
// The stack position of the caller of an exported function, into which this is
// inlined. The position is based on the CFA. If a handler was left by longjmp,
// its position is below the frame of the function that was jumped to, and so
// below the CFA; but the exported function's own frame may reach lower than
// that handler's position. The result is the CFA minus one: if a handler ends
// with a jump to the function (a tail call), the CFA is exactly the handler's
// position.
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

// beginReading() says that a hit in a thread without a block is about to read
// an action list; endReading() says that the hit has read it.
void beginReading();
void endReading();
uint32_t countReaders();

// How many copies of the address space lie between the first process and this
// one: each copy adds one.
extern uint32_t processGeneration;
// Called at the beginning of every API call, and in hits that take the slow
// way. Finds out whether this process is a copy of the one that libtprt knew,
// and whether a thread's id can now be read. `call`: this is an API call, not a
// hit.
void noticeProcess(bool call);
// Called around fork() by the thread that forks. That thread has the lock from
// beginFork() to endFork(), which both parent and child call. A signal handler
// may fork in between.
void beginFork();
void endFork(bool inChild);

// Restores errno at the end of its life: the program's, and the runtime's own,
// because the hit may be in a signal handler that interrupted the runtime. In a
// thread that has a block, it does not call the C library, whose function may
// be probed itself. Async-signal-safe.
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

// Called at the start; makeThreadKey() in os_thread.h gives the reason.
void startThreads();

} // namespace tprt

#endif
