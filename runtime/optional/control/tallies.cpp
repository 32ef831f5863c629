// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and makes the tallies that handlers write to; see timed.h. Runs in
// hits, on any thread: async-signal-safe and without a lock.
#include "core/os.h"
#include "core/plain/pages.h"
#include "core/threads.h"
#include "optional/control/timed.h"

#include <errno.h>

namespace tprt {

// How many tallies of ended threads a group keeps. Beyond it a thread adds to
// the tally of the thread that had its block before.
static constexpr uint32_t kMostLeftTallies = 64;

// The thread begins with none of the calls that the block's last thread left
// open. The exchange fails if the group has ended meanwhile.
void beginThreadTimes(void *state) {
  for (uintptr_t &word : static_cast<ThreadTimes *>(state)->of) {
    uintptr_t tally = __atomic_load_n(&word, __ATOMIC_RELAXED);
    if (tally)
      __atomic_compare_exchange_n(&word, &tally, tally | kStale, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}

void *reserveInHit(size_t bytes) {
  int saved = errno;
  void *memory = reservePages(roundToPages(bytes));
  errno = saved;
  return memory;
}

static int32_t numberOf(const Thread *thread) {
  int32_t owner = __atomic_load_n(&thread->owner, __ATOMIC_RELAXED);
  return owner > 0 ? owner : 0;
}

static TimedTally *makeTally(TimedGroup &group, const Thread *self) {
  auto *tally = static_cast<TimedTally *>(reserveInHit(sizeof(TimedTally)));
  if (!tally)
    return nullptr;
  tally->group = &group;
  tally->pieces = group.pieces;
  tally->due = group.pieces ? group.pieces[0] : nullptr;
  tally->block = self;
  tally->thread = numberOf(self);
  tally->calls[0].stack = UINT64_MAX;
  tally->top = tally->calls;
  TimedTally *head = __atomic_load_n(&group.tallies, __ATOMIC_RELAXED);
  do
    tally->next = head;
  while (!__atomic_compare_exchange_n(&group.tallies, &head, tally, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return tally;
}

TimedTally *findTally(TimedGroup &group) {
  Thread *self = currentThread();
  if (!self)
    return nullptr;
  uintptr_t &word = stateOf<ThreadTimes>(self, timesPart).of[group.slot];
  auto *tally = reinterpret_cast<TimedTally *>(word & ~kStale);
  if (tally && !(word & kStale))
    return tally;
  if (tally && __atomic_fetch_add(&group.left, 1, __ATOMIC_RELAXED) >=
                   kMostLeftTallies) {
    __atomic_fetch_sub(&group.left, 1, __ATOMIC_RELAXED);
    setTop(*tally, tally->calls);
    __atomic_store_n(&tally->thread, 0, __ATOMIC_RELAXED);
  } else {
    tally = makeTally(group, self);
  }
  __atomic_store_n(&word, reinterpret_cast<uintptr_t>(tally), __ATOMIC_RELEASE);
  return tally;
}

FunctionTimes *addChunk(TimedTally &tally, uint32_t site) {
  auto *chunk = static_cast<FunctionTimes *>(
      reserveInHit(kChunkSites * sizeof(FunctionTimes)));
  // Pairs with the acquire in timedrows.cpp.
  __atomic_store_n(&tally.chunks[site / kChunkSites], chunk, __ATOMIC_RELEASE);
  return chunk;
}

} // namespace tprt
