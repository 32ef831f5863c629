// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times calls of functions, live: sums and histograms per function and thread.
// A group of selectors is timed together, so each function's own time (`self`)
// is what no other function of its group took. TPRT_OPTIONS=time= and the
// control part use this. Groups come and go; several can be on at once, also on
// the same functions.
//
// Calls for one group come from one thread at a time; different groups are
// independent. sumTimed(), lostTimed() and timedCalls() may also be called at
// the same time as all others except endTimed(). None of these functions may be
// called in a handler, except those that are said to be async-signal-safe.
#ifndef TPRT_TIMING_CALL_TIMER_H
#define TPRT_TIMING_CALL_TIMER_H

#include "base/array.h"
#include "threads/component.h"
#include "timing/duration_probe.h"
#include "tprt/tprt.h"

namespace tprt {

struct TimedGroup;

// The most groups at a time.
constexpr unsigned kMostTimed = 16;
// The bound of a group's histograms in bytes.
constexpr size_t kHistogramBytes = size_t{64} << 20;

// Makes a group that times nothing yet, and stores it in `place` under the
// lock. `histogramBytes` is the bound of its histograms; 0: the group has none.
// The bound is reserved as address space, and memory is used as calls need it.
// False: no memory, or kMostTimed groups exist.
bool makeTimed(TimedGroup *&place, size_t histogramBytes = kHistogramBytes);
// The same for a group that keeps calls with different return addresses apart.
bool makeTimedByCallers(TimedGroup *&place);

// Attaches to the entries and exits of the functions that `selector` finds,
// whatever its `kinds`. Status and result are those of tprt_probe_attach().
// PARTIAL also means that functions have an entry sled and no exit sled; their
// calls are not timed. A function that several selectors of the group find is
// timed once. Calls that are under way at the attach are not timed.
tprt_status addTimed(TimedGroup *group, const tprt_selector *selector,
                     tprt_result &result);
// The same, except that functions without exits have no effect on the status.
// Stores the probe in *probe, which belongs to the group. Both functions fail
// with NO_MEMORY if `group` is nullptr.
tprt_status attachTimed(TimedGroup *group, const tprt_selector *selector,
                        tprt_probe **probe, tprt_result *result);

// Takes the group off the entries and exits that `leaves` chooses. What was
// measured of these functions stays. Adds the number of sites to *count. Any
// status but OK: repeat the call.
tprt_status dropTimed(TimedGroup *group,
                      bool (*leaves)(const tprt_site &site, void *data),
                      void *data, size_t *count);

// Detaches all selectors, with the statuses of tprt_probe_detach(). OK: the
// group and all of its memory are gone, and `place` is nullptr. Any other
// status: repeat the call; the group can still be read. A child of fork() may
// call this for a group that the parent was attaching to, or ending, meanwhile.
tprt_status endTimed(TimedGroup *&place, int timeoutMs);

// How many sites the group is on at, exits included.
size_t sitesOfTimed(const TimedGroup *group);

// --- reading: without the lock, while threads go on --------------------------

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

// --- buckets -----------------------------------------------------------------

// Ticks below 16 have a bucket each. Above, each doubling has 16 buckets of
// equal width. Without a branch, because short calls have ticks about 16.
constexpr unsigned kBucketShift = 48; // docs/reference/control.md
constexpr uint32_t kBuckets = 61 * 16;
constexpr uint32_t bucketOf(uint64_t ticks) {
  auto shift = 59 - static_cast<unsigned>(__builtin_clzll(ticks | 16));
  return static_cast<uint32_t>(shift * 16 + (ticks >> shift));
}
// The least ticks of a bucket.
constexpr uint64_t startOfBucket(uint32_t bucket) {
  return bucket < 16 ? bucket
                     : (uint64_t{16} | bucket % 16) << (bucket / 16 - 1);
}

// --- the part ----------------------------------------------------------------

// What each thread's block holds: the addresses of the thread's tallies, by the
// group's slot (thread_sums.h).
struct ThreadTimes {
  uintptr_t of[kMostTimed];
};
void beginThreadTimes(void *state);

inline constexpr Component timesComponent{
    .stateAt = durationsComponent.stateAt + durationsComponent.stateBytes,
    .stateBytes = sizeof(ThreadTimes),
    .beginThread = beginThreadTimes};

} // namespace tprt

#endif
