// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See list_groups.h.
#include "control/list_groups.h"
#include "actions/probe.h"
#include "aggregate/read_rows.h"
#include "base/os_thread.h"
#include "control/probe_group.h"
#include "control/probe_groups.h"
#include "threads/lock.h"

#include <string.h>

namespace tprt {

static tprt_control_group describe(const ToolGroup &group,
                                   const Client &client) {
  tprt_control_group out{};
  out.group = group.number;
  out.action = group.action;
  out.flags = group.flags & ~uint32_t{TPRT_CONTROL_NAMES_ONLY};
  out.owner = group.owner ? group.ownerPid : 0;
  out.own = group.owner == client.number;
  out.age = nanoseconds() - group.begun;
  if (group.timed) {
    out.sites = static_cast<uint32_t>(sitesOfTimed(group.timed));
    out.hits = timedCalls(group.timed);
    return out;
  }
  if (group.scope) {
    out.sites = static_cast<uint32_t>(sitesOfScope(group.scope));
    return out;
  }
  if (group.aggregated) {
    out.sites = static_cast<uint32_t>(sitesOfAggregation(group.aggregated));
    out.hits = hitsOf(group.aggregated);
    return out;
  }
  Lock lock;
  visitProbes(group, [&](const tprt_probe *probe) {
    out.sites += static_cast<uint32_t>(probe->sites.size());
  });
  uint32_t from = 0;
  visitCounts(group, from, {}, nullptr, [&](uint32_t, uint64_t count) {
    out.hits += count;
    return true;
  });
  return out;
}

// Whether a group is to be shown. A group that has only names is about to get
// its sites, or nothing matches so far.
static bool isShown(const ToolGroup &group) {
  return !group.ending && group.selections &&
         (!(group.flags & TPRT_CONTROL_NAMES_ONLY) || group.selections->next);
}

tprt_status listGroups(Client &client, Request &, Answer &answer) {
  // The patterns of each group get an equal part of the remaining message.
  constexpr uint32_t kMost = 256;
  constexpr size_t kText =
      (TPRT_CONTROL_MOST_BYTES - 1024) / kMost - sizeof(tprt_control_group);
  tprt_control_groups_answer numbers{};
  for (ToolGroup *g = newestGroup(); g; g = g->next)
    if (isShown(*g))
      ++(numbers.groups < kMost ? numbers.groups : numbers.left_out);
  answer.put(numbers);
  uint32_t told = 0;
  for (ToolGroup *g = newestGroup(); g && told < numbers.groups; g = g->next)
    if (isShown(*g)) {
      answer.put(describe(*g, client));
      ++told;
    }
  told = 0;
  for (ToolGroup *g = newestGroup(); g && told < numbers.groups; g = g->next)
    if (isShown(*g)) {
      char text[kText] = "";
      const Selection *first = g->selections; // the one that made the group
      if (first && first->siteCount)
        strcpy(text, "(a list of sites)");
      else if (first)
        strncpy(text, first->text, sizeof text - 1);
      answer.putText(text);
      ++told;
    }
  return TPRT_STATUS_OK;
}

} // namespace tprt
