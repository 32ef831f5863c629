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
#ifndef TPRT_TIMING_TIMED_GROUPS_H
#define TPRT_TIMING_TIMED_GROUPS_H

#include "tprt/tprt.h"

#include <stddef.h>

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

} // namespace tprt

#endif
