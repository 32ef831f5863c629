// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of hits, by site. Each thread that counts has arrays of its own,
// which only this thread writes. When a site lies beyond the thread's last
// array, the thread begins a larger array and keeps the earlier ones. So
// nothing is copied, and a site's count is the sum over all arrays of all
// threads. Nothing is reserved before a thread first counts.
//
// The arrays stay with the thread's block. A thread that takes over the block
// of an ended thread continues in its array. While somebody reads counts by
// thread, the new thread begins an array of its own instead.
#ifndef TPRT_THREADS_COUNTERS_H
#define TPRT_THREADS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

struct Thread;

// The head of an array. Memory is used as far as sites are hit.
struct alignas(64) CounterArray {
  CounterArray *next; // Of the same block: the one that was begun before.
  uint64_t left;      // See countApart().
  // The number of the thread whose hits these are. 0: the hits are those of
  // several threads, or the number is not known.
  int32_t thread;
  uint32_t capacity; // In sites; a multiple of kBlockSites.

  uint64_t *counters() { return reinterpret_cast<uint64_t *>(this + 1); }
  const uint64_t *counters() const {
    return reinterpret_cast<const uint64_t *>(this + 1);
  }
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

// Makes the counters, for all present sites, that threads without counters
// share. Called before a probe counts. Returns false if there is no memory.
// Under the lock.
bool prepareCounters();

// Adds one to the calling thread's hits of a site. Called on slow paths.
// Async-signal-safe.
void countHit(uint32_t site);
// The same for the dispatcher, whose hit may not have saved the vector
// registers.
void countInHandler(uint32_t site);
// The same for this thread's block, or nullptr, without a call of the C
// library: if the thread's counters have no room for the site, shared ones are
// used.
void countHitOf(Thread *self, uint32_t site);

// A thread that has just claimed its block takes over the counters in it, if it
// may add to them.
void takeCounters(Thread *self);
// In a copy of the process, where the thread has another number.
void renumberCounters(Thread *self);
// The calling thread's stubs count no more.
void hideCounters();
// Called between that and the moment when the block is free.
void leaveCounters(Thread *self);

// From now on threads that follow one another in a block have arrays of their
// own, until stopCountingApart() was called as often. At most 64 ended threads'
// arrays are kept: further threads in the same block share one. Under the lock.
void countApart();
void stopCountingApart();

// --- reading: any thread -----------------------------------------------------

// An array, and the thread whose hits it had when it was listed.
struct ThreadCounters {
  const CounterArray *array;
  int32_t thread;
};

// Whose counters a reading adds up: those of all threads, including those that
// have ended, or the arrays of a list.
struct CounterSet {
  const ThreadCounters *begin = nullptr, *end = nullptr; // nullptr: all
};

inline uint64_t countIn(const CounterArray &array, uint32_t site) {
  return site < array.capacity
             ? __atomic_load_n(&array.counters()[site], __ATOMIC_RELAXED)
             : 0;
}

// Calls visit(array) for each array.
void visitCounters(void (*visit)(const CounterArray &array, void *data),
                   void *data);

uint64_t sumCounters(uint32_t site, const CounterSet &of = {});
// The same for `count` sites from `first` on. Each thread's counters are read
// in the order of their addresses, so many sites take a small part of the time
// that they take one by one.
void sumCounters(uint32_t first, uint32_t count, uint64_t *sums,
                 const CounterSet &of = {});

// Adds to each `stride`-th place of `sums` what a block of kBlockSites
// neighbouring sites has counted. The blocks begin with site 0.
constexpr uint32_t kBlockSites = 64;
void sumBlocks(uint64_t *sums, size_t stride, size_t blocks,
               const CounterSet &of);

} // namespace tprt

#endif
