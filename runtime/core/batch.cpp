// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a batch does once, or at few of its sites; see flip.h.
#include "core/flip.h"
#include "core/status.h"
#include "core/stubs.h"
#include "core/threads.h"
#include "os/linux/barrier.h"
#include "os/linux/trial.h"

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
                      TextWriter::of(module, site, sites[batch[i - 1]])}))
      return false;
  }
  return true;
}

void Batch::change() {
  for (Group &group : groups)
    change(group);
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
bool Batch::writeSlot(size_t position, tprt_site &site, uint64_t stub,
                      uint64_t other, TextWriter &writer) {
  Slot slot;
  tprt_refusal refusal =
      planSlot(site, writer.module->origin, stub, other, &slot);
  if (refusal == TPRT_REFUSAL_NONE) {
    if (!slot.bytes && !slot.reached)
      return false;
    if (!writer.open()) {
      refusal = TPRT_REFUSAL_PERMISSION;
    } else if (slot.reached && !(slot.bytes && writer.storesWords())) {
      site.viaCounter = !site.viaCounter;
      return false;
    } else if (!(slot.reached
                     ? writer.store(slot.address, slot.code, slot.bytes)
                     : writer.fill(slot.address, slot.code, slot.bytes))) {
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
static tprt_refusal flip(tprt_site &site, bool on, const Toggle &toggle,
                         TextWriter &writer) {
  if (!writer.open())
    return TPRT_REFUSAL_PERMISSION;
  Step steps[kMaxSteps];
  size_t count = 1;
  if (writer.storesWords())
    steps[0] = {toggle.address, on ? toggle.on : toggle.off, toggle.bytes};
  else if ((count = planSteps(site, on, toggle, steps)) == 0)
    return TPRT_REFUSAL_PERMISSION;
  for (const Step *step = steps; step < steps + count; ++step)
    if (!writer.store(step->address, step->value, step->bytes))
      return TPRT_REFUSAL_PERMISSION;
  __atomic_store_n(&site.enabled, on, __ATOMIC_RELAXED);
  return TPRT_REFUSAL_NONE;
}

// Of a site that has a counting stub, or none.
static void replace(StubData &data, tprt_site &site, const Chain *before,
                    Chain *chain, bool counts) {
  publish(data, site, before, chain);
  if (counts)
    letCount(site, chain->mode == kCount);
}

// The action is published before its sled is flipped: on x86 stores stay in
// order (Intel SDM vol. 3, 9.2.2), elsewhere the release in publish() and the
// barrier of the writer keep it.
void Batch::changeOne(size_t position, Group &group) {
  const bool on = result;
  const bool counting = on && probe->action.kind == TPRT_ACTION_COUNT;
  uint32_t index = probe->sites[position];
  tprt_site &site = sites[index];
  const Module *module = group.module;
  uint32_t place = index - module->firstSite;
  const StubRegion *region = regionAt(module, place);
  if (!region)
    return refuse(position, TPRT_REFUSAL_REACH);
  StubData &data = region->data[place - region->first];
  const Chain *before = data.chain;
  memory = cache.derive(before, isWide(site), probe, on);
  Chain *chain = cache.entries[isWide(site)][0].to;
  if (!memory || !chain)
    return;
  uint64_t usual = region->stub(place),
           counter = module->counting ? countStubOf(site) : 0;
  bool flips = on ? !site.enabled : chain == emptyChain();
  Toggle toggle;
  if (flips) {
    if (on)
      site.viaCounter = counting && counter;
    uint64_t stub = site.viaCounter ? counter : usual,
             other = site.viaCounter ? usual : counter;
    tprt_refusal refusal = planToggle(site, module->origin, stub, &toggle);
    if (mayNeedTrap(refusal) &&
        (on ? (probe->pattern.flags & TPRT_SELECT_TRAPS) != 0 : site.enabled))
      refusal = planTrap(site, stub, &toggle);
    else if (refusal == TPRT_REFUSAL_NONE && on &&
             writeSlot(position, site, stub, other, group.writer))
      return;
    flips = refusal == TPRT_REFUSAL_NONE;
    if (!flips)
      refuse(position, refusal);
    if (!flips && on)
      return;
  }
  if (counting)
    probe->baselines[position] = sumCounters(index);
  replace(data, site, before, chain, counter);
  tprt_refusal refusal =
      flips ? flip(site, on, toggle, group.writer) : TPRT_REFUSAL_NONE;
  if (refusal != TPRT_REFUSAL_NONE && on) // it was off: it had no other action
    replace(data, site, chain, emptyChain(), counter);
  if (refusal != TPRT_REFUSAL_NONE)
    refuse(position, refusal);
  else if (on)
    note(site, TPRT_REFUSAL_NONE);
}

} // namespace tprt
