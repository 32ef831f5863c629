// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block per thread: the guard against recursion, its counters, its last
// error. A block is claimed at a thread's first hit, never unmapped, and taken
// over by a later thread when its owner has ended. The trampoline reads and
// writes its head (plain/hit.h).
//
// Who a thread is: the kernel's id, noted only where the thread runs in the
// process that owns this address space. A process made by vfork or
// clone(CLONE_VM) runs on the memory, and mostly on the thread-local storage,
// of another one's thread: a block claimed there has an owner that is not
// known, until that other thread comes by. What is not known to have ended is
// never taken for ended.
#ifndef TPRT_CORE_THREADS_H
#define TPRT_CORE_THREADS_H

#include "core/counters.h"
#include "core/every.h"
#include "core/ownwork.h"
#include "core/plain/hit.h"
#include "core/plain/site.h"

#include <stddef.h>
#include <stdint.h>

struct tprt_site;
struct tprt_probe;

namespace tprt {

// Of each thread's block, for the parts in optional/: see part.h.
constexpr size_t kPartBytes = 128;

struct Thread : ThreadHead {
  OwnWork growing; // the counters
  uint32_t growthTries;
  // A hit reads a chain without a guard of its own.
  OwnWork readsChain;
  // Whose handler the dispatcher runs, while the guard says kDispatched.
  const tprt_probe *running;
  // Stays in handlers whose guard was taken for a later one, as nobody knows
  // whether they are over: the thread has changed stacks, or left the handler
  // by longjmp. 0: free. Set by its own thread, cleared by whoever sees that
  // the stay is over. Where all are taken, the rest is not known.
  static constexpr unsigned kMostLeft = 64;
  uint64_t left[kMostLeft];
  bool leftMore;
  uint64_t missed;
  // The kernel's id of the thread whose block this is: 0 while free, -1 while
  // it ends, -2 where it is not known. Claimed by compare-and-swap.
  int32_t owner;
  // Of the process, when the owner was noted: see processGeneration.
  uint32_t generation;
  // The guard as it was last marked, and when: stays.cpp, under the lock.
  uint64_t marked, markedAt;
  // The alternate signal stack as it was when last seen.
  uint64_t alternateLow, alternateBytes;
  bool alternateDisarms; // SS_AUTODISARM
  Thread *next;          // written once before the block is published
  alignas(8) char partState[kPartBytes]; // part.h
  HitNumbers numbers;
  CounterArrays arrays;
  char lastError[512];
};
static_assert(sizeof(Thread) <= 4096, "a page");

// This thread's block, claimed if need be; nullptr when there is no memory, or
// while the block is being claimed. Async-signal-safe.
Thread *currentThread();
// The same, but nullptr where it has none yet.
Thread *knownThread();

// All blocks, by their `next`. Appended to at its head, never shortened.
Thread *firstThread();

// Whether the block is nobody's.
bool isFree(const Thread *thread);
// Whether the thread whose block this is has ended for sure.
bool hasEnded(const Thread *thread);

// True while this thread is inside a handler. Async-signal-safe.
bool insideHandlerAt(uint64_t here);
// Of the function that this becomes part of, the end of its caller's frame: a
// handler left by longjmp has its own below that of the function jumped to, and
// our frames may reach lower than that. Less one, as for a function that the
// handler ends with a jump to it is the handler's position itself.
[[gnu::always_inline]] inline bool insideHandler() {
  return insideHandlerAt(reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()) - 1);
}

// Whether the calling thread, at stack position `here`, is inside the handler
// that set this guard, as far as addresses tell. Async-signal-safe.
bool guardStands(uint64_t guard, uint64_t here);

// A hit was not delivered: noted in the block, or in one for all threads that
// have none.
void missHit(Thread *self);
uint64_t sumMissed();

// A hit in a thread without a block is about to read a chain, and has read it.
void beginReading();
void endReading();
uint32_t countReaders();

// Counts the copies that were made of this address space, in each copy.
extern uint32_t processGeneration;
// Begins every call of the API, and hits that come the slow way: notices that
// this is a copy of the process that libtprt knew, or that a thread's id can
// now be told. `call`: of the API, not in a hit.
void noticeProcess(bool call);
// Around fork(), in the thread that calls it and has the lock: from before it
// until after it, in the parent and in the child.
void beginFork();
void endFork(bool inChild);

// At the start (makeThreadKey() in os.h says why so early).
void startThreads();

} // namespace tprt

#endif
