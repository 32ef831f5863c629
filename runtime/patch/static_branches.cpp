// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps for one static branch in full; see static_branches.h.
// quick_branches.cpp has the loops. Called under the lock.
#include "patch/static_branches.h"
#include "actions/action_list.h"
#include "base/search.h"
#include "elf/bolt.h"
#include "patch/patch.h"
#include "text/jump_islands.h"
#include "threads/counters.h"

#include <string.h>

namespace tprt {

static const tprt_site &siteOf(const Module *module, uint32_t place) {
  return sites[module->firstSite + place];
}

// --- prepare ----------------------------------------------------------------

bool BranchBatch::prepareStubs(Module *module, const BranchSet &set) {
  Array<uint32_t> branches;
  const Points *points = module->pointGroups;
  for (size_t i = set.begin; i < set.end; ++i) {
    const PointGroup &group = points->groups[groups[i]];
    for (uint32_t at = group.branches; at < group.end; ++at)
      if (!branches.push(module->firstSite + points->places[at]))
        return false;
  }
  if (!branches.empty())
    makeStubs(module, kGeneral, branches.begin(), branches.size());
  for (uint32_t branch : branches) {
    uint32_t place = branch - module->firstSite;
    if (StubRegion *region = regionAt(module, place))
      leadTo(region->data[place - region->first], sites[branch], kCount);
  }
  return true;
}

// Where a static branch leads that is open, and one that counts; 0: the island
// is not reserved.
static uint64_t openWay(const tprt_site &site, const StubRegion *region) {
  return wayTo(site, region, kTargets, site.module()->origin + site.targetAt());
}
static uint64_t countingWay(const tprt_site &site, const StubRegion *region) {
  return wayTo(site, region, kGeneral, region->stub(placeOf(site)));
}
// Ways::wanted is 0 if the static branch cannot be given that state. A static
// branch that is to be closed may lead either way now.
static Ways waysFor(BranchState state, const tprt_site &site,
                    const StubRegion *region) {
  uint64_t open = openWay(site, region), count = countingWay(site, region);
  bool counts =
      state == BranchState::Counting || (state == BranchState::Closed && !open);
  return counts ? Ways{count, {open}} : Ways{open, {count}};
}

static StubKind kindFor(BranchState state) {
  return state == BranchState::Counting ? kGeneral : kTargets;
}

// Whether the static branch can lead there at once.
static bool isMade(const tprt_site &site, const StubRegion *region,
                   StubKind kind, uint64_t way) {
  if (!needsIsland(site))
    return true;
  const Island *island =
      islandOf(region, fixedBitsOf(site), kind, placeOf(site));
  return island && island->isMade(way);
}

// The island of this kind, which is reserved if there is none. nullptr: there
// is no room.
Island *BranchBatch::reserve(const tprt_site &site, StubRegion *region,
                             StubKind kind) {
  constexpr unsigned kFew = 16;
  Island *island = islandOf(region, fixedBitsOf(site), kind, placeOf(site));
  if (island || noRoom >= kFew)
    return island;
  island = reserveIsland(site.module(), region, site, kind);
  noRoom += !island;
  return island;
}

tprt_refusal BranchBatch::prepareBranch(const tprt_site &site,
                                        const TextWriter &writer,
                                        BranchState state) {
  Module *module = site.module();
  StubRegion *region = regionAt(module, placeOf(site));
  if (!region)
    return TPRT_REFUSAL_REACH;
  if (isBolted(module) && movedByBolt(site))
    return TPRT_REFUSAL_MOVED;
  tprt_refusal refusal = writer.judge(extentOf(site, module->origin));
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  StubKind kind = kindFor(state);
  Island *island = nullptr;
  if (needsIsland(site) && !(island = reserve(site, region, kind)))
    return TPRT_REFUSAL_REACH;
  Ways ways = waysFor(state, site, region);
  if (!ways.wanted)
    return TPRT_REFUSAL_REACH;
  Toggle toggle;
  refusal = planToggle(site, module->origin, ways, &toggle);
  if (refusal == TPRT_REFUSAL_NONE && toggle.now == SledForm::Other)
    refusal = TPRT_REFUSAL_BYTES;
  if (refusal == TPRT_REFUSAL_NONE &&
      !isMade(site, region, kind, ways.wanted)) {
    island->want(ways.wanted);
    ++waiting;
  }
  return refusal;
}

// --- apply ------------------------------------------------------------------

// Whether the sled's own bytes, those of the mask, are as wanted already.
TPRT_CODE_ACCESS static bool isStored(const Toggle &toggle, uint64_t mask,
                                      uint64_t value) {
  uint64_t now = 0;
  memcpy(&now, reinterpret_cast<const void *>(toggle.address), toggle.bytes);
  return ((now ^ value) & mask) == 0;
}

// Makes the store to the bytes that the plan was made from right before.
static tprt_refusal storeToggle(const tprt_site &site, const Toggle &toggle,
                                bool leads, TextWriter &writer) {
  const uint64_t mask = maskOf(toggle, reinterpret_cast<uint64_t>(site.sled()));
  if (isStored(toggle, mask, leads ? toggle.on : toggle.off) ||
      (!leads && toggle.now == SledForm::Off))
    return TPRT_REFUSAL_NONE;
  return writer.toggle(site, toggle, leads ? Direction::On : Direction::Off,
                       mask);
}

BranchPlan planBranch(const tprt_site &site, BranchState state,
                      const TextWriter &writer) {
  const Module *module = site.module();
  const StubRegion *region = regionAt(module, placeOf(site));
  const bool leads = state != BranchState::Closed;
  Ways ways = region ? waysFor(state, site, region) : Ways{0};
  BranchPlan plan{};
  if (!ways.wanted) {
    plan.refusal = leads ? TPRT_REFUSAL_REACH : TPRT_REFUSAL_NONE;
    return plan;
  }
  plan.refusal = writer.judge(extentOf(site, module->origin));
  if (plan.refusal != TPRT_REFUSAL_NONE)
    return plan;
  plan.way = ways.wanted;
  plan.refusal = planToggle(site, module->origin, ways, &plan.toggle);
  // A static branch that can only count has a target that is out of reach.
  if (plan.refusal == TPRT_REFUSAL_REACH && !leads && ways.others[0]) {
    plan.way = ways.others[0];
    plan.refusal = planToggle(site, module->origin, {plan.way}, &plan.toggle);
  }
  if (plan.refusal == TPRT_REFUSAL_NONE && plan.toggle.now == SledForm::Other)
    plan.refusal = TPRT_REFUSAL_BYTES;
  plan.made = leads && isMade(site, region, kindFor(state), plan.way);
  return plan;
}

// A static branch that was never prepared is closed.
tprt_refusal BranchBatch::applyBranch(const tprt_site &site, BranchState state,
                                      TextWriter &writer) {
  const bool leads = state != BranchState::Closed;
  BranchPlan plan = planBranch(site, state, writer);
  if (plan.refusal != TPRT_REFUSAL_NONE || !plan.way)
    return plan.refusal;
  if (leads && !plan.made)
    return TPRT_REFUSAL_REACH;
  return storeToggle(site, plan.toggle, leads, writer);
}

// --- counts -----------------------------------------------------------------

static uint64_t countAtBranch(const tprt_probe *probe, uint32_t branch) {
  const Array<BranchCount> &branches = probe->branches;
  size_t i = partitionPoint(0, branches.size(), [&](size_t at) {
    return branches[at].branch < branch;
  });
  return i < branches.size() && branches[i].branch == branch
             ? sumCounters(branch) - branches[i].baseline
             : 0;
}

uint64_t countAtBranches(const tprt_probe *probe, const tprt_site &site) {
  if (!site.isPoint())
    return 0;
  const Module *module = site.module();
  const Points &points = *module->pointGroups;
  const PointGroup &group = points.groups[site.pointGroup];
  for (uint32_t at = group.sleds; points.places[at] != placeOf(site); ++at) {
    const ActionList *actionList =
        actionListOf(siteOf(module, points.places[at]));
    if (actionList && contains(actionList, probe))
      return 0;
  }
  uint64_t sum = 0;
  for (uint32_t at = group.branches; at < group.end; ++at)
    sum += countAtBranch(probe, module->firstSite + points.places[at]);
  return sum;
}

} // namespace tprt
