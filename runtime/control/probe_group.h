// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group: what one command of a tool has attached. A group has one probe for
// each pattern, all with the same action. On the work thread.
//
// fork() may copy the process while the work thread is changing groups. So all
// pointers change under the runtime's lock, which fork() takes: the list of
// groups, their selections and probes. A structure is filled in before it is
// linked, and unlinked before it is freed.
#ifndef TPRT_CONTROL_PROBE_GROUP_H
#define TPRT_CONTROL_PROBE_GROUP_H

#include "actions/probe.h"
#include "aggregate/aggregations.h"
#include "base/array.h"
#include "control/hit_blocks.h"
#include "control/selection.h"
#include "control/semaphores.h"
#include "control/thread_readings.h"
#include "patch/probe_counts.h"
#include "programs/scopes.h"
#include "run/run_object.h"
#include "timing/timed_groups.h"
#include "timing/timed_rows.h"

namespace tprt {

struct ToolGroup {
  ToolGroup *next;
  uint32_t number, action, flags;
  uint32_t owner;   // The connection's number; 0: the connection has ended.
  int32_t ownerPid; // The tool's process.
  uint64_t begun;   // nanoseconds()
  bool ending;      // It is to be ended as soon as no thread is inside.
  // nullptr, unless the group times calls. The selections of a group that has
  // this have no probes.
  TimedGroup *timed;
  // The same of a group that aggregates hits.
  Aggregation *aggregated;
  // The same of a group that follows calls.
  Scope *scope;
  // The file whose handlers a group calls.
  RunObject *run;
  Selection *selections; // What the probes refer to; in the order of attaching.
  // What the owner was told last, where it asks for what has changed
  // (TPRT_CONTROL_DETAIL_CHANGED).
  HitBlocks blocks;
  ThreadReadings threads; // The same by thread.
  // Of a group that times, the same without and with histograms: see
  // visitTimed().
  Array<uint64_t> toldTimes[2];
  RaisedSemaphores semaphores; // of the USDT probes among its sites

  bool countsByThread() const { return flags & TPRT_CONTROL_PER_THREAD; }
};

// Calls visit(tprt_probe *&) for each probe, in the order of attaching.
template <class Visit> void visitProbes(const ToolGroup &group, Visit visit) {
  for (const Selection *s = group.selections; s; s = s->next)
    for (uint32_t i = 0; i < selectorsOf(*s); ++i)
      if (s->probes[i])
        visit(s->probes[i]);
}

// Calls visit(site, count) for the sites of a group that counts, from number
// `from` of all its probes' sites on, except those in quiet blocks, if there
// are `blocks`. If `visit` returns false, the visit stops, and `from` is that
// site's number. Returns whether all sites were visited. Under the lock.
template <class Visit>
bool visitCounts(const ToolGroup &group, uint32_t &from, const CounterSet &of,
                 const HitBlocks *blocks, Visit visit) {
  size_t number = 0;
  bool stopped = false;
  CounterReading reading(of);
  auto skip = [=](const Array<uint32_t> &list, size_t at, size_t end) {
    return blocks ? blocks->skipQuiet(list, at, end) : at;
  };
  visitProbes(group, [&](const tprt_probe *probe) {
    const size_t all = countedSites(*probe);
    const size_t first = from > number ? from - number : 0;
    if (!stopped && first < all) {
      const size_t at = visitCounts(*probe, first, reading, skip, visit);
      stopped = at < all;
      if (stopped)
        from = static_cast<uint32_t>(number + at);
    }
    number += all;
  });
  return !stopped;
}

} // namespace tprt

#endif
