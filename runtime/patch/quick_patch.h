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
  const Chain *before;
  Chain *chain;
  uint64_t way;  // Where the sled is to lead (Ways::wanted).
  Toggle toggle; // Valid for Toggle, Slot and Landing.
  Slot slot;     // Valid for Slot.
};

// The same of a gate's plan.
struct QuickGate {
  uint64_t way;
  Toggle toggle; // It is Off or On.
};

// The sites of one module whose stubs lie in one region; of LONG sleds also the
// landings lie in one image. Most modules have one region and one image. What
// the loop needs of these is copied here, because after each store the compiler
// has to assume that any of it has changed.
struct Stretch {
  uint32_t first, count; // Site indexes.
  uint64_t origin, stubs;
  StubData *data;
  const Module *module;
  StubRegion *region;
  Landing *landing; // nullptr: none.
  // For sleds from openFrom on, openBytes far, all that their plans may touch
  // lies in one mapping that may be read and written. An offset from the
  // module's origin.
  uint32_t openFrom, openBytes;

  // Whether the site at this index is in this stretch, or in another one of the
  // same module, which this stretch then becomes.
  bool reaches(const Module *of, uint32_t index) {
    return index - first < count || enter(of, index);
  }

  // Plans a site for which reaches() returned true. If the need is Landing,
  // this stretch's `landing` is the landing to make.
  template <Direction direction>
  QuickPlan plan(const ChainCache &cache, uint32_t index);

  // Plans the store to a gate for which reaches() returned true, and that leads
  // nowhere, or to its target (kTargets) or its stub (kGeneral) as `kind` says.
  // False: it does neither, or the quick plan does not know. If the gate needs
  // a landing, it is this stretch's `landing`.
  bool planGate(const tprt_site &gate, StubKind kind, QuickGate &plan);

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

  // The address of the site's landing; 0: the quick plan does not know it.
  uint64_t landingFor(const tprt_site &site, uint32_t place, StubKind kind) {
    FixedBits bits = fixedBitsOf(site);
    if (!landing || !landing->covers(place) || !(landing->bits == bits) ||
        landing->kind != kind)
      landing = landingOf(region, bits, kind, place);
    return landing && !overlapsNext(site)
               ? landingAt(origin + site.sledAt, landing->displacement)
               : 0;
  }

  void planSled(QuickPlan &plan, Direction direction, uint32_t at);
};

// Does what Batch::planSled() does, for a batch without counting stubs.
[[gnu::always_inline]] inline void
Stretch::planSled(QuickPlan &plan, Direction direction, uint32_t at) {
  const tprt_site &site = *plan.site;
  const bool lands = needsLanding(site);
  uint64_t way = stubs + size_t{at} * kStubBytes;
  plan.need = Need::Unknown;
  if (lands) [[unlikely]]
    way = landingFor(site, region->first + at, kGeneral);
  if (!way || !isOpen(site)) [[unlikely]]
    return;
  plan.way = way;
  Toggle toggle;
  if (planToggle(site, origin, {way}, &toggle) != TPRT_REFUSAL_NONE ||
      toggle.now >= SledForm::Stale) [[unlikely]]
    return;
  plan.toggle = toggle;
  plan.need = needOf(toggle.now, direction);
  if (direction == Direction::Off || plan.need == Need::ChainOnly)
    return;
  if (lands) [[unlikely]]
    plan.need = landing->isMade(way) ? Need::Toggle : Need::Landing;
  else if (!isSlotWritten(site, origin, way)) [[unlikely]]
    plan.need = planFirstSlot(site, origin, way, &plan.slot) ? Need::Slot
                                                             : Need::Unknown;
}

template <Direction direction>
[[gnu::always_inline]] inline QuickPlan Stretch::plan(const ChainCache &cache,
                                                      uint32_t index) {
  QuickPlan plan;
  plan.site = &sites[index];
  plan.data = &data[index - first];
  plan.before = plan.data->chain;
  plan.need = Need::Unknown;
  // Entries may have another chain than the exits between them, so both of the
  // newest cache entries are compared.
  const ChainCache::Entry *known = cache.entries[isWide(*plan.site)];
  known += known->from != plan.before;
  plan.chain = known->to;
  if (known->from != plan.before || !plan.chain) [[unlikely]]
    return plan;
  if (direction == Direction::On || plan.chain == emptyChain())
    planSled(plan, direction, index - first);
  else
    plan.need = Need::ChainOnly;
  return plan;
}

[[gnu::always_inline]] inline bool
Stretch::planGate(const tprt_site &gate, StubKind kind, QuickGate &plan) {
  uint32_t at = indexOf(&gate) - first;
  plan.way = kind == kTargets ? origin + gate.targetAt()
                              : stubs + size_t{at} * kStubBytes;
  if (needsLanding(gate))
    plan.way = landingFor(gate, region->first + at, kind);
  return plan.way && isOpen(gate) &&
         planToggle(gate, origin, {plan.way}, &plan.toggle) ==
             TPRT_REFUSAL_NONE &&
         plan.toggle.now < SledForm::Stale;
}

} // namespace tprt

#endif
