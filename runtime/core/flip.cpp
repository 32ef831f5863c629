// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over a batch, for what most sites are like: some five nanoseconds a
// site, so all of it is inline. Whatever else a site may be is left to
// Batch::changeOne(), which does the same in full.
#include "core/flip.h"
#include "core/landings.h"
#include "core/module.h"
#include "core/os.h"
#include "core/stubs.h"

namespace tprt {

// The sites of one module that have their stubs in one region, and LONG sleds
// their landings in one image; most modules have one of each. What is needed of
// them is at hand: in the loop, after each store, any of it might be another.
struct Batch::Stretch {
  uint32_t first, count; // indexes
  uint64_t origin, stubs;
  StubData *data;
  const StubRegion *region;
  Landing *landing; // nullptr: none
  // Sleds from here on, and as far, have all that their plans may touch in one
  // mapping that may be read and written. From the module's origin.
  uint32_t openFrom, openBytes;

  void enter(const Module *module, const StubRegion *to) {
    first = module->firstSite + to->first;
    count = to->count;
    origin = module->origin;
    stubs = to->code + kStubHeaderBytes;
    data = to->data;
    region = to;
    landing = nullptr;
  }

  bool isOpen(const Module *module, const tprt_site &site) {
    return site.sledAt - openFrom < openBytes || enterMapping(module, site);
  }
  // Not part of the loop.
  [[gnu::noinline]] bool enterMapping(const Module *module,
                                      const tprt_site &site) {
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

  // Where the stub of a site that needs a landing is led to; 0: it is not known
  // quickly.
  uint64_t landingFor(const tprt_site &site, uint32_t at) {
    FixedBits bits = fixedBitsOf(site);
    uint32_t place = region->first + at;
    if (!landing || !landing->covers(place) || !(landing->bits == bits))
      landing = landingOf(region, bits, kUsual, place);
    return landing && !overlapsNext(site)
               ? landingAt(origin + site.sledAt, landing->displacement)
               : 0;
  }
};

// False: it is to be done in full, and nothing was changed. The order of stores
// is apply()'s, and rests on what is said there.
template <bool on>
[[gnu::flatten]] inline bool Batch::changeQuickly(Stretch &stretch,
                                                  size_t position, uint32_t at,
                                                  TextWriter &writer) {
  tprt_site &site = sites[stretch.first + at];
  StubData &data = stretch.data[at];
  const Chain *before = data.chain;
  // Entries may have another chain than the exits between them.
  const ChainCache::Entry *known = cache.entries[isWide(site)];
  known += known->from != before;
  Chain *chain = known->to;
  if (known->from != before || !chain) [[unlikely]]
    return false;
  bool flips = on || chain == emptyChain();
  Toggle toggle{};
  if (flips) {
    uint64_t way = stretch.stubs + size_t{at} * kStubBytes;
    const bool lands = needsLanding(site);
    if (lands) [[unlikely]]
      way = stretch.landingFor(site, at);
    if (!way || !stretch.isOpen(writer.module, site)) [[unlikely]]
      return false;
    if (planToggle(site, stretch.origin, {way, 0}, &toggle) !=
            TPRT_REFUSAL_NONE ||
        toggle.now >= SledForm::Stale) [[unlikely]]
      return false;
    flips = taskFor(toggle.now, on) == Task::Flip;
    if (lands && flips && on && !stretch.landing->isMade(way)) [[unlikely]] {
      stretch.landing->want(way);
      return deferred = !again;
    }
    if (flips && !writer.storesWords()) [[unlikely]]
      return false;
    if (flips && on && !isSlotWritten(site, stretch.origin, way)) [[unlikely]]
      return writeSlot(position, site, {way, 0}, writer);
  }
  publish(data, site, before, chain);
  uint64_t value = on ? toggle.on : toggle.off;
  if (flips && toggle.bytes == 8) [[unlikely]]
    writer.storePart(toggle.address, value,
                     maskOf(toggle, stretch.origin + site.sledAt));
  else if (flips)
    writer.storeWord(toggle.address, value, toggle.bytes);
  if (on || chain == emptyChain())
    __atomic_store_n(&site.enabled, on, __ATOMIC_RELAXED);
  if (on)
    __atomic_store_n(&site.refusal, TPRT_REFUSAL_NONE, __ATOMIC_RELAXED);
  return true;
}

// Flattened: all that is inline becomes part of the loop, whatever the compiler
// thinks of its size.
// Two loops, as each step asks for the direction.
template <bool on> [[gnu::flatten]] void Batch::changeAll(Group &group) {
  const uint32_t *batch = probe->sites.begin();
  Stretch stretch{};
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
        !changeQuickly<on>(stretch, i, index - stretch.first, group.writer))
        [[unlikely]]
      changeOne(i, group);
  }
}

void Batch::change(Group &group) {
  if (result)
    changeAll<true>(group);
  else
    changeAll<false>(group);
}

} // namespace tprt
