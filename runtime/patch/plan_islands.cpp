// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserves the islands that the plans of a batch need; see plan_islands.h and
// batch.h.
#include "patch/plan_islands.h"
#include "patch/batch.h"
#include "text/jump_islands.h"
#include "text/pun_islands.h"

namespace tprt {

bool hasMadePun(const tprt_site &site) {
  const Array<uint64_t> &puns = site.module()->puns;
  return !puns.empty() && puns[placeOf(site)] &&
         isPunMade(punOf(site), puns[placeOf(site)]);
}

// Before the stubs are made, it is not known to which of the two stubs the
// islands for breakpoints will lead (CodeSite::runsOn).
static PunReach reachFor(const tprt_site &site, const StubRegion *region) {
  const StubRegion *shorter = region->kinds[kShortCopy];
  const uint64_t one = entryOf(region, site),
                 other = shorter ? entryOf(shorter, site) : one;
  return {{one, one}, one < other ? Extent{one, other} : Extent{other, one}};
}

// Reserves islands for a pun. Often there is no room for them, so this is tried
// again at each attach. Returns false if the process may have no more mappings.
bool Batch::reservePunOf(const tprt_site &site, const StubRegion *region,
                         bool needsAll) {
  Module *module = site.module();
  uint32_t place = placeOf(site);
  if ((module->puns.empty() && !module->puns.resize(module->siteCount)) ||
      module->puns[place])
    return true;
  PunJump jump = punOf(site);
  module->puns[place] = reservePun(jump, reachFor(site, region), needsAll);
  bareJumps += jump.starts != module->code[place].starts;
  module->code[place].starts = jump.starts;
  return module->puns[place] || !lackedMappings();
}

void Batch::countPuns() {
  if (!hasPuns)
    beginPuns(probe->sites.size() - first);
  hasPuns = true;
}

// Announces the places for puns that the batch will need, because one system
// call can map memory for many of them.
void Batch::expectPuns() {
  expectsPuns = true;
  for (const Group &group : groups)
    for (size_t i = group.begin; i < group.end && group.module->isCode; ++i) {
      const uint32_t index = probe->sites[i];
      if (index == kDropped || !isPun(sites[index]))
        continue;
      const tprt_site &site = sites[index];
      const Array<uint64_t> &puns = group.module->puns;
      const uint32_t place = placeOf(site);
      const StubRegion *region = regionAt(group.module, place);
      if (region && (puns.empty() || !puns[place]))
        expectPun(punOf(site), reachFor(site, region));
    }
  mapExpectedPuns();
}

// Reserves islands for the site's stubs if the site needs islands and has none.
// After a few attempts without room in this batch, this makes no further
// attempt, because each attempt needs hundreds of system calls. Returns false
// if the process may have no more mappings.
bool Batch::reserveIslands(const SitePlan &plan) {
  constexpr unsigned kFew = 16;
  const tprt_site &site = *plan.site;
  FixedBits bits = fixedBitsOf(site);
  auto reserve = [&](Target target) {
    if (noRoom < kFew && !islandOf(plan.region, bits, target, placeOf(site)))
      noRoom += !reserveIsland(site.module(), plan.region, site, target);
  };
  if (!bits.mask)
    return true;
  if (isPun(site)) {
    if (hasMadePun(site))
      return true;
    countPuns();
    if (!expectsPuns)
      expectPuns();
    return reservePunOf(site, plan.region, false);
  }
  if (plan.via.isStub())
    reserve(kGeneral);
  if (plan.via != kGeneral)
    reserve(plan.via);
  return true;
}

} // namespace tprt
