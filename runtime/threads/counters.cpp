// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters; see counters.h. The functions that count run inside hits, possibly
// in signal handlers: they use no lock, and their only system call is mmap.
#include "threads/counters.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "threads/thread_block.h"

extern "C" {
// Counting stubs and the counting code of arch/aarch64 read these variables.
// `limit` is the address of the first site for which the counters have no room.
__attribute__((visibility("hidden"),
               used)) thread_local uint64_t __tprt_first_counter = 0;
// A counting stub in code without sleds reads this variable instead if it may
// not count. Never written.
__attribute__((visibility("hidden"),
               used)) thread_local uint64_t __tprt_no_counter = 0;
__attribute__((visibility("hidden"),
               used)) thread_local struct tprt_shown_counters {
  uint64_t counters, limit;
} __tprt_counters = {0, 0};
}

namespace tprt {

// The smallest array fits into a page, including its head.
static constexpr uint32_t kSmallest = 7 * kBlockSites;

// The counters for threads without their own counters, the largest array first.
// Threads increment these atomically.
static CounterArray *shared;
// Whether any thread has counted in `shared`. If not, which is the usual case,
// readers skip its pages. Stored before the first count.
static bool sharedUsed;

static bool isSharedUsed() {
  return __atomic_load_n(&sharedUsed, __ATOMIC_ACQUIRE);
}

// Stubs may count sites below this index in any new array, because every new
// array is at least this large. Pairs with `counted` in each thread's block:
// mayCountInStub() stores letBelow and then reads `counted`; growCounters()
// stores `counted` and then reads letBelow.
static uint32_t letBelow;

// The value of CounterArray::left while a thread counts in the array.
static constexpr uint64_t kTaken = UINT64_MAX - 1;

static CounterArray *arrayOf(uint64_t *counters) {
  return reinterpret_cast<CounterArray *>(counters) - 1;
}

// Adds an array for at least this many sites to a list. Returns nullptr if
// there is no memory. Only one thread at a time may add to a list.
// Async-signal-safe.
static CounterArray *addArray(CounterArray *&list, uint32_t sites,
                              int32_t thread) {
  uint32_t size = kSmallest;
  while (size < sites)
    size *= 2;
  void *pages = reservePages(
      roundToPages(sizeof(CounterArray) + size * sizeof(uint64_t)));
  if (!pages)
    return nullptr;
  auto *array = static_cast<CounterArray *>(pages);
  array->next = list;
  array->left = kTaken;
  array->thread = thread;
  array->capacity = size;
  __atomic_store_n(&list, array, __ATOMIC_RELEASE);
  return array;
}

// --- threads that follow one another in a block ------------------------------

// How many readers count threads separately. Used under the lock.
static uint32_t readersApart;
// Incremented when the first of these readers begins.
static uint64_t timesApart = 1;
// The value of timesApart when these readers began, or kNobody if there is no
// such reader. Stored after timesApart.
static constexpr uint64_t kNobody = UINT64_MAX;
static uint64_t apartSince = kNobody;
// How many arrays of ended threads were kept since these readers began.
static constexpr uint32_t kMostKept = 64;
static uint32_t kept;

void countApart() {
  if (readersApart++)
    return;
  kept = 0;
  __atomic_store_n(&timesApart, timesApart + 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&apartSince, timesApart, __ATOMIC_SEQ_CST);
  // Pairs with the fence in leaveCounters(): either the ending thread sees the
  // new number, or the reader sees all counts of that thread and treats them as
  // counted before.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void stopCountingApart() {
  if (!--readersApart)
    __atomic_store_n(&apartSince, kNobody, __ATOMIC_SEQ_CST);
}

static int32_t numberOf(const Thread *self) {
  return self->owner > 0 ? self->owner : 0;
}

// Whether the thread may continue in the array of an ended thread. This is
// permitted if no reader that counts threads separately has seen the ended
// thread. The new thread's number is stored before its first count; see
// isStillOf().
static bool takeOver(CounterArray &array, const Thread *self) {
  if (array.left >= __atomic_load_n(&apartSince, __ATOMIC_SEQ_CST))
    return !array.thread;
  array.left = kTaken;
  __atomic_store_n(&array.thread, numberOf(self), __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return true;
}

// Finds an array for a thread whose present array is too small.
static CounterArray *findArray(Thread *self, uint32_t sites) {
  if (self->counted)
    return addArray(self->arrays, sites, arrayOf(self->counters)->thread);
  for (CounterArray *a = self->arrays; a; a = a->next)
    if (a->capacity >= sites && a->thread && takeOver(*a, self))
      return a;
  if (!self->arrays ||
      __atomic_load_n(&apartSince, __ATOMIC_RELAXED) == kNobody ||
      __atomic_fetch_add(&kept, 1, __ATOMIC_RELAXED) < kMostKept)
    return addArray(self->arrays, sites, numberOf(self));
  __atomic_fetch_sub(&kept, 1, __ATOMIC_RELAXED);
  for (CounterArray *a = self->arrays; a; a = a->next)
    if (a->capacity >= sites && !a->thread)
      return a;
  return addArray(self->arrays, sites, 0);
}

// Counting code first compares with the limit and then reads the array. The
// array must be at least as large as that limit, even if a signal handler has a
// hit in between. So the array is stored before the limit.
static void showCounters(Thread *self) {
  uint32_t capacity = self->counted / sizeof(tprt_site);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!capacity || capacity < __atomic_load_n(&letBelow, __ATOMIC_SEQ_CST)) {
    self->counted = 0; // too small: the first count makes a larger array
    return;
  }
  auto first = reinterpret_cast<uint64_t>(self->counters);
  __tprt_counters.counters = first - reinterpret_cast<uint64_t>(sites) / 4;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __tprt_counters.limit = reinterpret_cast<uint64_t>(sites + capacity);
  __tprt_first_counter = first - kCountBias;
}

void takeCounters(Thread *self) {
  if (self->counters) {
    CounterArray &array = *arrayOf(self->counters);
    if (array.left == kTaken) // the thread has ended without leaveCounters()
      array.left = __atomic_load_n(&timesApart, __ATOMIC_RELAXED);
    if (!takeOver(array, self))
      self->counted = 0;
  }
  showCounters(self);
}

void hideCounters() {
  __tprt_counters.limit = 0;
  __tprt_first_counter = 0;
}

void renumberCounters(Thread *self) {
  if (self->counters)
    __atomic_store_n(&arrayOf(self->counters)->thread, numberOf(self),
                     __ATOMIC_RELAXED);
}

void leaveCounters(Thread *self) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (self->counters)
    arrayOf(self->counters)->left =
        __atomic_load_n(&timesApart, __ATOMIC_RELAXED);
}

