// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters; see counters.h. The functions that count run inside hits, possibly
// in signal handlers: they take no lock, and their only system call is mmap.
#include "threads/counters.h"
#include "base/os_memory.h"
#include "base/small_alloc.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "threads/thread_block.h"

extern "C" {
// Read by counting stubs, and by the counting code of arch/aarch64. `limit` is
// the address of the first site for which the counters have no room.
__attribute__((visibility("hidden"),
               used)) thread_local uint64_t __tprt_first_counter = 0;
// What a counting stub in code without sleds reads in place of that, if it may
// not count. Nobody writes it.
__attribute__((visibility("hidden"),
               used)) thread_local uint64_t __tprt_no_counter = 0;
__attribute__((visibility("hidden"),
               used)) thread_local struct tprt_shown_counters {
  uint64_t counters, limit;
} __tprt_counters = {0, 0};
}

namespace tprt {

// The counters of threads without own ones. They are added to atomically.
static CounterArrays shared;
// Whether a thread has counted there: mostly none has, and the pages need not
// be read. Stored before the first count.
static bool sharedUsed;

static bool isSharedUsed() {
  return __atomic_load_n(&sharedUsed, __ATOMIC_ACQUIRE);
}

// Stubs may count sites below this one, as far as new arrays matter, because
// whoever begins an array makes it at least this large. Pairs with `counted` in
// each thread's block: mayCountInStub() stores here and then reads there,
// growCounters() stores there and then reads here.
static uint32_t letBelow;

bool CounterArrays::add(uint32_t wanted) {
  uint32_t size = count ? 2 * capacity[count - 1] : kSmallest;
  while (size < wanted)
    size *= 2;
  if (count == kMost)
    return false;
  void *pages = reservePages(size * sizeof(uint64_t));
  if (!pages)
    return false;
  array[count] = static_cast<uint64_t *>(pages);
  capacity[count] = size;
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  return true;
}

uint64_t CounterArrays::sum(uint32_t site) const {
  uint64_t sum = 0;
  uint32_t arrays = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < arrays; ++i)
    if (site < capacity[i])
      sum += __atomic_load_n(&array[i][site], __ATOMIC_RELAXED);
  return sum;
}

void CounterArrays::addTo(uint64_t *sums, uint32_t first,
                          uint32_t sites) const {
  uint32_t arrays = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < arrays; ++i) {
    if (capacity[i] <= first)
      continue;
    uint32_t left = capacity[i] - first;
    const uint64_t *from = array[i] + first;
    for (uint32_t at = 0, end = left < sites ? left : sites; at < end; ++at)
      sums[at] += __atomic_load_n(&from[at], __ATOMIC_RELAXED);
  }
}

// Two sums, as each addition waits for the one before, and many steps in a row:
// this reads all counters of all threads.
static uint64_t sumBlock(const uint64_t *block) {
  uint64_t even = 0, odd = 0;
#pragma GCC unroll 16
  for (uint32_t at = 0; at < kBlockSites; at += 2) {
    even += __atomic_load_n(&block[at], __ATOMIC_RELAXED);
    odd += __atomic_load_n(&block[at + 1], __ATOMIC_RELAXED);
  }
  return even + odd;
}

void CounterArrays::addBlocksTo(uint64_t *sums, size_t blocks) const {
  uint32_t arrays = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < arrays; ++i) {
    size_t end = capacity[i] / kBlockSites;
    end = end < blocks ? end : blocks;
    for (size_t at = 0; at < end; ++at)
      sums[at] += sumBlock(array[i] + at * kBlockSites);
  }
}

// Counting code compares first and reads the array afterwards. It must find an
// array at least as large as what it compared with, even if a hit in a signal
// handler comes in between. So the array is stored before the limit.
void showCounters(Thread *self) {
  uint32_t capacity = self->counted / sizeof(tprt_site);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!capacity || capacity < __atomic_load_n(&letBelow, __ATOMIC_SEQ_CST)) {
    self->counted = 0; // too few: larger ones come with the first count
    return;
  }
  auto first = reinterpret_cast<uint64_t>(self->counters);
  __tprt_counters.counters = first - reinterpret_cast<uint64_t>(sites) / 4;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __tprt_counters.limit = reinterpret_cast<uint64_t>(sites + capacity);
  __tprt_first_counter = first - kCountBias;
}

