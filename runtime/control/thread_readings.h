// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a group that counts by thread: which arrays of counters are
// whose, and what the group's owner was told of each. A row is for one number
// of a thread: threads that had the same number, one after the other, are in
// one row. On the work thread, under the lock.
#ifndef TPRT_CONTROL_THREAD_READINGS_H
#define TPRT_CONTROL_THREAD_READINGS_H

#include "base/array.h"
#include "control/hit_blocks.h"
#include "threads/counters.h"

namespace tprt {

class ThreadReadings {
public:
  // The first page of a reading: looks which threads there are. Threads keep
  // their places. False: no memory.
  bool refresh();
  size_t size() const { return threads.size(); }
  int32_t number(size_t place) const { return threads[place].number; }
  // Empty if the thread has no counters any more.
  CounterSet counters(size_t place) const;
  HitBlocks &blocks(size_t place) { return *threads[place].blocks; }
  // The group's sites have changed.
  void forget();
  void reset();

private:
  struct OfThread {
    HitBlocks *blocks;
    int32_t number;
    uint32_t first, count; // A part of `listed`.
  };
  OfThread *find(int32_t number);

  Array<OfThread> threads;
  Array<ThreadCounters> listed; // In order of the threads' numbers.
};

} // namespace tprt

#endif
