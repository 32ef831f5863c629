// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of timing have in common: call_timer.cpp writes it in hits,
// timed_groups.cpp makes and frees it, timed_rows.cpp reads it.
//
// Each thread has a tally for each group. Only the thread writes to its
// tally, with plain stores, so a reader's figures may differ by the call that
// ends just now. A tally belongs to a thread's block (threads/thread_block.h),
// and each further thread that takes over the block makes a tally of its own.
//
// A tally is freed when its group's probes are detached: then no thread is in
// the group's handler, nor will be. What a new thread does before its first hit
// of the group refers to no tally: beginThreadTimes() only sets kStale in the
// tally's address.
#ifndef TPRT_TIMING_THREAD_SUMS_H
#define TPRT_TIMING_THREAD_SUMS_H

#include "probes/probe_links.h"
#include "sites/site.h"
#include "threads/component.h"
#include "threads/thread_block.h"
#include "timing/duration_probe.h"
#include "timing/pieces.h"
#include "timing/shadow_stack.h"
#include "timing/timed_groups.h"

namespace tprt {

// --- the component -----------------------------------------------------------

// What each thread's block holds: the addresses of the thread's tallies, by the
// group's slot (thread_sums.h).
struct ThreadTimes {
  uintptr_t of[kMostTimed];
};
void beginThreadTimes(void *state);

inline constexpr Component timesComponent{
    .stateAt = durationsComponent.stateAt + durationsComponent.stateBytes,
    .stateBytes = sizeof(ThreadTimes),
    .beginThread = beginThreadTimes};

// --- sums --------------------------------------------------------------------

// The low bit of a tally's address in ThreadTimes: the tally is of a thread
// that had the block before.
constexpr uintptr_t kStale = 1;

// Marks addresses of tallies as those of an ended thread. A word stays as it is
// if its group ends meanwhile.
template <size_t N> void markStale(uintptr_t (&words)[N]) {
  for (uintptr_t &word : words) {
    uintptr_t tally = __atomic_load_n(&word, __ATOMIC_RELAXED);
    if (tally)
      __atomic_compare_exchange_n(&word, &tally, tally | kStale, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}

struct CallerTimes;
struct TimedCall;

// The sums of one function in one tally. Two cache lines; a call that ends
// writes to the first one.
struct alignas(64) FunctionTimes {
  uint64_t calls, total, self, longest;
  // The outermost open call of the function. Stale unless it is in the list and
  // of this function: a handler may have been left by longjmp, and a tally
  // passes to another thread.
  TimedCall *outermost;
  uint64_t unplaced;
  uint32_t cut;
  // The number of the link whose hits are timed, if several selectors of the
  // group find the function. 0: the function was not called yet. kUntimed: the
  // function has no exits.
  uint16_t link;
  bool isOfCaller; // The calls with one return address; see CallerTimes.
  union {
    // Of a function: the sums for the return address that was found last.
    CallerTimes *latestCaller;
    // Of the calls with one return address: the function's own sums.
    FunctionTimes *function;
  };
  uint32_t pieces[kPieces];
};
static_assert(sizeof(FunctionTimes) == 128);
constexpr uint16_t kUntimed = UINT16_MAX;

// The calls of a function with one return address, in a group that keeps
// callers apart. A call is in these sums and not in the function's own, unless
// the tally had no room for another return address. `outermost` and `link` are
// used in the function's own sums alone.
struct CallerTimes {
  FunctionTimes sums;
  uint64_t returnAddress;
  CallerTimes *next; // Of the function: the one that was found before.
};

// The return addresses that a tally knows. They are found in `recent`; if
// another one has taken the entry, in the function's list.
struct CallerTable {
  static constexpr uint32_t kMost = 4096, kRecent = 1024;
  uint32_t used;
  CallerTimes *recent[kRecent];
  CallerTimes all[kMost];
};

// A call under way.
struct TimedCall {
  uint64_t stack; // See ShadowStack.
  // The function: see functionOf().
  uint64_t function;
  uint64_t start;
  uint64_t inside; // The time that timed calls inside this one took so far.
  FunctionTimes *times;
};

// The same for the entry and for the exits of a function, and for no other
// function.
inline uint64_t functionOf(const tprt_site &site) {
  return uint64_t{site.moduleNumber} << 32 | site.functionAt;
}

constexpr uint32_t kChunkSites = 256, kChunks = kMaxSites / kChunkSites;

struct TimedTally {
  TimedTally *next; // Of the group. Written before the tally is published.
  TimedGroup *group;
  Piece64 *pieces; // Of the group's pool.
  const Thread *block;
  // The number of the thread that writes here. 0: threads that follow one
  // another do, or the number is not known. It never changes.
  int32_t thread;
  uint64_t lost; // Calls that were not timed.
  // The bucket of the call that ended last. It is counted when the next call
  // ends. By then the processor knows its address: a store to an address that
  // comes from the counter just read would hold up the loads after it, which
  // takes 6 ns on an AMD EPYC. At first it is a bucket of piece 0, which nobody
  // reads. nullptr: there are no histograms.
  uint64_t *due;
  PieceRun run;
  ShadowStack<TimedCall> open;
  FunctionTimes *chunks[kChunks];
  CallerTable *callers; // nullptr: there are none, or no memory for them.
};

// One selector of a group: what the handler gets as its data.
struct TimedLink : ProbeLink {
  TimedGroup *group;
  uint16_t slot;   // The group's.
  uint16_t number; // From 1.
  // The attach has ended, so it is known which exits were refused. Until then
  // no call of a function without sleds is timed.
  bool attached;
};

struct TimedGroup {
  unsigned slot;
  bool byCallers;   // Calls with different return addresses are kept apart.
  ProbeLink *links; // Each is a TimedLink.
  // All tallies, linked by `next`. New ones are added at the head.
  TimedTally *tallies;
  // How many tallies are of threads that have given their blocks away.
  uint32_t left;
  PiecePool pool;
  // Calls of threads that got no tally.
  uint64_t lost;
};

// --- in hits -----------------------------------------------------------------

// The calling thread's tally, which is made if there is none. nullptr: no
// memory.
TimedTally *findTally(TimedGroup &group);
// Makes the chunk that a site belongs to. nullptr: no memory.
FunctionTimes *addChunk(TimedTally &tally, uint32_t site);
// What hits of timed groups, aggregations and scopes do to find and make the
// calling thread's tables. The block: nullptr if there is no memory.
Thread *blockInHit();
// Memory for the pages of a table. They are zero. nullptr: no memory.
void *reserveInHit(size_t bytes);
// Adds a table at the head of a list to which other threads add tables, too.
template <class Table> void addToList(Table *&list, Table *made) {
  Table *head = __atomic_load_n(&list, __ATOMIC_RELAXED);
  do
    made->next = head;
  while (!__atomic_compare_exchange_n(&list, &head, made, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

// The sums of the function that a call belongs to.
inline FunctionTimes &ownTimes(FunctionTimes &times) {
  return times.isOfCaller ? *times.function : times;
}

// nullptr: findTally() has to find it.
inline TimedTally *knownTally(const TimedLink &link) {
  uintptr_t tally =
      stateOf<ThreadTimes>(threadInHandler(), timesComponent).of[link.slot];
  return tally & kStale ? nullptr : reinterpret_cast<TimedTally *>(tally);
}

inline void add(uint64_t &sum, uint64_t more) {
  __atomic_store_n(&sum, sum + more, __ATOMIC_RELAXED);
}

// How many chunks a tally may have by now.
inline uint32_t chunksInUse() {
  return (__atomic_load_n(&siteCount, __ATOMIC_RELAXED) + kChunkSites - 1) /
         kChunkSites;
}

} // namespace tprt

#endif