// Begins a larger array for the calling thread. A signal handler that counts
// meanwhile uses the shared counters.
static void growCounters(Thread *self, uint32_t site) {
  // If there is no memory, later attempts become less and less frequent.
  uint32_t tries = self->growthTries++;
  auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (tries & (tries - 1) || !self->growing.begin(here))
    return;
  uint32_t wanted = site + 1, all = __atomic_load_n(&siteCount, 0);
  wanted = wanted < all ? all : wanted;
  for (;;) {
    uint32_t let = __atomic_load_n(&letBelow, __ATOMIC_SEQ_CST);
    CounterArray *array = findArray(self, wanted < let ? let : wanted);
    if (!array)
      break;
    uint32_t capacity = array->capacity;
    self->counters = array->counters();
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
  // The increment is one instruction, so no count is lost if a signal handler
  // on this thread counts the same site. The instruction needs no lock prefix,
  // because no other thread writes this counter.
  if (isCountedBy(self, site))
    addOne(&self->counters[site]);
  else if (CounterArray *array = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
           array && site < array->capacity) {
    __atomic_store_n(&sharedUsed, true, __ATOMIC_RELAXED);
    __atomic_fetch_add(&array->counters()[site], 1, __ATOMIC_RELEASE);
  } else {
    missHit(self);
  }
}

bool prepareCounters() {
  return (shared && shared->capacity >= siteCount) ||
         addArray(shared, siteCount, 0);
}

bool mayCountInStub(uint32_t site) {
  static uint32_t agreed; // every thread's counters contain the sites below
                          // this index
  if (site < agreed)
    return true;
  uint32_t wanted = siteCount;
  __atomic_store_n(&letBelow, wanted, __ATOMIC_SEQ_CST);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint32_t smallest = wanted;
  for (Thread *t = firstThread(); t; t = t->next) {
    uint32_t counted = __atomic_load_n(&t->counted, __ATOMIC_SEQ_CST);
    uint32_t capacity = counted / static_cast<uint32_t>(sizeof(tprt_site));
    // A thread that claims a free block reads letBelow after the claim.
    if (capacity && capacity < smallest && !isFree(t))
      smallest = capacity;
  }
  agreed = smallest > agreed ? smallest : agreed;
  return site < agreed;
}

// --- reading -----------------------------------------------------------------

// Calls visit(array) for the arrays of all threads.
template <class Visit> static void visitAll(Visit visit) {
  if (isSharedUsed())
    for (const CounterArray *a = __atomic_load_n(&shared, __ATOMIC_ACQUIRE); a;
         a = a->next)
      visit(*a);
  for (Thread *t = firstThread(); t; t = t->next)
    for (const CounterArray *a = __atomic_load_n(&t->arrays, __ATOMIC_ACQUIRE);
         a; a = a->next)
      visit(*a);
}

void visitCounters(void (*visit)(const CounterArray &array, void *data),
                   void *data) {
  visitAll([=](const CounterArray &array) { visit(array, data); });
}

static void addTo(uint64_t *sums, uint32_t first, uint32_t sites,
                  const CounterArray &array) {
  if (array.capacity <= first)
    return;
  const uint32_t left = array.capacity - first;
  const uint64_t *from = array.counters() + first;
  for (uint32_t at = 0, end = left < sites ? left : sites; at < end; ++at)
    sums[at] += __atomic_load_n(&from[at], __ATOMIC_RELAXED);
}

// Whether the counts that were just read belong to the listed thread. If
// another thread has taken over the array, the reader has never seen a hit of
// the listed thread in that array. Pairs with the fence in takeOver().
static bool isStillOf(const ThreadCounters &listed) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&listed.array->thread, __ATOMIC_RELAXED) ==
         listed.thread;
}

