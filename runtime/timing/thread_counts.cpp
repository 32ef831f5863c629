// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler that counts hits for each thread alone; see thread_sums.h. Runs
// in hits, on any thread: async-signal-safe, without a lock and without vector
// registers. Nothing of its group interrupts it, as hits inside a handler are
// not delivered.
#include "sites/site.h"
#include "timing/thread_sums.h"

namespace tprt {

// A hit at which something is missing: the tally or the site's sums. Or another
// selector of the group counts the site.
__attribute__((noinline)) static void countSlowly(const TimedLink &link,
                                                  uint32_t site) {
  TimedTally *tally = findTally(*link.group);
  if (!tally) {
    __atomic_fetch_add(&link.group->lost, 1, __ATOMIC_RELAXED);
    return;
  }
  FunctionTimes *chunk = tally->chunks[site / kChunkSites];
  if (!chunk && !(chunk = addChunk(*tally, site)))
    return add(tally->lost, 1);
  FunctionTimes &times = chunk[site % kChunkSites];
  if (!times.link)
    __atomic_store_n(&times.link, link.number, __ATOMIC_RELAXED);
  if (times.link == link.number)
    add(times.calls, 1);
}

void countCall(const tprt_event *event, const tprt_regs *, void *data) {
  const auto &link = *static_cast<const TimedLink *>(data);
  uint32_t site = indexOf(event->site);
  TimedTally *tally = knownTally(link);
  FunctionTimes *chunk = tally ? tally->chunks[site / kChunkSites] : nullptr;
  if (__builtin_expect(!chunk || chunk[site % kChunkSites].link != link.number,
                       0))
    return countSlowly(link, site);
  add(chunk[site % kChunkSites].calls, 1);
}

} // namespace tprt
