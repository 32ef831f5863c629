// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See probe_counts.h.
#include "patch/probe_counts.h"
#include "actions/action_list.h"
#include "base/search.h"
#include "base/sort.h"
#include "modules/point_groups.h"
#include "text/stubs.h"

namespace tprt {

// --- noting ------------------------------------------------------------------

void noteSite(tprt_probe &probe, size_t place) {
  probe.baselines[place] = sumCounters(probe.sites[place]);
}

bool noteBranch(tprt_probe &probe, uint32_t branch) {
  return probe.branches.push({branch, sumCounters(branch)});
}

void sortNotes(tprt_probe &probe) {
  heapSort(probe.branches.begin(), probe.branches.size(),
           [](const BranchCount &a, const BranchCount &b) {
             return a.branch < b.branch;
           });
}

// --- reading -----------------------------------------------------------------

static uint64_t countAtBranch(const tprt_probe &probe, uint32_t branch) {
  const Array<BranchCount> &branches = probe.branches;
  size_t i = partitionPoint(0, branches.size(), [&](size_t at) {
    return branches[at].branch < branch;
  });
  return i < branches.size() && branches[i].branch == branch
             ? sumCounters(branch) - branches[i].baseline
             : 0;
}

// What a probe has counted at the static branches of a point, if `site` is the
// first of the point's sleds that the probe is on; else 0, so that static
// branches with several sleds are counted once.
static uint64_t countAtBranches(const tprt_probe &probe,
                                const tprt_site &site) {
  const Module *module = site.module();
  const Points &points = *module->pointGroups;
  const PointGroup &group = points.groups[site.pointGroup];
  for (uint32_t at = group.sleds; points.places[at] != placeOf(site); ++at) {
    const ActionList *actionList =
        actionListOf(sites[module->firstSite + points.places[at]]);
    if (actionList && contains(actionList, &probe))
      return 0;
  }
  uint64_t sum = 0;
  for (uint32_t at = group.branches; at < group.end; ++at)
    sum += countAtBranch(probe, module->firstSite + points.places[at]);
  return sum;
}

uint64_t CounterReading::sumAt(uint32_t site) {
  if (site - first >= count) {
    first = site & ~(kBlockSites - 1);
    count = kBlockSites;
    sumCounters(first, count, sums);
  }
  return sums[site - first];
}

uint64_t CounterReading::countAt(const tprt_probe &probe, size_t place) {
  const uint32_t site = probe.sites[place];
  const uint64_t count = sumAt(site) - probe.baselines[place];
  return sites[site].isPoint() ? count + countAtBranches(probe, sites[site])
                               : count;
}

} // namespace tprt