void hideCounters() {
  __tprt_counters.limit = 0;
  __tprt_first_counter = 0;
}

// Begins a larger array for the calling thread. A signal handler that counts
// meanwhile uses the shared counters.
static void growCounters(Thread *self, uint32_t site) {
  // After a failure for lack of memory, attempts become ever rarer.
  uint32_t tries = self->growthTries++;
  auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (tries & (tries - 1) || !self->growing.begin(here))
    return;
  CounterArrays &own = self->arrays;
  uint32_t wanted = site + 1, all = __atomic_load_n(&siteCount, 0);
  wanted = wanted < all ? all : wanted;
  for (;;) {
    uint32_t let = __atomic_load_n(&letBelow, __ATOMIC_SEQ_CST);
    if (!own.add(wanted < let ? let : wanted))
      break;
    uint32_t capacity = own.capacity[own.count - 1];
    self->counters = own.array[own.count - 1];
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&self->counted,
                     capacity * static_cast<uint32_t>(sizeof(tprt_site)),
                     __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (capacity >= __atomic_load_n(&letBelow, __ATOMIC_SEQ_CST)) {
      showCounters(self);
      self->growthTries = 0;
      break;
    }
  }
  self->growing.end();
}

static bool isCountedBy(const Thread *self, uint32_t site) {
  return self && site < self->counted / sizeof(tprt_site);
}

void countHit(uint32_t site) {
  Thread *self = currentThread();
  if (self && !isCountedBy(self, site))
    growCounters(self, site);
  countHitOf(self, site);
}

void countInHandler(uint32_t site) {
  Thread *self = knownThread();
  if (isCountedBy(self, site))
    addOne(&self->counters[site]);
  else
    keepVectorsIn([=] { countHit(site); });
}

void countHitOf(Thread *self, uint32_t site) {
  // One instruction, so that no count is lost if a signal handler on this
  // thread counts the same site. It needs no lock prefix, because no other
  // thread writes here.
  if (isCountedBy(self, site))
    addOne(&self->counters[site]);
  else if (uint32_t arrays = __atomic_load_n(&shared.count, __ATOMIC_ACQUIRE);
           arrays && site < shared.capacity[arrays - 1]) {
    __atomic_store_n(&sharedUsed, true, __ATOMIC_RELAXED);
    __atomic_fetch_add(&shared.array[arrays - 1][site], 1, __ATOMIC_RELEASE);
  } else {
    missHit(self);
  }
}

bool prepareCounters() {
  return (shared.count && shared.capacity[shared.count - 1] >= siteCount) ||
         shared.add(siteCount);
}

bool mayCountInStub(uint32_t site) {
  static uint32_t agreed; // every thread's counters hold the sites below this
  if (site < agreed)
    return true;
  uint32_t wanted = siteCount;
  __atomic_store_n(&letBelow, wanted, __ATOMIC_SEQ_CST);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint32_t smallest = wanted;
  for (Thread *t = firstThread(); t; t = t->next) {
    uint32_t counted = __atomic_load_n(&t->counted, __ATOMIC_SEQ_CST);
    uint32_t capacity = counted / static_cast<uint32_t>(sizeof(tprt_site));
    // A thread that takes a free block reads letBelow afterwards.
    if (capacity && capacity < smallest && !isFree(t))
      smallest = capacity;
  }
  agreed = smallest > agreed ? smallest : agreed;
  return site < agreed;
}

uint64_t sumCounters(uint32_t site) {
  uint64_t sum = isSharedUsed() ? shared.sum(site) : 0;
  for (Thread *t = firstThread(); t; t = t->next)
    sum += t->arrays.sum(site);
  return sum;
}

void sumCounters(uint32_t first, uint32_t count, uint64_t *sums) {
  for (uint32_t i = 0; i < count; ++i)
    sums[i] = 0;
  if (isSharedUsed())
    shared.addTo(sums, first, count);
  for (Thread *t = firstThread(); t; t = t->next)
    t->arrays.addTo(sums, first, count);
}

void sumBlocks(uint64_t *sums, size_t blocks) {
  if (isSharedUsed())
    shared.addBlocksTo(sums, blocks);
  for (Thread *t = firstThread(); t; t = t->next)
    t->arrays.addBlocksTo(sums, blocks);
}

} // namespace tprt