void sumCounters(uint32_t first, uint32_t count, uint64_t *sums,
                 const CounterSet &of) {
  for (uint32_t i = 0; i < count; ++i)
    sums[i] = 0;
  if (!of.begin)
    return visitAll(
        [=](const CounterArray &array) { addTo(sums, first, count, array); });
  for (const ThreadCounters *listed = of.begin; listed != of.end; ++listed)
    for (uint32_t at = 0; at < count; at += kBlockSites) {
      const uint32_t some = count - at < kBlockSites ? count - at : kBlockSites;
      uint64_t now[kBlockSites] = {};
      addTo(now, first + at, some, *listed->array);
      if (isStillOf(*listed))
        for (uint32_t i = 0; i < some; ++i)
          sums[at + i] += now[i];
    }
}

uint64_t sumCounters(uint32_t site, const CounterSet &of) {
  uint64_t sum;
  sumCounters(site, 1, &sum, of);
  return sum;
}

// This reads all counters of all threads, so it must be fast. With two sums, an
// addition need not wait for the previous addition. The loop is unrolled.
static uint64_t sumBlock(const uint64_t *block) {
  uint64_t even = 0, odd = 0;
#pragma GCC unroll 16
  for (uint32_t at = 0; at < kBlockSites; at += 2) {
    even += __atomic_load_n(&block[at], __ATOMIC_RELAXED);
    odd += __atomic_load_n(&block[at + 1], __ATOMIC_RELAXED);
  }
  return even + odd;
}

void sumBlocks(uint64_t *sums, size_t stride, size_t blocks,
               const CounterSet &of) {
  auto add = [=](const CounterArray &array) {
    size_t end = array.capacity / kBlockSites;
    end = end < blocks ? end : blocks;
    for (size_t at = 0; at < end; ++at)
      sums[at * stride] += sumBlock(array.counters() + at * kBlockSites);
  };
  if (!of.begin)
    return visitAll(add);
  for (const ThreadCounters *listed = of.begin; listed != of.end; ++listed)
    add(*listed->array);
}

} // namespace tprt
