// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a batch, and the full steps for one site; see batch.h. Called
// under the lock.
#include "patch/batch.h"
#include "actions/record_hook.h"
#include "base/os_process.h"
#include "base/os_text.h"
#include "base/page_size.h"
#include "modules/module.h"
#include "patch/overlap.h"
#include "patch/probe_counts.h"
#include "patch/quick_patch.h"
#include "patch/uprobe_yield.h"
#include "text/inline_stubs.h"
#include "text/jump_islands.h"
#include "text/pc_map.h"
#include "text/pun_islands.h"
#include "text/stubs.h"
#include "threads/status.h"
#include "threads/thread_block.h"

namespace tprt {

// --- the batch --------------------------------------------------------------

// Lets the writer open the veneers of these sites. The veneer of an exit may
// lie far before or after its sled. While a module has no stubs, a writer opens
// all of the module's code (CodeWriter).
static void includeVeneers(TextWriter &writer, const uint32_t *batch,
                           const uint32_t *end) {
  bool isAnyFar = false;
  for (const StubRegion *region = writer.module->stubs; region;
       region = region->next)
    isAnyFar |= region->isFar();
  for (; isAnyFar && batch != end; ++batch) {
    const tprt_site &site = sites[*batch];
    if (!hasVeneer(site))
      continue;
    uint64_t start = veneerOf(site, writer.module->origin),
             after = start + kVeneerWords * sizeof(uint32_t);
    writer.low = start < writer.low ? start : writer.low;
    writer.high = after > writer.high ? after : writer.high;
  }
}

bool Batch::open() {
  yieldIfDue();
  beginTrials();
  const Array<uint32_t> &batch = probe->sites;
  for (size_t i = first; i < batch.size();) {
    Module *module = sites[batch[i]].module();
    size_t begin = i;
    i = endOfModule(batch, i, module);
    BranchSet own;
    if (!branches.collect(module, &batch[begin], batch.begin() + i, own) ||
        !groups.push({module, begin, i,
                      TextWriter::of(module, *own.low, *own.high), own}))
      return false;
    TextWriter &writer = groups[groups.size() - 1].writer;
    includeVeneers(writer, &batch[begin], batch.begin() + i);
    if (!writer.look())
      return false;
  }
  return true;
}

// The kind of second stubs that suits the action, or kGeneral if none does.
static StubKind secondKindFor(const Module *module, const tprt_action &action) {
  if (action.kind == TPRT_ACTION_COUNT)
    return countingKindOf(module);
  if (action.kind == TPRT_ACTION_REDIRECT)
    return kOriginals;
  return isRecorders(action.handler) && action.every <= 1 ? kRecording
                                                          : kGeneral;
}

// Prepares the group's stubs. Returns TPRT_REFUSAL_NONE, or the reason why no
// site of the group can be attached.
static tprt_refusal prepareStubsOf(Group &group, const tprt_probe *probe) {
  const uint32_t *batch = &probe->sites[group.begin];
  size_t count = group.end - group.begin;
  if (!group.module->copied)
    group.writer.expect(count);
  if (!makeStubs(group.module, kGeneral, batch, count))
    return group.module->stubs ? TPRT_REFUSAL_PERMISSION : TPRT_REFUSAL_REACH;
  if (group.module->isCode)
    makeStubs(group.module, kShortCopy, batch, count);
  const tprt_action &action = probe->action;
  if (isRecorders(action.handler))
    recorder->describe(group.module, batch, count, action.data);
  if (StubKind second = secondKindFor(group.module, action); second != kGeneral)
    makeStubs(group.module, second, batch, count);
  return TPRT_REFUSAL_NONE;
}

// A barrier is needed for two reasons. First, no core may hold old bytes of
// memory that now contains stubs. Second, no core may hold bytes that an
// earlier batch replaced, because this batch may replace a slot, or the bytes
// after a ret, again. The last batch ended with such a barrier. If that barrier
// failed, if there was no earlier batch, or if stubs were made,
// synchroniseIfNeeded() issues one now.
//
// The copy of an instruction depends on whether its site is a pun. So this is
// decided first.
bool Batch::prepareStubs() {
  for (const Group &group : groups)
    reserveStubs(group.module, secondKindFor(group.module, probe->action),
                 &probe->sites[group.begin], group.end - group.begin);
  preferOneByte();
  for (Group &group : groups) {
    group.forAll = prepareStubsOf(group, probe);
    if (group.forAll == TPRT_REFUSAL_NONE && counts() &&
        !branches.prepareStubs(group.module, group.branches))
      group.forAll = TPRT_REFUSAL_REACH;
  }
  return synchroniseIfNeeded();
}

void Batch::walk(Pass pass) {
  for (Group &group : groups)
    if (direction == Direction::On)
      takeAll<Direction::On>(*this, group, pass);
    else
      takeAll<Direction::Off>(*this, group, pass);
}

Flipped Batch::flip() {
  bool synchronised = true;
  prepareBranches();
  walk(Pass::First);
  if (waiting) {
    for (const Group &group : groups)
      makeIslands(group.module);
    makePuns();
    tellOfPcMap();
    synchronised = synchroniseCores();
    if (synchronised)
      walk(Pass::Prepared);
  }
  if (synchronised)
    applyBranches();
  // This precedes the barrier. From now on, dispatchers that still find the
  // probe in an action list do not call its handler.
  if (direction == Direction::Off && ends)
    setState(*probe, outOfMemory ? ProbeState::Attached : ProbeState::Ending);
  if (!close() || !synchronised)
    return Flipped::NotSynchronised;
  return outOfMemory ? Flipped::NoMemory : Flipped::All;
}

bool Batch::close() {
  exchangePages();
  for (Group &group : groups)
    group.writer.close();
  if (hasPuns)
    endPuns();
  if (bareJumps)
    say(1,
        "%zu jumps have no room for a breakpoint after them: set no breakpoint "
        "or uprobe there while these probes are on",
        bareJumps);
  finishTraps();
  tellOfPcMap();
  return synchroniseCores();
}

// --- one site ---------------------------------------------------------------

static void note(tprt_site &site, tprt_refusal reason) {
  __atomic_store_n(&site.refusal, static_cast<uint8_t>(reason),
                   __ATOMIC_RELAXED);
}

// Notes a refusal. A site that was to be attached leaves the probe's list. A
// site that was to be detached stays flipped.
void Batch::refuse(size_t position, const SitePlan &plan) {
  tprt_site &site = *plan.site;
  note(site, plan.reason);
  if (direction == Direction::Off) {
    say(1, "%p in %s stays flipped, without effect: %s",
        static_cast<const void *>(site.sled()), site.module()->path,
        tprt_refusal_string(plan.reason));
    return;
  }
  const ActionList *actionList = actionListOf(site);
  if (site.module()->isCode && !site.enabled &&
      !(actionList && actionList->skips))
    leaveCode(site);
  probe->sites[position] = kDropped;
  ++result->refused;
  ++refusals[plan.reason];
  if (!result->first_refused) {
    result->first_refused = &site;
    result->first_refusal = plan.reason;
  }
}

void replace(tprt_site &site, StubData &data, const ActionList *from,
             ActionList *to) {
  publish(data, site, from, to);
  if (site.module()->hasSeconds)
    letSecondStubs(site, to);
}

// The islands of a pun always lead to the stub that suits its first probe. A
// counting stub that may not count continues at the general stub, and so does a
// recording stub that may not record.
static void leadPunOf(const SitePlan &plan, StubKind kind) {
  const tprt_site &site = *plan.site;
  uint64_t second = kind == kGeneral ? 0 : secondStubOf(site, kind);
  const PunStubs usual = {second, entryOf(plan.region, site)};
  leadPun(punOf(site), plan.ways.wanted, usual,
          runsOn(site) ? PunStubs{0, shortEntryOf(plan.region, site)} : usual);
}

// Writes a slot that no thread can reach.
static bool fillSlot(const tprt_site &site, const Slot &slot,
                     TextWriter &writer) {
  if (slot.state != SlotState::UnusedVeneer)
    return writer.fill(slot.address, slot.code, slot.bytes);
  uint32_t words[kVeneerWords] = {};
  wordsOfVeneer(site, writer.module->origin, slot.code, words);
  for (size_t i = 0; i < kVeneerWords; ++i)
    if (!writer.fill(slot.address + i * sizeof *words, words[i], sizeof *words))
      return false;
  return true;
}

// Prepares what one site or static branch needs. If the result is Waits, the
// sled is not flipped in this pass.
Prepared Batch::prepare(SitePlan &plan, TextWriter &writer, Pass pass) {
  const bool isFirst = pass == Pass::First;
  auto refused = [&](tprt_refusal reason) {
    plan.reason = reason;
    return Prepared::Refused;
  };
  if (plan.need == Need::Refused)
    return Prepared::Refused;
  // An earlier site's jump may end in the byte that the trap changes. That jump
  // can be made only before the trap. So the trap waits for the second pass.
  if (plan.need == Need::Trap)
    return plan.to == Direction::On && isFirst && plan.site->module()->isCode
               ? Prepared::Waits
               : Prepared::Ready;
  if (plan.need == Need::Island) {
    if (!isFirst)
      return refused(isExecutableForbidden // it could not be made
                         ? TPRT_REFUSAL_PERMISSION
                         : TPRT_REFUSAL_REACH);
    if (isPun(*plan.site)) {
      leadPunOf(plan, stubFor(plan));
      return Prepared::Waits;
    }
    islandOf(plan.region, fixedBitsOf(*plan.site), plan.via,
             placeOf(*plan.site))
        ->want(plan.ways.wanted);
    return Prepared::Waits;
  }
  if (plan.need != Need::Slot)
    return Prepared::Ready;
  const Slot &slot = plan.slot;
  if (!writer.open())
    return refused(TPRT_REFUSAL_PERMISSION);
  // If a slot in use is not changed, the sled leads to another stub of the
  // site, which is also correct.
  if (slot.state == SlotState::InUse)
    return isFirst && writer.storesWords() &&
                   writer.exchange(slot.address, slot.was, slot.code)
               ? Prepared::Waits
               : Prepared::Ready;
  if (!isFirst)
    return refused(TPRT_REFUSAL_BYTES); // other code wrote there, too
  return fillSlot(*plan.site, slot, writer) ? Prepared::Waits
                                            : refused(TPRT_REFUSAL_PERMISSION);
}

uint64_t maskFor(const SitePlan &plan) {
  const tprt_site &site = *plan.site;
  if (site.shape() != TPRT_SHAPE_CODE)
    return maskOf(plan.toggle, reinterpret_cast<uint64_t>(site.sled()));
  return maskOf(plan.toggle, jumpOf(site) + plan.keepsFirst,
                changedBytes(codeOf(site)) - plan.keepsFirst);
}

// Makes the store. The plan was compared with the bytes in memory right before.
tprt_refusal store(const SitePlan &plan, TextWriter &writer) {
  if (plan.keepsFirst && writer.open() &&
      !(writer.storesWords() && plan.toggle.bytes == 8))
    return TPRT_REFUSAL_BYTES;
  return writer.toggle(*plan.site, plan.toggle, plan.to, maskFor(plan));
}

// Fills in the plan's store: either a breakpoint instruction, or the original
// byte in its place. If the breakpoint instruction was already removed, nothing
// is stored.
static void planTrapStore(SitePlan &plan) {
  plan.need = Need::Toggle;
  if (plan.to == Direction::Off) {
    planTrap(*plan.site, &plan.toggle);
    if (plan.toggle.now != SledForm::On)
      plan.need = Need::ActionListOnly;
    return;
  }
  uint64_t stub = plan.via == kGeneral
                      ? shortEntryOf(plan.region, *plan.site)
                      : secondStubOf(*plan.site, plan.via.stub());
  plan.reason = startTrap(*plan.site, stub, &plan.toggle);
}

// Publishes the action and then flips the sled. x86 keeps stores in this order
// (Intel SDM vol. 3, 9.2.2). On other processors, the release in publish() and
// the writer's barrier keep the order.
void Batch::apply(size_t position, SitePlan &plan, TextWriter &writer) {
  const bool on = direction == Direction::On;
  tprt_site &site = *plan.site;
  if (plan.need == Need::Trap) {
    planTrapStore(plan);
    if (plan.reason != TPRT_REFUSAL_NONE)
      return refuse(position, plan);
  }
  if (counts())
    outOfMemory |= !noteSite(*probe, position);
  replace(site, *plan.data, plan.before, plan.actionList);
  if (plan.need != Need::ActionListOnly)
    plan.reason = needsPageExchange(site) ? storeWithPage(position, plan)
                                          : store(plan, writer);
  if (plan.reason != TPRT_REFUSAL_NONE) {
    if (on) {
      replace(site, *plan.data, plan.actionList,
              const_cast<ActionList *>(plan.before));
      // A thread in the stub may have found the action meanwhile. But the site
      // is removed from the probe's list, by which a detach recognizes threads
      // in the probe's handler.
      probe->strays = true;
    }
    return refuse(position, plan);
  }
  if (on)
    note(site, TPRT_REFUSAL_NONE);
  __atomic_store_n(&site.enabled, plan.actionList->hits != 0, __ATOMIC_RELAXED);
  if (plan.actionList == emptyActionList() && site.module()->isCode)
    leaveCode(site);
}

void Batch::take(size_t position, Group &group, Pass pass) {
  SitePlan plan = planOf(position, group);
  outOfMemory |= plan.need == Need::NoMemory;
  if (plan.need == Need::Nothing || plan.need == Need::NoMemory)
    return;
  Prepared prepared = prepare(plan, group.writer, pass);
  if (prepared == Prepared::Ready)
    return apply(position, plan, group.writer);
  waiting += prepared == Prepared::Waits;
  if (prepared != Prepared::Refused)
    return;
  refuse(position, plan);
  // From now on, hits of the site do nothing. `enabled` stays true, because the
  // removal of a breakpoint may restore our jump.
  if (direction == Direction::Off && plan.actionList)
    replace(*plan.site, *plan.data, plan.before, plan.actionList);
}

} // namespace tprt
