// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group: what one command of a tool has attached. It has one probe for each
// of its patterns, all with the same action. On the work thread.
#ifndef TPRT_OPTIONAL_CONTROL_GROUP_H
#define TPRT_OPTIONAL_CONTROL_GROUP_H

#include "core/counters.h"
#include "core/gates.h"
#include "core/plain/array.h"
#include "core/probe.h"
#include "optional/control/selection.h"
#include "optional/control/times.h"

namespace tprt {

struct ToolGroup {
  ToolGroup *next;
  uint32_t number, action, flags;
  uint32_t owner;   // The connection's number; 0: the connection has ended.
  int32_t ownerPid; // The tool's process.
  uint64_t begun;   // nanoseconds()
  bool ending;      // It is to be ended as soon as no thread is inside.
  Array<tprt_probe *> probes;
  // Of a group that times, or counts for each thread. Such a group has no
  // `probes`.
  TimedGroup *timed;
  Selection *selections; // What the probes refer to.
};

// nullptr: there is none of this number, or it is ending.
ToolGroup *findGroup(uint32_t number);

// Visits the sites of a group that counts for all threads together, from number
// `from` of all its probes' sites on, until `visit` returns false. Returns the
// number of the site that was not visited; 0: all were. Under the lock.
template <class Visit>
uint32_t visitCounts(const ToolGroup &group, uint32_t from, Visit visit) {
  uint32_t number = 0;
  for (const tprt_probe *probe : group.probes)
    for (size_t i = 0; i < probe->sites.size(); ++i, ++number) {
      if (number < from || i >= probe->baselines.size())
        continue;
      uint32_t site = probe->sites[i];
      uint64_t count = sumCounters(site) - probe->baselines[i] +
                       countAtGates(probe, sites[site]);
      if (!visit(site, count))
        return number;
    }
  return 0;
}

} // namespace tprt

#endif
