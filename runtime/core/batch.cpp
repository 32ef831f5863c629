// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a batch does once, or at few of its sites; see flip.h.
#include "core/flip.h"
#include "core/landings.h"
#include "core/module.h"
#include "core/os.h"
#include "core/plain/pages.h"
#include "core/status.h"
#include "core/stubs.h"
#include "core/threads.h"

namespace tprt {

bool Batch::open() {
  beginTrials();
  const Array<uint32_t> &batch = probe->sites;
  for (size_t i = first; i < batch.size();) {
    const tprt_site &site = sites[batch[i]];
    Module *module = site.module();
    size_t begin = i;
    i = endOfModule(batch, i, module);
    if (!groups.push({module, begin, i,
                      TextWriter::of(module, site, sites[batch[i - 1]])}) ||
        !groups[groups.size() - 1].writer.look())
      return false;
  }
  return true;
}

void Batch::change() {
  for (Group &group : groups)
    change(group);
}

void Batch::makeLandings() {
  for (const Group &group : groups)
    tprt::makeLandings(group.module);
}

bool Batch::close() {
  for (Group &group : groups)
    group.writer.close();
  settleTraps();
  return synchroniseCores();
}

static void note(tprt_site &site, tprt_refusal reason) {
  __atomic_store_n(&site.refusal, static_cast<uint8_t>(reason),
                   __ATOMIC_RELAXED);
}

void Batch::drop(size_t position, tprt_refusal reason) {
  tprt_site &site = sites[probe->sites[position]];
  probe->sites[position] = kDropped;
  note(site, reason);
  ++result->refused;
  if (!result->first_refused) {
    result->first_refused = &site;
    result->first_refusal = reason;
  }
}

void Batch::refuse(size_t position, tprt_refusal reason) {
  if (result)
    return drop(position, reason);
  tprt_site &site = sites[probe->sites[position]];
  note(site, reason);
  say(1, "%p in %s stays flipped, to no effect: %s",
      static_cast<const void *>(site.sled()), site.module()->path,
      tprt_refusal_string(reason));
}

// Step 2 for a site that is off. False: there was nothing to write, as the slot
// leads to the site's other stub, and where that can't be changed the sled will
// lead there.
bool Batch::writeSlot(size_t position, tprt_site &site, const Ways &ways,
                      TextWriter &writer) {
  Slot slot;
  tprt_refusal refusal =
      planSlot(site, writer.module->origin, ways.wanted, ways.other, &slot);
  if (refusal == TPRT_REFUSAL_NONE) {
    if (!slot.bytes && !slot.reached)
      return false;
    if (!writer.open()) {
      refusal = TPRT_REFUSAL_PERMISSION;
    } else if (slot.reached &&
               !(slot.bytes && writer.storesWords() &&
                 writer.exchange(slot.address, slot.was, slot.code))) {
      site.viaCounter = !site.viaCounter;
      return false;
    } else if (!slot.reached &&
               !writer.fill(slot.address, slot.code, slot.bytes)) {
      refusal = TPRT_REFUSAL_PERMISSION;
    } else if (again) { // somebody else wrote there too
      refusal = TPRT_REFUSAL_BYTES;
    }
  }
  deferred = true;
  if (refusal != TPRT_REFUSAL_NONE)
    drop(position, refusal);
  return true;
}

// Step 4: the store, right after its plan was held against the bytes in memory.
static tprt_refusal flip(const tprt_site &site, bool on, const Toggle &toggle,
                         TextWriter &writer) {
  if (!writer.open())
    return TPRT_REFUSAL_PERMISSION;
  Step steps[kMaxSteps];
  size_t count = 1;
  uint64_t value = on ? toggle.on : toggle.off;
  if (writer.storesWords() && toggle.bytes == 8) {
    auto sled = reinterpret_cast<uint64_t>(site.sled());
    writer.storePart(toggle.address, value, maskOf(toggle, sled));
    return TPRT_REFUSAL_NONE;
  }
  if (writer.storesWords())
    steps[0] = {toggle.address, value, toggle.bytes};
  else if ((count = planSteps(site, on, toggle, steps)) == 0)
    return TPRT_REFUSAL_PERMISSION;
  for (const Step *step = steps; step < steps + count; ++step)
    if (!writer.store(step->address, step->value, step->bytes))
      return TPRT_REFUSAL_PERMISSION;
  return TPRT_REFUSAL_NONE;
}

// --- one site in full
// ----------------------------------------------------------

// What is to be done at a site, and what that was decided from.
struct Batch::Plan {
  size_t position;
  tprt_site *site;
  bool on, counting;
  const StubRegion *region;
  StubData *data;
  const Chain *before;
  Chain *chain;     // what is to be there
  uint64_t counter; // its counting stub; 0: none
  Ways ways = {};
  bool viaCounter = false; // `wanted` is the counter's
  Toggle toggle = {};
  Task task = Task::Nothing;
  bool byTrap = false;

