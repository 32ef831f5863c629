// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick plan: plans a site of the most frequent kind in about five
// nanoseconds, where site_plan.cpp takes some forty. Its result is that of the
// full plan, or Need::Unknown, and it changes nothing
// (runtime/tests/plan_test.cpp compares the two). Inline, for the loop in
// quick_patch.cpp and for that test. Called under the lock.
#ifndef TPRT_PATCH_QUICK_PATCH_H
#define TPRT_PATCH_QUICK_PATCH_H

#include "patch/patch.h"
#include "text/jump_islands.h"

namespace tprt {

// The part of a SitePlan that the quick loop needs. The members have no initial
// values: clearing those that `need` leaves out took as long as all the rest.
struct QuickPlan {
  Need need;
  tprt_site *site;
  StubData *data;
  const ActionList *before;
  ActionList *actionList;
  uint64_t way;  // Where the sled is to lead (Ways::wanted).
  Toggle toggle; // Valid for Toggle, Slot and Island.
  Slot slot;     // Valid for Slot.
};

// The same of a static branch's plan.
struct QuickBranch {
  uint64_t way;
  Toggle toggle; // It is Off or On.
};

// The sites of one module whose stubs lie in one region; of LONG sleds also the
// islands lie in one image. Most modules have one region and one image. What
// the loop needs of these is copied here, because after each store the compiler
// has to assume that any of it has changed.
struct Stretch {
  uint32_t first, count; // Site indexes.
  uint64_t origin, stubs;
  StubData *data;
  const Module *module;
  StubRegion *region;
  Island *island; // nullptr: none.
  // For sleds from openFrom on, openBytes far, all that their plans may touch
  // lies in one mapping that may be read and written. An offset from the
  // module's origin.
  uint32_t openFrom, openBytes;

  // Whether the site at this index is in this stretch, or in another one of the
  // same module, which this stretch then becomes.
  bool reaches(const Module *of, uint32_t index) {
    return index - first < count || enter(of, index);
  }

  // Plans a site for which reaches() returned true. If the need is Island,
  // this stretch's `island` is the island to make.
  template <Direction direction>
  QuickPlan plan(const ActionListCache &cache, uint32_t index);

  // Plans the store to a static branch for which reaches() returned true, and
  // that leads nowhere, or to its target (kTargets) or its stub (kGeneral) as
  // `kind` says. False: it does neither, or the quick plan does not know. If
  // the static branch needs an island, it is this stretch's `island`.
  bool planBranch(const tprt_site &branch, StubKind kind, QuickBranch &plan);

private:
  [[gnu::noinline]] bool enter(const Module *of, uint32_t index) {
    StubRegion *to = regionAt(of, index - of->firstSite);
    if (!to || to->isFar())
      return false;
    *this = {of->firstSite + to->first,
             to->count,
             of->origin,
             to->code + kStubHeaderBytes,
             to->data,
             of,
             to,
             nullptr,
             0,
             0};
    return true;
  }

  bool isOpen(const tprt_site &site) {
    return site.sledAt - openFrom < openBytes || enterMapping(site);
  }
  // Not inlined, because it would take registers from the loop.
  [[gnu::noinline]] bool enterMapping(const tprt_site &site) {
    uint64_t sled = origin + site.sledAt;
    for (const Mapping &m : module->mappings)
      if (sled >= m.start + kReachedBefore && sled + kReachedBehind <= m.end &&
          !m.fixed && m.isReadable()) {
        openFrom = static_cast<uint32_t>(m.start + kReachedBefore - origin);
        openBytes = static_cast<uint32_t>(m.end - m.start - kReachedBefore -
                                          kReachedBehind + 1);
        return true;
      }
    return false;
  }

  // The address of the site's island; 0: the quick plan does not know it.
  uint64_t islandFor(const tprt_site &site, uint32_t place, StubKind kind) {
    FixedBits bits = fixedBitsOf(site);
    if (!island || !island->covers(place) || !(island->bits == bits) ||
        island->kind != kind)
      island = islandOf(region, bits, kind, place);
    return island && !overlapsNext(site)
               ? islandAt(origin + site.sledAt, island->displacement)
               : 0;
  }

  void planSled(QuickPlan &plan, Direction direction, uint32_t at);
};

// Does what Batch::planSled() does, for a batch without counting stubs.
[[gnu::always_inline]] inline void
Stretch::planSled(QuickPlan &plan, Direction direction, uint32_t at) {
  const tprt_site &site = *plan.site;
  const bool lands = needsIsland(site);
  uint64_t way = stubs + size_t{at} * kStubBytes;
  plan.need = Need::Unknown;
  if (lands) [[unlikely]]
    way = islandFor(site, region->first + at, kGeneral);
  if (!way || !isOpen(site)) [[unlikely]]
    return;
  plan.way = way;
  Toggle toggle;
  if (planToggle(site, origin, {way}, &toggle) != TPRT_REFUSAL_NONE ||
      toggle.now >= SledForm::Stale) [[unlikely]]
    return;
  plan.toggle = toggle;
  plan.need = needOf(toggle.now, direction);
  if (direction == Direction::Off || plan.need == Need::ActionListOnly)
    return;
  if (lands) [[unlikely]]
    plan.need = island->isMade(way) ? Need::Toggle : Need::Island;
  else if (!isSlotWritten(site, origin, way)) [[unlikely]]
    plan.need = planFirstSlot(site, origin, way, &plan.slot) ? Need::Slot
                                                             : Need::Unknown;
}

template <Direction direction>
[[gnu::always_inline]] inline QuickPlan
Stretch::plan(const ActionListCache &cache, uint32_t index) {
  QuickPlan plan;
  plan.site = &sites[index];
  plan.data = &data[index - first];
  plan.before = plan.data->actionList;
  plan.need = Need::Unknown;
  // Entries may have another action list than the exits between them, so both
  // of the newest cache entries are compared.
  const ActionListCache::Entry *known = cache.entries[isWide(*plan.site)];
  known += known->from != plan.before;
  plan.actionList = known->to;
  if (known->from != plan.before || !plan.actionList) [[unlikely]]
    return plan;
  if (direction == Direction::On || plan.actionList == emptyActionList())
    planSled(plan, direction, index - first);
  else
    plan.need = Need::ActionListOnly;
  return plan;
}

[[gnu::always_inline]] inline bool
Stretch::planBranch(const tprt_site &branch, StubKind kind, QuickBranch &plan) {
  uint32_t at = indexOf(&branch) - first;
  plan.way = kind == kTargets ? origin + branch.targetAt()
                              : stubs + size_t{at} * kStubBytes;
  if (needsIsland(branch))
    plan.way = islandFor(branch, region->first + at, kind);
  return plan.way && isOpen(branch) &&
         planToggle(branch, origin, {plan.way}, &plan.toggle) ==
             TPRT_REFUSAL_NONE &&
         plan.toggle.now < SledForm::Stale;
}

} // namespace tprt

#endif
