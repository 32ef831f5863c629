// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a group has measured, without the lock, while threads continue.
// The functions may be called at the same time as those of timed_groups.h,
// except endTimed().
#ifndef TPRT_TIMING_TIMED_ROWS_H
#define TPRT_TIMING_TIMED_ROWS_H

#include "base/array.h"
#include "timing/timed_groups.h"

#include <stdint.h>

namespace tprt {

// How many calls have ended.
uint64_t timedCalls(const TimedGroup *group);

// How many calls were not timed, because their thread had more than
// 4096 calls open or got no memory. Async-signal-safe.
uint64_t lostTimed(const TimedGroup *group);

struct TimedSums {
  uint64_t calls; // That ended.
  // Ticks. In `total` a call inside another call of the same function does not
  // count. `self` lacks what other timed calls took. `longest` is of one call.
  uint64_t total, self, longest;
  // Calls that are in no histogram, as the bound was reached.
  uint64_t unplaced;
  uint32_t cut;  // Of `calls`: those that ended without an exit.
  uint32_t open; // Calls that are under way.
  bool untimed;  // The function was called, and has no exit sled.
};
// The sums of all threads for the function whose entry has this index, without
// `open`. Async-signal-safe.
void sumTimed(const TimedGroup *group, uint32_t site, TimedSums &sums);

struct TimedRow {
  uint32_t site; // The index of the function's entry.
  // The thread's number in the process's namespace. 0: all threads together, or
  // several threads that followed one another.
  int32_t thread;
  TimedSums sums;
  // The histogram's buckets that are not empty, in ascending order:
  // bucket << kBucketShift | count. Valid during the visit.
  const uint64_t *buckets;
  uint32_t bucketCount;
  // With kTimedCallers: where the calls return to. 0: there was no room to keep
  // their callers apart.
  uint64_t returnAddress;
};

// Where a visit continues. {} is the beginning.
struct TimedPlace {
  uint32_t site;
  // With kTimedThreads and kTimedCallers: which of the site's rows.
  uint32_t row;
};

// What a visit tells.
enum TimedDetail : uint32_t {
  kTimedBuckets = 1, // The histograms.
  kTimedThreads = 2, // A row for each function and thread.
  kTimedCallers = 4, // A row for each function, thread and return address.
};

// Calls visit(row, data) for each function that has calls, ended or open, in
// ascending order of site. With `told`, which is one reader's own and has a
// place for each site, only for functions of which a row differs from what
// `told` says the reader was told last, with the same detail; a function that
// has no call any more has a row without calls then. If `visit` returns false,
// the visit stops and *place is that row's; a visit that begins there tells
// this row first. Returns whether all rows were told. Takes 8 kB of stack. The
// rows of a running program are not of one moment.
bool visitTimed(const TimedGroup *group, TimedPlace *place, uint32_t detail,
                bool (*visit)(const TimedRow &row, void *data), void *data,
                Array<uint64_t> *told = nullptr);

} // namespace tprt

#endif
