// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See thread_readings.h.
#include "control/thread_readings.h"
#include "base/small_alloc.h"
#include "base/sort.h"

namespace tprt {

// A thread that is new gets the last place. nullptr: no memory.
ThreadReadings::OfThread *ThreadReadings::find(int32_t number) {
  for (OfThread &one : threads)
    if (one.number == number)
      return &one;
  auto *blocks = static_cast<HitBlocks *>(allocateSmall(sizeof(HitBlocks)));
  if (!blocks || !threads.push({blocks, number, 0, 0})) {
    if (blocks)
      freeSmall(blocks, sizeof(HitBlocks));
    return nullptr;
  }
  return threads.end() - 1;
}

bool ThreadReadings::refresh() {
  struct Listing {
    Array<ThreadCounters> &to;
    bool whole;
  } listing{listed, true};
  listed.clear();
  visitCounters(
      [](const CounterArray &array, void *data) {
        auto &listing = *static_cast<Listing *>(data);
        listing.whole &= listing.to.push(
            {&array, __atomic_load_n(&array.thread, __ATOMIC_RELAXED)});
      },
      &listing);
  for (OfThread &one : threads)
    one.first = one.count = 0;
  if (!listing.whole)
    return false;
  heapSort(listed.begin(), listed.size(),
           [](const ThreadCounters &a, const ThreadCounters &b) {
             return a.thread < b.thread;
           });
  for (uint32_t i = 0, end; i < listed.size(); i = end) {
    for (end = i + 1;
         end < listed.size() && listed[end].thread == listed[i].thread;)
      ++end;
    OfThread *one = find(listed[i].thread);
    if (!one)
      return false;
    one->first = i;
    one->count = end - i;
  }
  return true;
}

CounterSet ThreadReadings::counters(size_t place) const {
  const ThreadCounters *first = listed.begin() + threads[place].first;
  return {first, first + threads[place].count};
}

void ThreadReadings::forget() {
  for (OfThread &one : threads)
    one.blocks->forget();
}

void ThreadReadings::reset() {
  for (OfThread &one : threads) {
    one.blocks->reset();
    freeSmall(one.blocks, sizeof(HitBlocks));
  }
  threads.reset();
  listed.reset();
}

} // namespace tprt
