// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stubs and their data words. If all sites of a module reach one region of
// stubs, the module has one region. Otherwise each run of sites has a region
// within its reach. If a run of sites has no free memory within reach, but some
// of its sites can have a veneer (arch.h), the run has far stubs, which may lie
// anywhere. Second stubs lie in further regions. Stubs are made when they are
// first needed, a page at a time. Stubs are not unmapped while the module is
// loaded, because a thread may be in a stub at any time. Everything here is
// used under the lock.
#ifndef TPRT_TEXT_STUBS_H
#define TPRT_TEXT_STUBS_H

#include "modules/module.h"
#include "sites/arch.h"
#include "text/executable_area.h"
#include "text/stub_kind.h"
#include "text/text_writer.h"

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

// Makes sure that each site in `batch` has a stub of this kind, if the site can
// have one and there is memory within its reach. All of the sites belong to
// `module`. The general stubs must be made first. Returns false if some stubs
// could not be made.
bool makeStubs(Module *module, StubKind kind, const uint32_t *batch,
               size_t count);

// Finds places for the module's general stubs if they have none. makeStubs()
// also does this.
void reserveStubs(Module *module);

// Frees the regions of a module that is no longer loaded.
void freeStubs(Module *module);

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

// The address of the site's counting or recording stub, or of the original of
// its function, which continues after the sled. Returns 0 or nullptr if the
// site has no such stub, or if the stub is not made.
uint64_t secondStubOf(const tprt_site &site, StubKind kind);
// The same, if the region of the site's general stub is known.
uint64_t secondStubOf(const tprt_site &site, const StubRegion *general,
                      StubKind kind);
const void *originalOf(const tprt_site &site);

// The word with which the site's recording stub may record what this action
// list requires, or 0 if the stub may not record.
uint32_t recordWordOf(const tprt_site &site, const ActionList *actionList);
// Sets whether the site's counting stub may count, and whether its recording
// stub may record. The words belong to this site alone, and are written right
// after the site's action list.
void letSecondStubs(const tprt_site &site, const ActionList *actionList);

// The kind of the counting stubs of a module's sites.
inline StubKind countingKindOf(const Module *module) {
  return module->isCode ? kFullCounting : kCounting;
}

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

} // namespace tprt

#endif
