// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps by which attach.cpp and detach.cpp change code, for a batch of any
// number of sites. They come in this order:
//
//   1. stubs are made: complete, executable, reachable from nowhere
//   2. slots get their jump to the stub: no thread can reach them
//   3. membarrier SYNC_CORE: no core holds old bytes of either
//   4. each sled is toggled by one aligned store, which leads to slot or stub;
//      through /proc/self/mem byte by byte, by way of instructions without
//      effect
//   5. membarrier SYNC_CORE: no core runs the old sled any more
//
// (2 and 3 only the first time, and when a site changes between its two stubs,
// by one aligned store each.) Detach is 4 and 5 backwards, after the chain
// was replaced. Slots and stubs stay as they are: a thread may be inside one
// for as long as it likes. What permits each store is said in
// arch/<name>/sled.cpp. All under the lock.
#ifndef TPRT_CORE_FLIP_H
#define TPRT_CORE_FLIP_H

#include "core/arch.h"
#include "core/chain.h"
#include "core/countstubs.h"
#include "core/stubs.h"
#include "os/linux/text.h"

namespace tprt {

// For the loops over a batch: all that is inline above and below becomes part
// of them, whatever the compiler thinks of their size.
#define TPRT_BATCH_LOOP __attribute__((flatten))

// Consecutive sites of one module in a batch.
struct Group {
  Module *module;
  size_t begin, end;
  TextWriter writer;
};

// False: no memory.
bool groupByModule(const Array<uint32_t> &batch, Array<Group> &groups);
void closeAll(Array<Group> &groups);

// Where its sled leads, or will lead.
inline uint64_t targetOf(const tprt_site &site) {
  return site.viaCounter ? countStubOf(site) : stubOf(site);
}

// Step 2 for one site that is off, whose action will just count or not. Sets
// *slotWritten when bytes changed. What memory holds decides, not what was
// written once: a module closed and opened again at its old place between two
// looks has fresh code.
inline tprt_refusal prepare(tprt_site &site, bool counting, TextWriter &writer,
                            Toggle *toggle, bool *slotWritten) {
  if (!chainOf(site))
    return TPRT_REFUSAL_REACH;
  uint64_t usual = stubOf(site), counter = countStubOf(site);
  site.viaCounter = counting && counter;
  tprt_refusal refusal = planToggle(site, targetOf(site), toggle);
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  Slot slot;
  refusal =
      planSlot(site, targetOf(site), site.viaCounter ? usual : counter, &slot);
  if (refusal != TPRT_REFUSAL_NONE || !(slot.bytes || slot.reached))
    return refusal;
  if (!writer.isOpen() && !writer.open())
    return TPRT_REFUSAL_PERMISSION;
  // Of the two ways either is right at any time: this one is the shorter now.
  if (slot.reached && !(slot.bytes && writer.storesWords())) {
    site.viaCounter = !site.viaCounter;
    return planToggle(site, targetOf(site), toggle);
  }
  bool written = slot.reached
                     ? writer.store(slot.address, slot.code, slot.bytes)
                     : writer.fill(slot.address, slot.code, slot.bytes);
  *slotWritten = written;
  return written ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_PERMISSION;
}

// Publishes what the site's stub leads to. Chain before target: whichever of
// the two trampolines a thread is in, it does what the new chain says. With the
// empty chain all of them do nothing, and counting code counts for nobody.
inline void publish(tprt_site &site, Chain *chain) {
  StubData &data = dataOf(site);
  const Chain *old = data.chain;
  __atomic_store_n(&data.chain, chain, __ATOMIC_RELEASE);
  exchangeReferences(old, chain);
  if (site.module()->counting)
    letCount(site, chain->countOnly);
  if (chain == emptyChain())
    return;
  const void *target = chain->countOnly
                           ? countTarget(site, regionOf(site)->code)
                       : chain->redirectOnly ? redirectTarget()
                                             : trampolineOf(site);
  __atomic_store_n(&data.target, target, __ATOMIC_RELEASE);
}

// By way of planSteps().
bool storeInSteps(const tprt_site &site, bool on, const Toggle &toggle,
                  TextWriter &writer);

// Step 4: the store, right after its plan was held against the bytes in memory.
inline tprt_refusal flip(tprt_site &site, bool on, const Toggle &toggle,
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

#endif
