// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the full plan of one site: what the site needs, or why it is refused;
// see batch.h. Stores nothing to code. Called under the lock.
#include "patch/site_plan.h"
#include "base/os_signal.h"
#include "base/page_memo.h"
#include "elf/bolt.h"
#include "patch/batch.h"
#include "patch/overlap.h"
#include "patch/plan_islands.h"
#include "text/inline_stubs.h"
#include "text/jump_islands.h"
#include "text/pun_islands.h"

#include <string.h>

namespace tprt {

// --- where a sled leads -----------------------------------------------------

uint64_t wayTo(const tprt_site &site, const StubRegion *region, Target target,
               uint64_t to) {
  if (!to)
    return 0;
  // A pun has one island for all of its stubs: see Batch::prepare().
  if (isPun(site)) {
    const Array<uint64_t> &puns = site.module()->puns;
    return target == kGeneral && !puns.empty() ? puns[placeOf(site)] : 0;
  }
  const Module *module = site.module();
  // A static branch leads to the module's own code.
  if (region->isFar() && target.isStub())
    return hasVeneer(site) ? veneerOf(site, module->origin) : 0;
  FixedBits bits = fixedBitsOf(site);
  if (!bits.mask)
    return to;
  const Island *island =
      islandOf(region, bits, target, indexOf(&site) - module->firstSite);
  return island && !overlapsNext(site)
             ? islandAt(module->origin + site.sledAt, island->displacement)
             : 0;
}

Ways waysOf(const tprt_site &site, const StubRegion *region, Target via) {
  const Module *module = site.module();
  Ways ways = {};
  size_t others = 0;
  // A pun uses the same path for all of its stubs. If a site's copy runs on,
  // only its short-copy stub meets breakpoints.
  const bool isStaticBranch = site.isStaticBranch(),
             hasSeconds = module->hasSeconds && !isStaticBranch &&
                          !isPun(site) && !runsOn(site);
  const Target targets[] = {
      kGeneral, isStaticBranch ? Target::ofBranch() : countingKindOf(module),
      kRecording};
  for (Target target : targets) {
    uint64_t to = target == kGeneral ? shortEntryOf(region, site)
                  : !target.isStub() ? module->origin + site.targetAt()
                  : hasSeconds       ? secondStubOf(site, region, target.stub())
                                     : 0;
    uint64_t way = wayTo(site, region, target, to);
    if (target == via)
      ways.wanted = way;
    else
      ways.others[others++] = way;
  }
  if (region->isFar() && hasVeneer(site))
    ways.afterVeneer = region->stub(placeOf(site));
  return ways;
}

Ways anyWaysOf(const tprt_site &site, const StubRegion *region) {
  Ways ways = waysOf(site, region, kGeneral);
  for (uint64_t other : ways.others)
    ways.wanted = ways.wanted ? ways.wanted : other;
  return ways;
}

// The veneer through which the site leads; empty if there is none.
static Extent veneerExtentOf(const tprt_site &site, const StubRegion *region) {
  if (!region || !region->isFar() || !hasVeneer(site))
    return {};
  uint64_t start = veneerOf(site, site.module()->origin);
  return {start, start + kVeneerWords * sizeof(uint32_t)};
}

// Whether a site in code is on by a trap. The site's means may be a jump:
// perhaps there was no room for the island when the site was turned on.
static bool isOnByTrap(const tprt_site &site) {
  return kHasTraps && site.module()->isCode && formByTrap(site) == SledForm::On;
}

bool isFlipped(const tprt_site &site, PageMemo &memo) {
  const Module *module = site.module();
  const StubRegion *region = regionAt(module, placeOf(site));
  Extent extent = extentOf(site, module->origin);
  if (!region || !memo.has(extent.start) || !memo.has(extent.end - 1))
    return false;
  Extent veneer = veneerExtentOf(site, region);
  if (veneer.end && (!memo.has(veneer.start) || !memo.has(veneer.end - 1)))
    return false;
  if (isOnByTrap(site))
    return true;
  Toggle toggle;
  tprt_refusal refusal =
      planToggle(site, module->origin, anyWaysOf(site, region), &toggle);
  if (refusal == TPRT_REFUSAL_NONE)
    return toggle.now == SledForm::On;
  return mayNeedTrap(refusal) && formByTrap(site) == SledForm::On;
}

// --- refusals by what the probe asks for ------------------------------------

static bool asksMore(const tprt_action &action) {
  return action.kind == TPRT_ACTION_REDIRECT ||
         action.kind == TPRT_ACTION_SKIP ||
         action.flags & TPRT_HANDLER_CHANGES_REGS;
}

// Whether calls of profilers (mcount_calls.h) permit the action at this site of
// a code module.
static bool suitsCall(const tprt_site &site, const tprt_action &action) {
  const CodeSite &code = codeOf(site);
  if (action.kind == TPRT_ACTION_SKIP)
    return code.profiler != Profiler::None;
  if (!code.isInside)
    return true;
  // A function cannot be replaced at a site inside its code. Before a call of
  // __cyg_profile_func_enter or _exit, registers hold that call's arguments.
  return action.kind != TPRT_ACTION_REDIRECT &&
         code.profiler != Profiler::Enter && code.profiler != Profiler::Exit;
}

// Why the site cannot have this action, even if its sled can be flipped.
static tprt_refusal refusalOfAction(const tprt_site &site,
                                    const tprt_action &action) {
  bool redirects = action.kind == TPRT_ACTION_REDIRECT,
       isCode = site.module()->isCode;
  if (!site.isOfFunction() || (isCode && !suitsCall(site, action)))
    return TPRT_REFUSAL_ACTION;
  if (action.kind == TPRT_ACTION_SKIP)
    return isCode ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_ACTION;
  // In code without sleds, a function's calling convention and the assumptions
  // of its callers are unknown. The caller that requests a change is
  // responsible for both.
  // A replacement would return to a signed address.
  if (redirects &&
      (site.event.kind != TPRT_KIND_ENTRY ||
       (isCode ? isReturnSigned(site) : (site.needs & TPRT_NEEDS_OTHER) != 0)))
    return TPRT_REFUSAL_ACTION;
  if (!isCode && !(site.needs & TPRT_RECORD_OPAQUE))
    return TPRT_REFUSAL_NOT_OPAQUE;
  return redirects && !originalOf(site) ? TPRT_REFUSAL_REACH
                                        : TPRT_REFUSAL_NONE;
}

// Why a site is refused, regardless of its sled.
tprt_refusal Batch::conditionOf(const tprt_site &site,
                                const Group &group) const {
  if (direction == Direction::Off)
    return TPRT_REFUSAL_NONE;
  if (group.forAll != TPRT_REFUSAL_NONE)
    return group.forAll;
  if (!group.module->isCode && isBolted(group.module) && movedByBolt(site))
    return TPRT_REFUSAL_MOVED;
  if (asksMore(probe->action))
    return refusalOfAction(site, probe->action);
  if (!site.isOfFunction()) // its static branches were planned first
    return static_cast<tprt_refusal>(
        group.module->pointGroups->groups[site.pointGroup].refusal);
  return TPRT_REFUSAL_NONE;
}

// Sites with second stubs, with a condition, or in code without sleds need the
// full plan.
bool Batch::isUsual(const Group &group) const {
  if (group.module->hasSeconds || group.module->isCode || branches.refused ||
      (group.module->pointGroups && group.module->pointGroups->loneTests))
    return false;
  return direction == Direction::Off ||
         (!counts() && group.forAll == TPRT_REFUSAL_NONE &&
          !asksMore(probe->action) && !isBolted(group.module));
}

static SitePlan beginPlan(tprt_site &site, Direction to) {
  SitePlan plan;
  plan.site = &site;
  plan.need = Need::Nothing;
  plan.to = to;
  plan.reason = TPRT_REFUSAL_NONE;
  plan.region = nullptr;
  plan.data = nullptr;
  plan.before = plan.actionList = nullptr;
  plan.via = kGeneral;
  plan.keepsFirst = false;
  return plan;
}

// --- the sled ---------------------------------------------------------------

bool Batch::counts() const {
  return direction == Direction::On && probe->action.kind == TPRT_ACTION_COUNT;
}

// The kind of the stub that the site's sled must lead to, if the sled is off.
StubKind Batch::stubFor(const SitePlan &plan) const {
  const tprt_site &site = *plan.site;
  const StubKind counting = countingKindOf(site.module());
  if (runsOn(site) && (!isPun(site) || plan.need == Need::Trap))
    return kGeneral;
  if (counts() && secondStubOf(site, counting))
    return counting;
  if (direction == Direction::On && secondStubOf(site, kRecording) &&
      recordWordOf(site, plan.actionList))
    return kRecording;
  return kGeneral;
}

static void refuseTo(SitePlan &plan, tprt_refusal reason) {
  plan.need = Need::Refused;
  plan.reason = reason;
}

// Whether the site is in the C library. While the C library starts or ends a
// thread, or starts a program, it blocks all signals and calls its own
// functions. A trap in these would end the process.
static bool isOfCLibrary(const tprt_site &site) {
  uint64_t address = addressInCLibrary();
  for (const Segment &s : site.module()->segments)
    if (site.shape() == TPRT_SHAPE_CODE && address >= s.start &&
        address < s.end)
      return true;
  return false;
}

// Plans a site that cannot have a jump. A probe that may not use traps can use
// such a site if the site is already on for another probe. Turning a site off
// succeeds even if its breakpoint instruction was already removed.
void Batch::planTrapped(SitePlan &plan, tprt_refusal reason) const {
  const bool on = plan.to == Direction::On;
  SledForm now = kHasTraps ? formByTrap(*plan.site) : SledForm::Off;
  if (on && now == SledForm::On) {
    plan.need = Need::ActionListOnly;
    return;
  }
  if (on && (!kHasTraps || !(probe->pattern.flags & TPRT_SELECT_TRAPS)))
    return refuseTo(plan, reason);
  if (on && isOfCLibrary(*plan.site))
    return refuseTo(plan, TPRT_REFUSAL_SIGTRAP);
  if (now == SledForm::Other)
    return refuseTo(plan, TPRT_REFUSAL_BYTES);
  plan.need = Need::Trap;
  // The signal handler leads threads to the stub, so there is no island.
  plan.via = stubFor(plan);
}

// Plans what must be prepared before a sled that is Off is flipped on.
static void planPreparation(SitePlan &plan, uint64_t origin) {
  const tprt_site &site = *plan.site;
  if (isPun(site)) {
    plan.need = hasMadePun(site) ? Need::Toggle : Need::Island;
    return;
  }
  if (needsIsland(site)) {
    const Island *island =
        islandOf(plan.region, fixedBitsOf(site), plan.via, placeOf(site));
    plan.need = island->isMade(plan.ways.wanted) ? Need::Toggle : Need::Island;
    return;
  }
  plan.slot = {};
  tprt_refusal refusal = planSlot(site, origin, plan.ways, &plan.slot);
  if (refusal != TPRT_REFUSAL_NONE)
    return refuseTo(plan, refusal);
  // If the slot cannot be changed, the sled leads to another stub of the site,
  // which is also correct.
  if (plan.slot.state == SlotState::Unused ||
      plan.slot.state == SlotState::UnusedVeneer ||
      plan.slot.state == SlotState::InUse)
    plan.need = Need::Slot;
}

// Whether a static branch does not lead to its wanted place.
TPRT_CODE_ACCESS static bool leadsElsewhere(const SitePlan &plan) {
  uint64_t now = 0;
  memcpy(&now, reinterpret_cast<const void *>(plan.toggle.address),
         plan.toggle.bytes);
  return ((now ^ plan.toggle.on) & maskFor(plan)) != 0;
}

void Batch::planSled(SitePlan &plan, const TextWriter &writer) {
  const tprt_site &site = *plan.site;
  uint64_t origin = writer.module->origin;
  const bool on = plan.to == Direction::On,
             isStaticBranch = site.isStaticBranch();
  bool hasMappings = true;
  // Static branches are in hot code. Skipping a call needs no jump, and so no
  // trap.
  const bool mayTrap = !isStaticBranch && plan.to == direction;
  tprt_refusal refusal = writer.judge(extentOf(site, origin));
  Extent veneer = veneerExtentOf(site, plan.region);
  if (refusal == TPRT_REFUSAL_NONE && veneer.end)
    refusal = writer.judge(veneer);
  if (refusal != TPRT_REFUSAL_NONE)
    return refuseTo(plan, refusal);
  if (isOnByTrap(site) && mayTrap)
    return planTrapped(plan, TPRT_REFUSAL_NONE);
  if (on) {
    if (writer.module->hasSeconds && !isStaticBranch && !isPun(site))
      plan.via = stubFor(plan);
    hasMappings = reserveIslands(plan);
    plan.ways = waysOf(site, plan.region, plan.via);
    if (!plan.ways.wanted && plan.via != kGeneral && !isStaticBranch)
      plan.ways = waysOf(site, plan.region, plan.via = kGeneral);
  } else {
    plan.ways = anyWaysOf(site, plan.region);
  }
  refusal = !on && isProfilerCall(site)
                ? planCallOff(site, origin, plan.ways, &plan.toggle)
                : planToggle(site, origin, plan.ways, &plan.toggle);
  if (refusal == TPRT_REFUSAL_ROOM && !hasMappings)
    refusal = TPRT_REFUSAL_MAP_COUNT;
  if (mayNeedTrap(refusal) && mayTrap)
    return planTrapped(plan, refusal);
  if (refusal != TPRT_REFUSAL_NONE)
    return refuseTo(plan, refusal);
  plan.need = needOf(plan.toggle.now, plan.to);
  // A site's jump may lead to any of its stubs. A static branch's jump must
  // lead to a specific place.
  if (isStaticBranch && on && plan.need == Need::ActionListOnly &&
      leadsElsewhere(plan))
    plan.need = Need::Toggle;
  // A uprobe may have been set while the site was on. Its removal, before or
  // after the detach, restores the first byte of the file's instruction. The
  // instruction's other bytes must be restored before that (uprobe_yield.h). A
  // debugger instead restores the byte that it found, the first byte of our
  // jump. In that case, the jump stays.
  if (plan.need == Need::Refused && direction == Direction::Off &&
      site.module()->isCode) {
    SledForm under = formUnderBreakpoint(site, origin, plan.ways);
    if (under != SledForm::Other && !isTraced()) {
      plan.keepsFirst = under == SledForm::On;
      plan.need = plan.keepsFirst ? Need::Toggle : Need::ActionListOnly;
    }
  }
  if (plan.need == Need::Refused)
    plan.reason =
        on && endsInTrap(site) ? TPRT_REFUSAL_ROOM : TPRT_REFUSAL_BYTES;
  else if (on && plan.need == Need::Toggle)
    planPreparation(plan, origin);
}

bool Batch::planActionList(SitePlan &plan, const Group &group) {
  uint32_t place = indexOf(plan.site) - group.module->firstSite;
  plan.region = regionAt(group.module, place);
  plan.reason = conditionOf(*plan.site, group);
  if (plan.reason == TPRT_REFUSAL_NONE && !plan.region)
    plan.reason = TPRT_REFUSAL_REACH;
  if (plan.reason != TPRT_REFUSAL_NONE) {
    plan.need = Need::Refused;
    return false;
  }
  plan.data = &plan.region->data[place - plan.region->first];
  plan.before = plan.data->actionList;
  const bool wide = isWide(*plan.site);
  if (!cache.derive(plan.before, wide, probe, direction == Direction::On)) {
    plan.need = Need::NoMemory;
    return false;
  }
  plan.actionList = cache.entries[wide][0].to;
  return plan.actionList;
}

SitePlan Batch::planOf(size_t position, const Group &group) {
  const bool on = direction == Direction::On;
  SitePlan plan = beginPlan(sites[probe->sites[position]], direction);
  if (!planActionList(plan, group))
    return plan;
  plan.need = Need::ActionListOnly;
  tprt_site &site = *plan.site;
  // A lone test has no sled; its static branch is flipped like other static
  // branches (static_branches.h).
  if (site.isStaticBranch())
    return plan;
  if (isProfilerCall(site))
    site.setSkipped(plan.actionList->skips);
  if (on && group.module->isCode) {
    tprt_refusal refusal = takeCode(site);
    if (refusal != TPRT_REFUSAL_NONE) {
      refuseTo(plan, refusal);
      return plan;
    }
  }
  // A call of a profiler has three forms. If some action has hits, it is a jump
  // to the stub. Else, if some action skips the call, it is an instruction that
  // does nothing. Else it is the call. In the last two forms, the sled is off
  // (planCallOff()). One store changes any form to any other form.
  if (!plan.actionList->hits)
    plan.to = Direction::Off;
  else if (!on || probe->action.kind == TPRT_ACTION_SKIP)
    return plan; // The sled stays on for other actions.
  planSled(plan, group.writer);
  return plan;
}

// A static branch that was never prepared is closed.
SitePlan Batch::planBranch(tprt_site &branch, BranchState state,
                           const TextWriter &writer) {
  const bool on = state != BranchState::Closed;
  SitePlan plan = beginPlan(branch, on ? Direction::On : Direction::Off);
  plan.via = targetOf(state);
  plan.region = regionAt(writer.module, placeOf(branch));
  if (on && !plan.region)
    refuseTo(plan, TPRT_REFUSAL_REACH);
  else if (on && isBolted(branch.module()) && movedByBolt(branch))
    refuseTo(plan, TPRT_REFUSAL_MOVED);
  else if (on || (plan.region && anyWaysOf(branch, plan.region).wanted))
    planSled(plan, writer);
  return plan;
}

} // namespace tprt