  uint32_t place() const { return indexOf(site) - site->module()->firstSite; }
  // Of a site that has a counting stub, or none.
  void replace(const Chain *from, Chain *to) const {
    publish(*data, *site, from, to);
    if (counter)
      letCount(*site, to->mode == kCount);
  }
};

static uint64_t wayTo(const tprt_site &site, const StubRegion *region,
                      StubKind kind, uint64_t stub) {
  FixedBits bits = fixedBitsOf(site);
  if (!bits.mask || !stub)
    return stub;
  const Module *module = site.module();
  const Landing *landing =
      landingOf(region, bits, kind, indexOf(&site) - module->firstSite);
  return landing && !overlapsNext(site)
             ? landingAt(module->origin + site.sledAt, landing->displacement)
             : 0;
}

StubWays waysOf(const tprt_site &site, const StubRegion *region) {
  return {wayTo(site, region, kUsual, region->stub(placeOf(site))),
          wayTo(site, region, kCounting, countStubOf(site))};
}

bool PageMemo::has(uint64_t address) {
  if (page != address / pageBytes()) {
    page = address / pageBytes();
    isReadable = tprt::isReadable(reinterpret_cast<const void *>(address));
  }
  return isReadable;
}

bool isFlipped(const tprt_site &site, PageMemo &memo) {
  const Module *module = site.module();
  const StubRegion *region = regionAt(module, placeOf(site));
  Extent extent = extentOf(site, module->origin);
  if (!region || !memo.has(extent.start) || !memo.has(extent.end - 1))
    return false;
  StubWays ways = waysOf(site, region);
  Toggle toggle;
  tprt_refusal refusal =
      planToggle(site, module->origin, {ways.usual, ways.counter}, &toggle);
  if (refusal == TPRT_REFUSAL_NONE)
    return toggle.now == SledForm::On;
  return mayNeedTrap(refusal) && formByTrap(site) == SledForm::On;
}

// Where the stubs of a site that needs landings are to have some and there are
// none. Where room was not found a few times, it is not looked for any more in
// this batch: each time takes hundreds of system calls.
void Batch::reserveWays(const Plan &plan) {
  constexpr unsigned kFew = 16;
  const tprt_site &site = *plan.site;
  FixedBits bits = fixedBitsOf(site);
  auto *region = const_cast<StubRegion *>(plan.region);
  auto reserve = [&](StubKind kind) {
    if (noRoom < kFew && !landingOf(region, bits, kind, plan.place()))
      noRoom += !reserveLanding(site.module(), region, site, kind);
  };
  if (!bits.mask)
    return;
  reserve(kUsual);
  if (plan.counting && plan.counter)
    reserve(kCounting);
}

// A site that no jump can flip. A probe that may not use traps takes one that
// is on by another's.
tprt_refusal Batch::planByTrap(Plan &plan, tprt_refusal reason) {
  tprt_site &site = *plan.site;
  SledForm now = kHasTraps ? formByTrap(site) : SledForm::Off;
  if (plan.on && now == SledForm::On)
    return TPRT_REFUSAL_NONE;
  if (plan.on && (!kHasTraps || !(probe->pattern.flags & TPRT_SELECT_TRAPS)))
    return reason;
  if (now == SledForm::Other)
    return TPRT_REFUSAL_BYTES;
  plan.task = taskFor(now, plan.on);
  plan.byTrap = true;
  // The signal's handler needs no landing.
  plan.viaCounter = plan.on && plan.counting && plan.counter;
  if (plan.on)
    return startTrap(
        site, plan.viaCounter ? plan.counter : plan.region->stub(plan.place()),
        &plan.toggle);
  planTrap(site, &plan.toggle);
  return TPRT_REFUSAL_NONE;
}

// What there is to do at the sled itself; or why nothing can be done. Nothing
// of a page is read before it was judged.
tprt_refusal Batch::plan(Plan &plan, const TextWriter &writer) {
  const tprt_site &site = *plan.site;
  uint64_t origin = writer.module->origin;
  tprt_refusal refusal = writer.judge(extentOf(site, origin));
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  if (plan.on)
    reserveWays(plan);
  StubWays ways = waysOf(site, plan.region);
  plan.viaCounter =
      (plan.on ? plan.counting : site.viaCounter) && ways.counter != 0;
  plan.ways = plan.viaCounter ? Ways{ways.counter, ways.usual}
                              : Ways{ways.usual, ways.counter};
  refusal = planToggle(site, origin, plan.ways, &plan.toggle);
  if (mayNeedTrap(refusal))
    return planByTrap(plan, refusal);
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  plan.task = taskFor(plan.toggle.now, plan.on);
  return plan.task == Task::Leave ? TPRT_REFUSAL_BYTES : TPRT_REFUSAL_NONE;
}

// Step 2 of a sled that is to be flipped on. False: it has to wait for step 3,
// or was refused.
bool Batch::prepare(const Plan &plan, TextWriter &writer) {
  tprt_site &site = *plan.site;
  FixedBits bits = fixedBitsOf(site);
  site.viaCounter = plan.viaCounter;
  if (plan.byTrap)
    return true;
  if (!bits.mask)
    return !writeSlot(plan.position, site, plan.ways, writer);
  Landing *landing = landingOf(
      plan.region, bits, plan.viaCounter ? kCounting : kUsual, plan.place());
  if (landing->isMade(plan.ways.wanted))
    return true;
  if (again) {
    drop(plan.position, TPRT_REFUSAL_REACH);
    return false;
  }
  landing->want(plan.ways.wanted);
  deferred = true;
  return false;
}

// The action is published before its sled is flipped: on x86 stores stay in
// order (Intel SDM vol. 3, 9.2.2), elsewhere the release in publish() and the
// barrier of the writer keep it.
void Batch::apply(const Plan &plan, TextWriter &writer) {
  tprt_site &site = *plan.site;
  if (plan.on && plan.counting)
    probe->baselines[plan.position] = sumCounters(indexOf(&site));
  plan.replace(plan.before, plan.chain);
  tprt_refusal refusal = plan.task == Task::Flip
                             ? flip(site, plan.on, plan.toggle, writer)
                             : TPRT_REFUSAL_NONE;
  if (refusal != TPRT_REFUSAL_NONE) {
    if (plan.on) {
      plan.replace(plan.chain, const_cast<Chain *>(plan.before));
      // A thread that was on its way through the stub may have found the action
      // meanwhile. The site leaves the probe's list, by which detach knows
      // whose handler a thread is in.
      probe->strays = true;
    }
    return refuse(plan.position, refusal);
  }
  if (plan.on)
    note(site, TPRT_REFUSAL_NONE);
  if (plan.on || plan.chain == emptyChain())
    __atomic_store_n(&site.enabled, plan.on, __ATOMIC_RELAXED);
}

void Batch::changeOne(size_t position, Group &group) {
  const bool on = result;
  uint32_t index = probe->sites[position];
  tprt_site &site = sites[index];
  uint32_t place = index - group.module->firstSite;
  const StubRegion *region = regionAt(group.module, place);
  if (!region)
    return refuse(position, TPRT_REFUSAL_REACH);
  StubData &data = region->data[place - region->first];
  const Chain *before = data.chain;
  memory = cache.derive(before, isWide(site), probe, on);
  Chain *chain = cache.entries[isWide(site)][0].to;
  if (!memory || !chain)
    return;
  Plan plan = {position,
               &site,
               on,
               on && probe->action.kind == TPRT_ACTION_COUNT,
               region,
               &data,
               before,
               chain,
               group.module->counting ? countStubOf(site) : 0};
  if (on || chain == emptyChain()) {
    tprt_refusal refusal = this->plan(plan, group.writer);
    if (refusal != TPRT_REFUSAL_NONE) {
      refuse(position, refusal);
      if (on)
        return;
      // Whose `enabled` stays: a breakpoint that goes may give our jump back.
      plan.replace(before, chain);
      return;
    }
    if (on && plan.task == Task::Flip && !prepare(plan, group.writer))
      return;
  }
  apply(plan, group.writer);
}

} // namespace tprt
