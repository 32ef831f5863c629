// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of hits, by site. Each thread that counts has its own arrays, which
// only this thread writes. When a site lies beyond the thread's last array, the
// thread begins a larger array and keeps the earlier ones. So nothing is
// copied, and a site's count is the sum over all arrays of all threads. Nothing
// is reserved before a thread first counts.
//
// The arrays stay with the thread's block. A thread that takes over the block
// of an ended thread continues in that thread's array. While a tool reads
// counts by thread, the new thread begins a new array instead.
#ifndef TPRT_THREADS_COUNTERS_H
#define TPRT_THREADS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

struct Thread;

// The head of an array. Only pages with counters of hit sites use memory.
struct alignas(64) CounterArray {
  CounterArray *next; // The previous array of the same block.
  uint64_t left;      // See countApart().
  // The number of the thread whose hits these are. 0 means that the hits belong
  // to several threads, or that the number is unknown.
  int32_t thread;
  uint32_t capacity; // In sites; a multiple of kBlockSites.

  uint64_t *counters() { return reinterpret_cast<uint64_t *>(this + 1); }
  const uint64_t *counters() const {
    return reinterpret_cast<const uint64_t *>(this + 1);
  }
};

// The word that a counting stub adds to its thread's __tprt_first_counter, to
// get the address of the counter of site `index`. The word is negative and
// __tprt_first_counter is positive, so the addition carries. The addition does
// not carry if one of the two is 0. The word is 0 if the stub must not count
// the site, and __tprt_first_counter is 0 if the thread has no counters yet.
constexpr int64_t kCountBias = -(int64_t{1} << 31);
constexpr int32_t countWord(uint32_t index) {
  return static_cast<int32_t>(kCountBias + int64_t{index} * 8);
}

// Whether a counting stub may count this site. The stub does not check the size
// of its thread's array, so every thread's array must contain the site. Called
// under the lock.
bool mayCountInStub(uint32_t site);

// Makes the counters, for all present sites, that threads without counters
// share. Called before a probe counts. Returns false if there is no memory.
// Called under the lock.
bool prepareCounters();

// Adds one to the calling thread's hits of a site. Called on slow paths.
// Async-signal-safe.
void countHit(uint32_t site);
// The same for the dispatcher, whose hit may not have saved the vector
// registers.
void countInHandler(uint32_t site);
// The same for this thread's block, or nullptr, without a call of the C
// library. If the thread's counters have no room for the site, the shared
// counters are used.
void countHitOf(Thread *self, uint32_t site);

// A thread that has just claimed its block takes over the counters in it, if it
// may add to them.
void takeCounters(Thread *self);
// Called in a copy of the process, in which the thread has another number.
void renumberCounters(Thread *self);
// From now on, stubs do not count on the calling thread.
void hideCounters();
// Called after hideCounters(), and before the block becomes free.
void leaveCounters(Thread *self);

// From now on, each thread that takes over a block gets a new array. This ends
// when stopCountingApart() was called as often as countApart(). At most 64
// arrays of ended threads are kept: further threads in the same block share an
// array. Called under the lock.
void countApart();
void stopCountingApart();

// --- reading: any thread -----------------------------------------------------

// An array, and the thread whose hits it contained when it was listed.
struct ThreadCounters {
  const CounterArray *array;
  int32_t thread;
};

// The counters that a reading adds up: those of all threads, including ended
// threads, or only the arrays of a list.
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
// in the order of their addresses, which is much faster than one call per site.
void sumCounters(uint32_t first, uint32_t count, uint64_t *sums,
                 const CounterSet &of = {});

// Adds the count of block i, which has kBlockSites neighboring sites, to sums[i
// * stride]. Block 0 begins with site 0.
constexpr uint32_t kBlockSites = 64;
void sumBlocks(uint64_t *sums, size_t stride, size_t blocks,
               const CounterSet &of);

} // namespace tprt

#endif
