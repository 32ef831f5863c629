// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick plan plans a site of the most frequent kind in about five
// nanoseconds; site_plan.cpp needs about forty. The result is equal to the
// result of the full plan, or is Need::Refused if the full plan must decide.
// The quick plan changes nothing (runtime/tests/plan_test.cpp compares the two
// plans). Inline, for the loop in quick_patch.cpp and for that test. Called
// under the lock.
#ifndef TPRT_PATCH_QUICK_PATCH_H
#define TPRT_PATCH_QUICK_PATCH_H

#include "patch/batch.h"
#include "text/jump_islands.h"

namespace tprt {

// The sites of one module whose stubs lie in one region. For LONG sleds, the
// islands also lie in one image. Most modules have one region and one image.
// The loop's data is copied from these into this struct, because the compiler
// must assume that each store to code may have changed the originals.
struct Stretch {
  uint32_t first, count; // Site indexes.
  uint64_t origin, stubs;
  StubData *data;
  const Module *module;
  StubRegion *region;
  Island *island; // nullptr: none.
  // The openBytes bytes from openFrom on contain sleds whose plans access only
  // one readable and writable mapping. openFrom is an offset from the module's
  // origin.
  uint32_t openFrom, openBytes;
  // Where the last closed static branch led. Usually the next static branch
  // leads there as well.
  Target closes;

  // Whether the site at this index is in this stretch or in another stretch of
  // the same module. In the second case, this object changes to that stretch.
  bool reaches(const Module *of, uint32_t index) {
    return index - first < count || enter(of, index);
  }

  // Plans a site for which reaches() returned true. If the need is Island, this
  // stretch's `island` must be made.
  template <Direction direction>
  SitePlan plan(const ActionListCache &cache, uint32_t index);
  // The same as plan(), for a static branch.
  SitePlan planBranch(tprt_site &branch, BranchState state);
  // Prepares what the last plan requires. Returns Refused, and changes nothing,
  // if this needs the full plan.
  Prepared prepare(const SitePlan &plan, const TextWriter &writer, Pass pass);

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
             0,
             closes};
    return true;
  }

  bool isOpen(const tprt_site &site) {
    return site.sledAt - openFrom < openBytes || enterMapping(site);
  }
  // Not inlined, because inlining would leave fewer registers for the loop.
  [[gnu::noinline]] bool enterMapping(const tprt_site &site) {
    uint64_t sled = origin + site.sledAt;
    for (const Mapping &m : module->mappings)
      if (sled >= m.start + kReachedBefore && sled + kReachedAfter <= m.end &&
          !m.fixed && m.isReadable()) {
        openFrom = static_cast<uint32_t>(m.start + kReachedBefore - origin);
        openBytes = static_cast<uint32_t>(m.end - m.start - kReachedBefore -
                                          kReachedAfter + 1);
        return true;
      }
    return false;
  }

  // The address of the site's island, or 0 if the quick plan does not know the
  // island.
  uint64_t islandFor(const tprt_site &site, uint32_t place, Target target) {
    FixedBits bits = fixedBitsOf(site);
    if (!island || !island->covers(place) || !(island->bits == bits) ||
        island->target != target)
      island = islandOf(region, bits, target, place);
    return island && !overlapsNext(site)
               ? islandAt(origin + site.sledAt, island->displacement)
               : 0;
  }

  void planSled(SitePlan &plan, Direction to, Target via);
};

// The same as Batch::planSled(), for a batch without counting stubs.
[[gnu::always_inline]] inline void Stretch::planSled(SitePlan &plan,
                                                     Direction to, Target via) {
  const tprt_site &site = *plan.site;
  const uint32_t at = indexOf(&site) - first;
  const bool lands = needsIsland(site);
  uint64_t way =
      via.isStub() ? stubs + size_t{at} * kStubBytes : origin + site.targetAt();
  plan.need = Need::Refused;
  plan.to = to;
  if (lands) [[unlikely]]
    way = islandFor(site, region->first + at, via);
  if (!way || !isOpen(site)) [[unlikely]]
    return;
  plan.ways.wanted = way;
  Toggle toggle;
  if (planToggle(site, origin, {way}, &toggle) != TPRT_REFUSAL_NONE ||
      toggle.now >= SledForm::Stale) [[unlikely]]
    return;
  plan.toggle = toggle;
  plan.need = needOf(toggle.now, to);
  if (to == Direction::Off || plan.need == Need::ActionListOnly)
    return;
  if (lands) [[unlikely]]
    plan.need = island->isMade(way) ? Need::Toggle : Need::Island;
  else if (!isSlotWritten(site, origin, way)) [[unlikely]]
    plan.need = planFirstSlot(site, origin, way, &plan.slot) ? Need::Slot
                                                             : Need::Refused;
}

template <Direction direction>
[[gnu::always_inline]] inline SitePlan
Stretch::plan(const ActionListCache &cache, uint32_t index) {
  SitePlan plan;
  plan.site = &sites[index];
  plan.data = &data[index - first];
  plan.before = plan.data->actionList;
  plan.need = Need::Refused;
  // Entries may have a different action list from the exits between them, so
  // both of the newest cache entries are compared.
  const ActionListCache::Entry *known = cache.entries[isWide(*plan.site)];
  known += known->from != plan.before;
  plan.actionList = known->to;
  if (known->from != plan.before || !plan.actionList) [[unlikely]]
    return plan;
  if (direction == Direction::On || plan.actionList == emptyActionList())
    planSled(plan, direction, kGeneral);
  else
    plan.need = Need::ActionListOnly;
  return plan;
}

[[gnu::always_inline]] inline SitePlan Stretch::planBranch(tprt_site &branch,
                                                           BranchState state) {
  SitePlan plan;
  plan.site = &branch;
  if (state != BranchState::Closed) {
    planSled(plan, Direction::On, targetOf(state));
    return plan;
  }
  planSled(plan, Direction::Off, closes);
  if (plan.need == Need::Refused)
    closes = closes.isStub() ? Target::ofBranch() : Target(kGeneral);
  return plan;
}

// The same as Batch::prepare().
[[gnu::always_inline]] inline Prepared
Stretch::prepare(const SitePlan &plan, const TextWriter &writer, Pass pass) {
  switch (plan.need) {
  case Need::Slot:
    if (pass != Pass::First || !writer.storesWords()) [[unlikely]]
      return Prepared::Refused;
    TextWriter::fillWord(plan.slot.address, plan.slot.code, plan.slot.bytes);
    return Prepared::Waits;
  case Need::Island:
    if (pass != Pass::First) [[unlikely]]
      return Prepared::Refused;
    island->want(plan.ways.wanted);
    return Prepared::Waits;
  case Need::Toggle:
    return writer.storesWords() ? Prepared::Ready : Prepared::Refused;
  case Need::ActionListOnly:
    return Prepared::Ready;
  default:
    return Prepared::Refused;
  }
}

// The loop of a pass over a group. It uses the quick plan for the sites that
// the quick plan handles.
template <Direction direction>
void takeAll(Batch &batch, Group &group, Pass pass);

} // namespace tprt

#endif
