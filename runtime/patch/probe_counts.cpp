// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See probe_counts.h.
#include "patch/probe_counts.h"
#include "actions/action_list.h"
#include "base/search.h"
#include "base/sort.h"
#include "modules/point_groups.h"
#include "text/stub_regions.h"

namespace tprt {

// --- noting ------------------------------------------------------------------

// Notes what was counted at a site so far. If the probe counts by thread, also
// notes the count in each array; most counts are 0. Returns false if there is
// no memory.
static bool note(tprt_probe &probe, uint32_t site, uint64_t &sum) {
  if (!probe.byThread) {
    sum = sumCounters(site);
    return true;
  }
  struct Noted {
    tprt_probe &probe;
    uint32_t site;
    uint64_t sum = 0;
    bool whole = true;
  } noted{probe, site};
  visitCounters(
      [](const CounterArray &array, void *data) {
        auto &noted = *static_cast<Noted *>(data);
        const uint64_t count = countIn(array, noted.site);
        noted.sum += count;
        if (count)
          noted.whole &=
              noted.probe.arrayBaselines.push({&array, noted.site, count});
      },
      &noted);
  sum = noted.sum;
  return noted.whole;
}

bool noteSite(tprt_probe &probe, size_t place) {
  return note(probe, probe.sites[place], probe.baselines[place]);
}

bool noteBranch(tprt_probe &probe, uint32_t branch) {
  BranchCount count{branch, 0};
  return note(probe, branch, count.baseline) && probe.branches.push(count);
}

static bool isBefore(const ArrayBaseline &a, const ArrayBaseline &b) {
  return a.site != b.site ? a.site < b.site : a.array < b.array;
}

void sortNotes(tprt_probe &probe) {
  heapSort(probe.branches.begin(), probe.branches.size(),
           [](const BranchCount &a, const BranchCount &b) {
             return a.branch < b.branch;
           });
  heapSort(probe.arrayBaselines.begin(), probe.arrayBaselines.size(),
           [](const ArrayBaseline &a, const ArrayBaseline &b) {
             return isBefore(a, b);
           });
}

// --- reading -----------------------------------------------------------------

// A site that was refused at first was noted twice. Counters only grow, so the
// higher note is the later note.
static uint64_t noteOf(const tprt_probe &probe, uint32_t site,
                       const CounterArray *array) {
  const Array<ArrayBaseline> &all = probe.arrayBaselines;
  const ArrayBaseline wanted{array, site, 0};
  uint64_t highest = 0;
  for (size_t i = partitionPoint(
           0, all.size(), [&](size_t at) { return isBefore(all[at], wanted); });
       i < all.size() && !isBefore(wanted, all[i]); ++i)
    highest = all[i].count > highest ? all[i].count : highest;
  return highest;
}

// The part of the sum that was counted before the probe began to count. `all`
// is that part for all threads.
uint64_t CounterReading::baseline(const tprt_probe &probe, uint32_t site,
                                  uint64_t all) const {
  if (!of.begin || !all)
    return all;
  uint64_t sum = 0;
  for (const ThreadCounters *one = of.begin; one != of.end; ++one)
    sum += noteOf(probe, site, one->array);
  return sum;
}

uint64_t CounterReading::countAtBranch(const tprt_probe &probe,
                                       uint32_t branch) const {
  const Array<BranchCount> &branches = probe.branches;
  size_t i = partitionPoint(0, branches.size(), [&](size_t at) {
    return branches[at].branch < branch;
  });
  return i < branches.size() && branches[i].branch == branch
             ? sumCounters(branch, of) -
                   baseline(probe, branch, branches[i].baseline)
             : 0;
}

// What a probe has counted at the static branches of a point, if `site` is the
// point's first sled with this probe. For the point's other sleds this is 0, so
// that static branches with several sleds are counted once.
uint64_t CounterReading::countAtBranches(const tprt_probe &probe,
                                         const tprt_site &site) const {
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
    sumCounters(first, count, sums, of);
  }
  return sums[site - first];
}

uint64_t CounterReading::countAt(const tprt_probe &probe, size_t place) {
  const uint32_t site = probe.sites[place];
  const uint64_t count =
      sumAt(site) - baseline(probe, site, probe.baselines[place]);
  return sites[site].isPoint() ? count + countAtBranches(probe, sites[site])
                               : count;
}

} // namespace tprt
