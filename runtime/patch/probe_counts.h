// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a counting probe has counted. The count is the growth of counters since
// the attach: the threads' counters of the probe's sites, and the counters of
// the static branches that count hits of its points. The API, TPRT_OPTIONS and
// tools read counts only here. Called under the lock.
#ifndef TPRT_PATCH_PROBE_COUNTS_H
#define TPRT_PATCH_PROBE_COUNTS_H

#include "actions/probe.h"
#include "modules/module.h"
#include "threads/counters.h"

namespace tprt {

// --- for batches: a probe begins to count ------------------------------------

// Notes what was counted so far at a place of the probe's list of sites. Called
// right before the site is flipped. Returns false if there is no memory.
bool noteSite(tprt_probe &probe, size_t place);
// The same as noteSite(), for a static branch.
bool noteBranch(tprt_probe &probe, uint32_t branch);
// Called after a batch has added all notes, and before counts are read.
void sortNotes(tprt_probe &probe);

// --- reading: async-signal-safe ----------------------------------------------

// Reads the counts of all threads, or the counts in some of the counters.
// Caches the sums of a few neighboring sites, because most sites of a probe are
// neighbors. So use a new object for each reading.
class CounterReading {
public:
  explicit CounterReading(const CounterSet &of = {}) : of(of) {}
  // What was counted since the probe began to count there, including the static
  // branches of a point. `place` is less than countedSites().
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

// The number of sites at which a probe counts. A refused site is removed from
// the list of sites, but its baseline is kept. A site may be added before its
// baseline.
inline size_t countedSites(const tprt_probe &probe) {
  const size_t count = probe.sites.size();
  return count < probe.baselines.size() ? count : probe.baselines.size();
}

// Calls visit(site, count) for the sites of a probe, from place `at` of its
// list on, until `visit` returns false. Returns the place at which this ended.
// skip(list, at, end) returns the next place to visit, from `at` on, or `end`
// if there is none. The sites from `at` to `end` are in ascending order.
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

// The same as above, for all sites.
template <class Visit> void visitCounts(const tprt_probe &probe, Visit visit) {
  CounterReading reading;
  for (size_t at = 0, all = countedSites(probe); at < all; ++at)
    visit(probe.sites[at], reading.countAt(probe, at));
}

} // namespace tprt

#endif
