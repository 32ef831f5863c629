// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps by which attach.cpp and detach.cpp change code, for a batch of any
// number of sites. They come in this order:
//
//   1. stubs are made: complete, executable, reachable from nowhere; then
//      membarrier SYNC_CORE: no core holds what was there before
//   2. slots get their jump to the stub: no thread can reach them
//   3. membarrier SYNC_CORE: no core holds old bytes of them
//   4. each sled is toggled by one aligned store, which leads to slot or stub;
//      through /proc/self/mem byte by byte, by way of instructions without
//      effect
//   5. membarrier SYNC_CORE: no core runs the old sled any more
//
// (1 the first time alone; 2 and 3 then, and when a site changes between its
// two stubs, by one aligned store each.) Detach is 4 and 5 backwards, after the
// chain was replaced. Stubs stay as they are, and a slot leads to one of the
// two: a thread may be inside either for as long as it likes. What permits each
// store is said in arch/<name>/plan.h. All under the lock.
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
#define TPRT_BATCH_LOOP __attribute__((flatten, noinline))

// Consecutive sites of one module in a batch.
struct Group {
  Module *module;
  size_t begin, end;
  TextWriter writer;
  tprt_refusal forAll = TPRT_REFUSAL_NONE; // why none of them can be attached
};

// False: no memory.
bool groupByModule(const Array<uint32_t> &batch, Array<Group> &groups);
void closeAll(Array<Group> &groups);

// A site with what is found by its place in the module: looked up once.
struct Place {
  tprt_site &site;
  StubRegion *region; // nullptr: no memory within its reach, as the rest then
  StubData *data;
  uint64_t usual, counter; // its stubs; 0: none that counts
  uint64_t origin;         // of its module

  bool hasStub() const { return region && data->chain; }
  // Where its sled leads, or will lead.
  uint64_t target() const { return site.viaCounter ? counter : usual; }
};

// Walks over sites of one module. Most modules have one region. What it needs
// of the two is at hand: in the loops, after each store, any of it might be
// another.
class Walk {
public:
  explicit Walk(const Module *module)
      : firstSite(module->firstSite), origin(module->origin),
        counts(module->counting) {
    enter(module->stubs);
  }
  Place operator()(uint32_t index) {
    tprt_site &site = sites[index];
    // Sites lie one after the other, but not in the fast caches: ahead by what
    // takes as long as memory.
    __builtin_prefetch(&site + 24, 1);
    if (index - first >= count) [[unlikely]]
      enter(regionOf(site));
    if (!region) [[unlikely]]
      return {site, nullptr, nullptr, 0, 0, origin};
    uint32_t at = index - first;
    return {site,
            region,
            &data[at],
            code + size_t{at} * kStubBytes,
            counts ? countStubOf(site) : 0,
            origin};
  }

private:
  void enter(StubRegion *next) {
    region = next;
    if (!region) {
      count = 0;
      return;
    }
    first = firstSite + region->first;
    count = region->count;
    code = region->code + kStubHeaderBytes;
    data = region->data;
  }
  uint32_t firstSite, first = 0, count = 0;
  uint64_t origin, code = 0;
  StubData *data = nullptr;
  StubRegion *region;
  bool counts;
};

// For a slot that leads to the site's other stub; where it can't be changed,
// the sled will lead there. By value: what has an address is kept in memory,
// and the loops inline all else.
tprt_refusal replaceSlot(Place place, Slot slot, TextWriter &writer,
                         Toggle *toggle, bool *written);

// Step 2 for one site that is off, whose action will just count or not. Sets
// *slotWritten when bytes changed. What memory holds decides, not what was
// written once: a module closed and opened again at its old place between two
// looks has fresh code.
inline tprt_refusal prepare(const Place &place, bool counting,
                            TextWriter &writer, Toggle *toggle,
                            bool *slotWritten) {
  if (!place.hasStub()) [[unlikely]]
    return TPRT_REFUSAL_REACH;
  tprt_site &site = place.site;
  // Only where it changes: what follows would wait for the store.
  bool viaCounter = counting && place.counter;
  if (site.viaCounter != viaCounter)
    site.viaCounter = viaCounter;
  uint64_t target = viaCounter ? place.counter : place.usual;
  tprt_refusal refusal = planToggle(site, place.origin, target, toggle);
  if (refusal != TPRT_REFUSAL_NONE) [[unlikely]]
    return refusal;
  Slot slot;
  refusal = planSlot(site, place.origin, target,
                     viaCounter ? place.usual : place.counter, &slot);
  if (refusal != TPRT_REFUSAL_NONE || !(slot.bytes || slot.reached)) [[likely]]
    return refusal;
  if (!writer.isOpen() && !writer.open()) [[unlikely]]
    return TPRT_REFUSAL_PERMISSION;
  if (slot.reached) {
    Toggle changed = *toggle;
    refusal = replaceSlot(place, slot, writer, &changed, slotWritten);
    *toggle = changed;
    return refusal;
  }
  *slotWritten = writer.fill(slot.address, slot.code, slot.bytes);
  return *slotWritten ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_PERMISSION;
}

// Publishes what the site's stub leads to. A thread that still finds the old
// chain, or is on its way through code for it, does what one of the two says;
// with the empty chain trampolines do nothing, and counting code counts for
// nobody.
inline void publish(const Place &place, Chain *chain) {
  StubData &data = *place.data;
  const Chain *old = data.chain;
  __atomic_store_n(&data.chain, chain, __ATOMIC_RELEASE);
  exchangeReferences(old, chain);
  if (place.counter)
    letCount(place.site, chain->mode == kCount);
  if (chain != emptyChain())
    leadTo(data, place.site, chain);
}

// By way of planSteps().
bool storeInSteps(const tprt_site &site, bool on, const Toggle &toggle,
                  TextWriter &writer);

// Step 4: the store, right after its plan was held against the bytes in memory.
inline tprt_refusal flip(tprt_site &site, bool on, const Toggle &toggle,
                         TextWriter &writer) {
  if (!writer.isOpen() && !writer.open()) [[unlikely]]
    return TPRT_REFUSAL_PERMISSION;
  bool stored;
  if (writer.storesWords()) [[likely]] {
    stored =
        writer.store(toggle.address, on ? toggle.on : toggle.off, toggle.bytes);
  } else {
    Toggle copy = toggle; // which has an address, so is kept in memory
    stored = storeInSteps(site, on, copy, writer);
  }
  if (!stored) [[unlikely]]
    return TPRT_REFUSAL_PERMISSION;
  __atomic_store_n(&site.enabled, on, __ATOMIC_RELAXED);
  return TPRT_REFUSAL_NONE;
}

} // namespace tprt

#endif
