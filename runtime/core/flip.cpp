// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See flip.h.
#include "core/flip.h"
#include "core/stubs.h"

namespace tprt {

bool groupByModule(const Array<uint32_t> &batch, Array<Group> &groups) {
  for (size_t i = 0; i < batch.size();) {
    Module *module = sites[batch[i]].module();
    size_t end = i + 1;
    uint32_t first = batch[i],
             last = batch[i]; // in order of address, as all of a module's sites
    // By index alone: touching every site would be a pass over memory of its
    // own.
    for (; end < batch.size() &&
           batch[end] - module->firstSite < module->siteCount;
         ++end) {
      first = batch[end] < first ? batch[end] : first;
      last = batch[end] > last ? batch[end] : last;
    }
    if (!groups.push(
            {module, i, end,
             TextWriter::of(module, sites[first].sled(), sites[last].sled())}))
      return false;
    i = end;
  }
  return true;
}

void closeAll(Array<Group> &groups) {
  for (Group &group : groups)
    group.writer.close();
}

void publish(tprt_site &site, Chain *chain) {
  StubData &data = dataOf(site);
  const Chain *old = data.chain;
  __atomic_store_n(&data.chain, chain, __ATOMIC_RELEASE);
  const void *target = chain->countOnly
                           ? countTarget(site, site.module()->stubs->code)
                       : chain->redirectOnly ? redirectTarget()
                                             : trampolineOf(site);
  __atomic_store_n(&data.target, target, __ATOMIC_RELEASE);
  exchangeReferences(old, chain);
}

tprt_refusal prepare(tprt_site &site, TextWriter &writer, Toggle *toggle,
                     bool *slotWritten) {
  if (!chainOf(site))
    return TPRT_REFUSAL_REACH;
  uint64_t stub = stubOf(site);
  tprt_refusal refusal = planToggle(site, stub, toggle);
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  Slot slot;
  refusal = planSlot(site, stub, &slot);
  if (refusal != TPRT_REFUSAL_NONE || !slot.bytes)
    return refusal;
  if (!writer.isOpen() && !writer.open())
    return TPRT_REFUSAL_PERMISSION;
  if (!writer.fill(slot.address, slot.code, slot.bytes))
    return TPRT_REFUSAL_PERMISSION;
  *slotWritten = true;
  return TPRT_REFUSAL_NONE;
}

static bool storeInSteps(const tprt_site &site, bool on, const Toggle &toggle,
                         TextWriter &writer) {
  Step steps[kMaxSteps];
  size_t count = planSteps(site, on, toggle, steps);
  bool stored = count != 0;
  for (size_t i = 0; i < count && stored; ++i)
    stored = writer.store(steps[i].address, steps[i].value, steps[i].bytes);
  return stored;
}

tprt_refusal flip(tprt_site &site, bool on, const Toggle &toggle,
                  TextWriter &writer) {
  if (!writer.isOpen() && !writer.open())
    return TPRT_REFUSAL_PERMISSION;
  bool stored = writer.storesWords()
                    ? writer.store(toggle.address, on ? toggle.on : toggle.off,
                                   toggle.bytes)
                    : storeInSteps(site, on, toggle, writer);
  if (!stored)
    return TPRT_REFUSAL_PERMISSION;
  __atomic_store_n(&site.enabled, on, __ATOMIC_RELAXED);
  return TPRT_REFUSAL_NONE;
}

} // namespace tprt
