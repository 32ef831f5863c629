// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block a thread: the guard against recursion, its counters, its last
// error. A block is claimed at a thread's first hit, never unmapped, and taken
// over by a later thread when its owner has ended. The trampoline reads and
// writes the first fields; offsets are in the architecture's frame.h.
#ifndef TPRT_CORE_THREADS_H
#define TPRT_CORE_THREADS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct tprt_site;

namespace tprt {

// A thread's calls under way, for one set of durations (optional/duration.cpp).
struct OpenCall {
  uint64_t stack; // stack pointer at the entry; 0: ended on another thread
  const tprt_site *entry;
  uint64_t start;
};
constexpr uint32_t kMostOpen = 4096;
struct OpenCalls {
  uint32_t count;
  OpenCall calls[kMostOpen];
};
constexpr unsigned kMostDurations = 8;
// Empties all threads' open[slot], which nobody uses.
void forgetCalls(unsigned slot);
// Makes calls at `stack` in any thread's open[slot] ones that have ended. The
// caller runs at that place.
void disownCalls(unsigned slot, uint64_t stack);

struct Thread {
  // Position of the hit on the stack while a handler runs, else 0. Written by
  // its own thread with plain stores; read by waitForHandlers(), which pairs
  // with it by membarrier and sets bit 0: gone when that stay in a handler has
  // ended.
  uint64_t guard;
  // Where this thread's libc keeps errno.
  int *errnoLocation;
  // Counters by site index (reserved address space, touched on use).
  uint64_t *counters;
  const tprt_site *sites;
  uint64_t missed;
  // Owner's kernel thread id, 0 while free, -1 while it ends. Claimed by
  // compare-and-swap.
  int32_t owner;
  Thread *next;                    // written once before the block is published
  OpenCalls *open[kMostDurations]; // reserved when first needed
  char lastError[512];
};

// What a counting stub adds to its thread's __tprt_first_counter, to have the
// address of the counter of site `index`. It is negative and that word
// positive, so the sum carries; it does not where either is 0: where the site
// must not be counted so, or where the thread has no counters yet.
constexpr int64_t kCountBias = -(int64_t{1} << 31);
constexpr int32_t countWord(uint32_t index) {
  return static_cast<int32_t>(kCountBias + int64_t{index} * 8);
}

// As long as it lives this thread takes no signal.
struct SignalsBlocked {
  SignalsBlocked();
  ~SignalsBlocked();

private:
  sigset_t before;
};

// This thread's block, claimed if need be; nullptr when there is no memory.
// Async-signal-safe.
Thread *currentThread();

// True while this thread is inside a handler. Async-signal-safe.
bool insideHandlerAt(uint64_t here);
// Of the function that this becomes part of, the end of its caller's frame: a
// handler left by longjmp has its own below that of the function jumped to, and
// our frames may reach lower than that. Less one, as for a function that the
// handler ends with a jump to it is the handler's position itself.
[[gnu::always_inline]] inline bool insideHandler() {
  return insideHandlerAt(reinterpret_cast<uint64_t>(__builtin_dwarf_cfa()) - 1);
}

// Returns when no thread is inside a handler that it had entered before this
// call; false if one still is after timeoutMs milliseconds (-1: no limit). The
// caller has published what new hits shall see and issued a barrier. Called
// without the lock.
bool waitForHandlers(int timeoutMs);

// Whether the calling thread, at stack position `here`, is inside the handler
// that set this guard. Async-signal-safe.
bool guardStands(uint64_t guard, uint64_t here);

// Sum over all threads, ended ones included.
uint64_t sumCounters(uint32_t site);
uint64_t sumMissed();

// Adds one to the calling thread's hits of a site, from slow paths. Returns the
// new number, which is the site's in all threads where this one has no
// counters.
uint64_t countHit(uint32_t site);

// After fork, in the child: forgets all other threads' marks.
void forgetOtherThreads();

// When the library is loaded: while there are less than 32 keys glibc has room
// for a thread's value; for later ones it asks calloc for some, in a hit that
// may itself be in calloc, with its lock held.
void startThreads();

bool initialiseThreads();

} // namespace tprt

#endif
