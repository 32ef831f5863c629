// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group: what one command of a tool has attached. It has one probe for each
// of its patterns, all with the same action. On the work thread.
//
// fork() may copy the process while the work thread is changing groups. So
// whatever leads to memory changes under the runtime's lock, which fork()
// takes: the list of groups, their selections and probes. What is linked is
// filled in before; what is freed is unlinked before.
#ifndef TPRT_CONTROL_PROBE_GROUP_H
#define TPRT_CONTROL_PROBE_GROUP_H

#include "actions/probe.h"
#include "base/array.h"
#include "control/hit_blocks.h"
#include "control/selection.h"
#include "patch/static_branches.h"
#include "threads/counters.h"
#include "timing/call_timer.h"

namespace tprt {

struct ToolGroup {
  ToolGroup *next;
  uint32_t number, action, flags;
  uint32_t owner;   // The connection's number; 0: the connection has ended.
  int32_t ownerPid; // The tool's process.
  uint64_t begun;   // nanoseconds()
  bool ending;      // It is to be ended as soon as no thread is inside.
  // nullptr, unless the group times calls or counts them for each thread. The
  // selections of a group that has this have no probes.
  TimedGroup *timed;
  Selection *selections; // What the probes refer to; in the order of attaching.
  // By site: the count that the owner was told last, where it asks for what has
  // changed (TPRT_CONTROL_DETAIL_CHANGED).
  Array<uint64_t> told;
  HitBlocks blocks; // For the same.
  // Of a group that times, for the same, without and with histograms: see
  // visitTimed().
  Array<uint64_t> toldTimes[2];
};

// The sums of some neighbouring sites' counters, as the sites of a group mostly
// are neighbours. Under the lock.
class CounterSums {
  static constexpr uint32_t kSites = 64;
  uint32_t first = 0, count = 0;
  uint64_t sums[kSites];

public:
  uint64_t of(uint32_t site) {
    if (site - first >= count) {
      first = site & ~(kSites - 1);
      count = kSites;
      sumCounters(first, count, sums);
    }
    return sums[site - first];
  }
};

// Calls visit(tprt_probe *&) for each probe, in the order of attaching.
template <class Visit> void visitProbes(const ToolGroup &group, Visit visit) {
  for (const Selection *s = group.selections; s; s = s->next)
    for (uint32_t i = 0; i < selectorsOf(*s); ++i)
      if (s->probes[i])
        visit(s->probes[i]);
}

// nullptr: there is none of this number, or it is ending.
ToolGroup *findGroup(uint32_t number);

// How many sites a probe counts at. Refused sites leave the list of sites, and
// their baselines stay; a site may come before its baseline.
inline size_t countedSites(const tprt_probe &probe) {
  const size_t count = probe.sites.size();
  return count < probe.baselines.size() ? count : probe.baselines.size();
}

// Visits the sites of one probe of a group, from place `at` of its list on,
// except those in quiet blocks, if there are `blocks`. Returns the place of the
// site at which `visit` returned false, or the list's end.
template <class Visit>
size_t visitCountsOf(const tprt_probe &probe, size_t at,
                     const HitBlocks *blocks, CounterSums &sums, Visit visit) {
  const size_t all = countedSites(probe);
  while (at < all) {
    const size_t end =
        endOfModule(probe.sites, at, sites[probe.sites[at]].module());
    for (; at < end; ++at) {
      if (blocks && (at = blocks->skipQuiet(probe.sites, at, end)) == end)
        break;
      const uint32_t site = probe.sites[at];
      if (!visit(site, sums.of(site) - probe.baselines[at] +
                           countAtBranches(&probe, sites[site])))
        return at;
    }
  }
  return all;
}

// Visits the sites of a group that counts for all threads together, from number
// `from` of all its probes' sites on, until `visit` returns false. Returns the
// number of the site that was not visited; 0: all were. Under the lock.
template <class Visit>
uint32_t visitCounts(const ToolGroup &group, uint32_t from,
                     const HitBlocks *blocks, Visit visit) {
  size_t number = 0, left = 0;
  bool stopped = false;
  CounterSums sums;
  visitProbes(group, [&](const tprt_probe *probe) {
    const size_t all = countedSites(*probe);
    const size_t first = from > number ? from - number : 0;
    if (!stopped && first < all) {
      const size_t at = visitCountsOf(*probe, first, blocks, sums, visit);
      stopped = at < all;
      if (stopped)
        left = number + at;
    }
    number += all;
  });
  return static_cast<uint32_t>(left);
}

} // namespace tprt

#endif
