// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a counting probe has counted: by how much the threads' counters of its
// sites have grown since the attach, and the counters of the static branches
// where the hits of its points are counted. The API, TPRT_OPTIONS and tools
// read counts here, and nowhere else. Under the lock.
#ifndef TPRT_PATCH_PROBE_COUNTS_H
#define TPRT_PATCH_PROBE_COUNTS_H

#include "actions/probe.h"
#include "modules/module.h"
#include "threads/counters.h"

namespace tprt {

// --- for batches: a probe begins to count ------------------------------------

// Notes what was counted so far at a place of the probe's list of sites. Called
// right before the site is flipped. False: no memory.
bool noteSite(tprt_probe &probe, size_t place);
// The same for a static branch.
bool noteBranch(tprt_probe &probe, uint32_t branch);
// Called when a batch has noted all, before counts are read.
void sortNotes(tprt_probe &probe);

// --- reading: async-signal-safe ----------------------------------------------

// Reads the counts of all threads, or those in some of the counters. Keeps the
// sums of some neighbouring sites, because the sites of a probe mostly are
// neighbours. So use one object for one reading.
class CounterReading {
public:
  explicit CounterReading(const CounterSet &of = {}) : of(of) {}
  // What was counted since the probe began to count there, at the static
  // branches of a point included. `place`: below countedSites().
  uint64_t countAt(const tprt_probe &probe, size_t place);

private:
  uint64_t sumAt(uint32_t site);
  uint64_t baseline(const tprt_probe &probe, uint32_t site, uint64_t all) const;
  uint64_t countAtBranch(const tprt_probe &probe, uint32_t branch) const;
  uint64_t countAtBranches(const tprt_probe &probe,
                           const tprt_site &site) const;

  CounterSet of;
  uint32_t first = 0, count = 0;
  uint64_t sums[kBlockSites];
};

// How many sites a probe counts at. Refused sites leave the list of sites, and
// their baselines stay; a site may come before its baseline.
inline size_t countedSites(const tprt_probe &probe) {
  const size_t count = probe.sites.size();
  return count < probe.baselines.size() ? count : probe.baselines.size();
}

// Calls visit(site, count) for the sites of a probe, from place `at` of its
// list on, until `visit` returns false. Returns the place where it ended.
// skip(list, at, end) says which place is to be visited next, from `at` on;
// `end` if none is. The sites from `at` to `end` ascend.
template <class Skip, class Visit>
size_t visitCounts(const tprt_probe &probe, size_t at, CounterReading &reading,
                   Skip skip, Visit visit) {
  const size_t all = countedSites(probe);
  while (at < all) {
    const size_t end =
        endOfModule(probe.sites, at, sites[probe.sites[at]].module());
    for (; at < end && (at = skip(probe.sites, at, end)) < end; ++at)
      if (!visit(probe.sites[at], reading.countAt(probe, at)))
        return at;
  }
  return all;
}

// The same for all sites.
template <class Visit> void visitCounts(const tprt_probe &probe, Visit visit) {
  CounterReading reading;
  for (size_t at = 0, all = countedSites(probe); at < all; ++at)
    visit(probe.sites[at], reading.countAt(probe, at));
}

} // namespace tprt

#endif
