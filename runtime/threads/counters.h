// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of hits, by site. Each thread that counts has arrays of its own,
// which only this thread writes. When a site lies beyond the thread's last
// array, the thread begins a larger array and keeps the earlier ones. So
// nothing is copied, and a site's count is the sum over all arrays of all
// threads. Nothing is reserved before a thread first counts.
#ifndef TPRT_THREADS_COUNTERS_H
#define TPRT_THREADS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

struct Thread;

// One thread's arrays. Each is at least twice as large as the one before.
struct CounterArrays {
  static constexpr unsigned kMost = 16;
  static constexpr uint32_t kSmallest = 512; // sites: one page
  uint64_t *array[kMost];
  uint32_t capacity[kMost]; // in sites
  uint32_t count;           // number of arrays; stored last, with release

  // Begins an array for at least this many sites. False: no memory. Only one
  // thread at a time may call this. Async-signal-safe.
  bool add(uint32_t sites);
  uint64_t sum(uint32_t site) const;
  // Adds the sums of `sites` sites from `first` on.
  void addTo(uint64_t *sums, uint32_t first, uint32_t sites) const;
  // See sumBlocks().
  void addBlocksTo(uint64_t *sums, size_t blocks) const;
};

// The word that a counting stub adds to its thread's __tprt_first_counter, to
// get the address of the counter of site `index`. The word is negative and
// __tprt_first_counter positive, so the addition carries. It does not carry if
// one of the two is 0: if the site must not be counted this way, or if the
// thread has no counters yet.
constexpr int64_t kCountBias = -(int64_t{1} << 31);
constexpr int32_t countWord(uint32_t index) {
  return static_cast<int32_t>(kCountBias + int64_t{index} * 8);
}

// Whether a counting stub may count this site. The stub does not check how
// large its thread's array is, so the array of every thread that has one must
// contain the site. Under the lock.
bool mayCountInStub(uint32_t site);

// Makes counters, for all present sites, that threads without counters of their
// own use. Called before a probe counts. False: no memory. Under the lock.
bool prepareCounters();

// Adds one to the calling thread's hits of a site. Called on slow paths.
// Async-signal-safe.
void countHit(uint32_t site);
// The same for the dispatcher, whose hit may not have saved the vectors.
void countInHandler(uint32_t site);
// The same for this thread's block, or nullptr, without a call of the C
// library: if the thread's counters have no room for the site, shared ones are
// used.
void countHitOf(Thread *self, uint32_t site);

// Lets a thread that has just claimed its block use the counters in it.
void showCounters(Thread *self);
// Called before the thread gives its block away.
void hideCounters();

// The sum over all threads, including those that have ended.
uint64_t sumCounters(uint32_t site);
// The same for `count` sites from `first` on. Each thread's counters are read
// in the order of their addresses, so many sites take a small part of the time
// that they take one by one.
void sumCounters(uint32_t first, uint32_t count, uint64_t *sums);

// Adds to each place of `sums` what a block of kBlockSites neighbouring sites
// has counted in all threads. The blocks begin with site 0.
constexpr uint32_t kBlockSites = 64;
void sumBlocks(uint64_t *sums, size_t blocks);

} // namespace tprt

#endif
