// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of stubs: the stubs and the data words of a run of sites, and the
// memory that they lie in. If all sites of a module reach one region, the
// module has one. Otherwise each run of sites has a region within its reach. If
// a run of sites has no free memory within reach, but some of its sites can
// have a veneer (arch.h), the run has far stubs, which may lie anywhere. Second
// stubs lie in further regions. Regions are not unmapped while the module is
// loaded, because a thread may be in a stub at any time. Everything here is
// used under the lock.
#ifndef TPRT_TEXT_STUB_REGIONS_H
#define TPRT_TEXT_STUB_REGIONS_H

#include "modules/module.h"
#include "sites/arch.h"
#include "text/executable_area.h"
#include "text/stub_kind.h"

namespace tprt {

struct Island; // jump_islands.h

struct StubRegion {
  uint32_t first, count; // Its sites, by their places in the module.
  StubRegion *next;      // of the same module
  // If the stubs are general stubs, their header; then one stub per site.
  uint64_t code;
  union {           // One item per site.
    StubData *data; // Of general stubs.
    int32_t *words; // Of second stubs.
  };
  size_t bytes; // The size of the region, with its data.
  StubLayout layout;
  ExecutableArea area; // The region's code.
  // Set in a region of general stubs: the region itself, and the regions of
  // second stubs of the same sites. An item is nullptr if such stubs were not
  // requested, or if there is no room.
  StubRegion *kinds[kStubKinds];
  // Set in a region of general stubs: the islands that lead to these stubs, and
  // to the counting and recording stubs of the same sites.
  Island *islands;
  // The stubs may be out of the sleds' reach, so sleds lead to them through
  // veneers.
  bool far;
  // The offset of the return jumps from `code`. 0 means that there are none,
  // because the stubs are not far or because the copies in code without sleds
  // lead back.
  size_t waysBack;

  uint64_t stub(uint32_t place) const {
    return layout == StubLayout::General
               ? code + kStubHeaderBytes + size_t{place - first} * kStubBytes
               : otherStub(place);
  }
  // The same, for any layout.
  uint64_t otherStub(uint32_t place) const;

  bool isFar() const { return kHasVeneers && far; }
  // Where a far stub continues. Returns 0 if the stub itself leads back.
  uint64_t wayBack(uint32_t place) const {
    return kHasVeneers && waysBack
               ? code + waysBack + size_t{place - first} * kWayBackBytes
               : 0;
  }
};

// The region of the site at this place, or nullptr if there is no memory within
// the site's reach.
inline StubRegion *regionAt(const Module *module, uint32_t place) {
  StubRegion *region = module->stubs;
  while (region && place - region->first >= region->count)
    region = region->next;
  return region;
}

// Where a hit of the site enters its general stub in this region.
inline uint64_t entryOf(const StubRegion *region, const tprt_site &site) {
  return region->stub(placeOf(site)) + startInStub(site);
}
// Where a hit enters that may meet a breakpoint after the instruction. Returns
// 0 if that stub is not reserved.
inline uint64_t shortEntryOf(const StubRegion *region, const tprt_site &site) {
  if (site.shape() != TPRT_SHAPE_CODE || !codeOf(site).runsOn)
    return entryOf(region, site);
  region = region->kinds[kShortCopy];
  return region ? entryOf(region, site) : 0;
}
// The same as entryOf(), for a stub that has been made.
inline uint64_t stubOf(const tprt_site &site) {
  return entryOf(regionAt(site.module(), placeOf(site)), site);
}
// The site's action list, or nullptr if the site has no stub yet.
inline const ActionList *actionListOf(const tprt_site &site) {
  uint32_t place = placeOf(site);
  const StubRegion *region = regionAt(site.module(), place);
  return region ? region->data[place - region->first].actionList : nullptr;
}

// Frees the regions of a module that is no longer loaded.
void freeStubs(Module *module);

// Finds the stub that contains the byte at this offset of a region with this
// layout. `place` is the stub's place in the region, and `inside` the byte's
// offset in the stub. Returns false if the byte is in no stub.
// Async-signal-safe.
bool stubWithin(StubLayout layout, size_t offset, uint32_t &place,
                size_t &inside);

// Calls tell(start, bytes, module, data) for each run of stubs of a loaded
// module. Called under the lock. Async-signal-safe.
void visitStubs(void (*tell)(uint64_t start, size_t bytes, const Module *module,
                             void *data),
                void *data);

// How many bytes of memory all stubs use.
size_t stubBytes();

// How stubs with this layout lie in their region: the bytes before the first
// stub, the size of each stub, the offset of the i-th stub, and the page of
// code that contains the i-th stub.
size_t headerOf(StubLayout layout);
size_t bytesOf(StubLayout layout);
size_t offsetOf(StubLayout layout, size_t i);
inline size_t pageOf(StubLayout layout, size_t i) {
  return offsetOf(layout, i) / pageBytes();
}

// Makes the regions of the module's general stubs.
void makeGeneralRegions(Module *module);
// Makes a region for the second stubs of this kind, for the sites of the region
// `general`. Returns nullptr if there is no room.
StubRegion *makeSecondRegion(const Module *module, StubKind kind,
                             const StubRegion *general);

} // namespace tprt

#endif
