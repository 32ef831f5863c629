// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of hits, by site. Each thread that counts has arrays of its own,
// which only it writes; a larger one is begun where a site lies beyond the last
// one, and the earlier ones stay, so that the sum over all is a site's count.
// Nothing is copied, and nothing is reserved before a thread first counts.
#ifndef TPRT_CORE_COUNTERS_H
#define TPRT_CORE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

struct Thread;

// Each array is at least twice as large as the one before.
struct CounterArrays {
  static constexpr unsigned kMost = 16;
  static constexpr uint32_t kSmallest = 512; // sites: one page
  uint64_t *array[kMost];
  uint32_t capacity[kMost]; // in sites
  uint32_t count;           // of arrays; stored last, with release

  // Begins an array for at least so many sites. False: no memory. One thread
  // at a time. Async-signal-safe.
  bool add(uint32_t sites);
  uint64_t sum(uint32_t site) const;
};

// What a counting stub adds to its thread's __tprt_first_counter, to have the
// address of the counter of site `index`. It is negative and that word
// positive, so the sum carries; it does not where either is 0: where the site
// must not be counted so, or where the thread has no counters yet.
constexpr int64_t kCountBias = -(int64_t{1} << 31);
constexpr int32_t countWord(uint32_t index) {
  return static_cast<int32_t>(kCountBias + int64_t{index} * 8);
}

// Whether a counting stub may count this site: the stub does not ask how large
// its thread's array is, so each thread's that has one must hold the site.
// Under the lock.
bool mayCountInStub(uint32_t site);

// Counters for threads that get none of their own, for all sites there are.
// Before a probe counts. False: no memory. Under the lock.
bool prepareCounters();

// Adds one to the calling thread's hits of a site, from slow paths.
// Async-signal-safe.
void countHit(uint32_t site);

// Shows a thread that has just claimed its block the counters there.
void showCounters(const Thread *self);
// Before the thread gives its block away.
void hideCounters();

// Sum over all threads, ended ones included.
uint64_t sumCounters(uint32_t site);

} // namespace tprt

#endif
