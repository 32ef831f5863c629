// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and makes the tallies that handlers write to; see thread_sums.h. Runs
// in hits, on any thread: async-signal-safe and without a lock.
#include "timing/thread_sums.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "sites/arch.h"
#include "threads/thread_block.h"

#include <errno.h>

namespace tprt {

// How many tallies of ended threads a group keeps. Beyond it, the threads that
// follow one another in a block share a tally.
static constexpr uint32_t kMostLeftTallies = 64;

// The thread begins with none of the calls that the block's last thread left
// open.
void beginThreadTimes(void *state) {
  markStale(static_cast<ThreadTimes *>(state)->of);
}

Thread *blockInHit() {
  Thread *self = knownThread();
  if (!self)
    keepVectorsIn([&] { self = currentThread(); });
  return self;
}

void *reserveInHit(size_t bytes) {
  int saved = errno;
  void *memory;
  keepVectorsIn([&] { memory = reservePages(roundToPages(bytes)); });
  errno = saved;
  return memory;
}

static int32_t numberOf(const Thread *thread) {
  int32_t owner = __atomic_load_n(&thread->owner, __ATOMIC_RELAXED);
  return owner > 0 ? owner : 0;
}

// `thread`: 0 if further threads are to share the tally.
static TimedTally *makeTally(TimedGroup &group, const Thread *self,
                             int32_t thread) {
  auto *tally = static_cast<TimedTally *>(reserveInHit(sizeof(TimedTally)));
  if (!tally)
    return nullptr;
  tally->group = &group;
  tally->pieces = group.pool.pieces;
  tally->due = group.pool.pieces ? group.pool.pieces[0] : nullptr;
  tally->block = self;
  tally->thread = thread;
  tally->open.init();
  addToList(group.tallies, tally);
  return tally;
}

// A tally for a thread that has taken over the block of an ended thread. What
// the ended thread did stays its own.
static TimedTally *followTally(TimedGroup &group, Thread *self,
                               TimedTally *before) {
  if (!__atomic_load_n(&before->thread, __ATOMIC_RELAXED)) {
    before->open.setTop(before->open.calls);
    return before;
  }
  if (__atomic_fetch_add(&group.left, 1, __ATOMIC_RELAXED) < kMostLeftTallies)
    return makeTally(group, self, numberOf(self));
  __atomic_fetch_sub(&group.left, 1, __ATOMIC_RELAXED);
  return makeTally(group, self, 0);
}

TimedTally *findTally(TimedGroup &group) {
  Thread *self = blockInHit();
  if (!self)
    return nullptr;
  uintptr_t &word = stateOf<ThreadTimes>(self, timesComponent).of[group.slot];
  auto *tally = reinterpret_cast<TimedTally *>(word & ~kStale);
  if (tally && !(word & kStale))
    return tally;
  tally = tally ? followTally(group, self, tally)
                : makeTally(group, self, numberOf(self));
  __atomic_store_n(&word, reinterpret_cast<uintptr_t>(tally), __ATOMIC_RELEASE);
  return tally;
}

FunctionTimes *addChunk(TimedTally &tally, uint32_t site) {
  auto *chunk = static_cast<FunctionTimes *>(
      reserveInHit(kChunkSites * sizeof(FunctionTimes)));
  // Pairs with the acquire in timed_rows.cpp.
  __atomic_store_n(&tally.chunks[site / kChunkSites], chunk, __ATOMIC_RELEASE);
  return chunk;
}

} // namespace tprt
