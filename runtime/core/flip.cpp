// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over a batch, for what most sites are like: some five nanoseconds a
// site, so all of it is inline. Whatever else a site may be is left to
// Batch::changeOne(), which does the same in full.
#include "core/flip.h"
#include "core/stubs.h"

namespace tprt {

// The sites of one module that have their stubs in one region; most modules
// have one. What is needed of the two is at hand: in the loop, after each
// store, any of it might be another.
struct Batch::Stretch {
  uint32_t first, count; // indexes
  uint64_t origin, stubs;
  StubData *data;

  void enter(const Module *module, const StubRegion *region) {
    first = module->firstSite + region->first;
    count = region->count;
    origin = module->origin;
    stubs = region->code + kStubHeaderBytes;
    data = region->data;
  }
};

// False: it is to be done in full, and nothing was changed. The order of stores
// is changeOne()'s, and rests on what is said there.
[[gnu::flatten]] inline bool Batch::changeQuickly(const Stretch &stretch,
                                                  size_t position, uint32_t at,
                                                  TextWriter &writer,
                                                  const bool on) {
  tprt_site &site = sites[stretch.first + at];
  StubData &data = stretch.data[at];
  const Chain *before = data.chain;
  // Entries may have another chain than the exits between them.
  const ChainCache::Entry *known = cache.entries[isWide(site)];
  known += known->from != before;
  Chain *chain = known->to;
  if (known->from != before || !chain) [[unlikely]]
    return false;
  bool flips = on ? !site.enabled : chain == emptyChain();
  Toggle toggle{};
  if (flips) {
    uint64_t stub = stretch.stubs + size_t{at} * kStubBytes;
    if (!writer.storesWords() ||
        planToggle(site, stretch.origin, stub, &toggle) != TPRT_REFUSAL_NONE)
        [[unlikely]]
      return false;
    if (on && !isSlotWritten(site, stretch.origin, stub)) [[unlikely]]
      return writeSlot(position, site, stub, 0, writer);
  }
  publish(data, site, before, chain);
  if (flips) {
    writer.storeWord(toggle.address, on ? toggle.on : toggle.off, toggle.bytes);
    __atomic_store_n(&site.enabled, on, __ATOMIC_RELAXED);
  }
  if (on)
    __atomic_store_n(&site.refusal, TPRT_REFUSAL_NONE, __ATOMIC_RELAXED);
  return true;
}

// Flattened: all that is inline becomes part of the loop, whatever the compiler
// thinks of its size.
[[gnu::flatten]] void Batch::change(Group &group) {
  const uint32_t *batch = probe->sites.begin();
  Stretch stretch{};
  const bool on = result;
  // Where counters are, not quickly.
  const bool quick = !group.module->counting &&
                     (!on || probe->action.kind != TPRT_ACTION_COUNT);
  for (size_t i = group.begin, end = group.end; i < end && memory; ++i) {
    uint32_t index = batch[i];
    if (index == kDropped) [[unlikely]]
      continue;
    // Sites lie one after the other, but not in the fast caches: ahead by what
    // takes as long as memory.
    __builtin_prefetch(&sites[index] + 24, 1);
    if (index - stretch.first >= stretch.count) [[unlikely]]
      if (const StubRegion *region =
              regionAt(group.module, index - group.module->firstSite))
        stretch.enter(group.module, region);
    if (!quick || index - stretch.first >= stretch.count ||
        !changeQuickly(stretch, i, index - stretch.first, group.writer, on))
        [[unlikely]]
      changeOne(i, group);
  }
}

} // namespace tprt
