// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stubs and their data words. Where all sites of a module reach one region of
// stubs, the module has one; else there is one for each run of sites that
// reaches it. A run of sites without free memory within reach has far stubs if
// some of them can have a veneer (arch.h): these lie anywhere. Second stubs lie
// in further regions. Stubs are made when they are first asked for, a page at a
// time. They are not unmapped while the module is loaded, because a thread may
// be on its way through a stub at any time. Everything here is used under the
// lock.
#ifndef TPRT_TEXT_STUBS_H
#define TPRT_TEXT_STUBS_H

#include "modules/module.h"
#include "sites/arch.h"
#include "text/text_writer.h"

namespace tprt {

// The values of the second kinds are those of the actions that ask for them.
enum StubKind {
  kGeneral,
  // For a site whose only action is to count. The sled leads to this stub,
  // which counts without a call. The stub's word says whether it may count
  // (countWord()); if not, it goes on to the general stub. So at any time
  // either stub is right for a thread that is on its way to one.
  kCounting = TPRT_ACTION_COUNT,
  // What tprt_site_original() returns. The word is 1 where it was asked for.
  kOriginals = TPRT_ACTION_REDIRECT,
  // The same as kCounting, for a site whose only action is the recorder's: the
  // stub records without a call. The word is that of the site's events
  // (record_hook.h), or 0.
  kRecording,
  // The same as kCounting, at a site in code without sleds. The word says where
  // the stub finds its thread's counters (wordOfFullCountStub()).
  kFullCounting,
  // The general stub once more, of a site whose copy continues with further
  // instructions (CodeSite::runsOn). The copy after this one is of the site's
  // instruction alone, so threads meet a breakpoint after that. Here lead the
  // islands of a pun for such breakpoints, and all jumps that are no puns.
  kShortCopy,
  kStubKinds,
  // How the general stubs of a site in code without sleds lie: after each
  // comes the copy of the instruction that the jump displaced, where a hit goes
  // on.
  kWithCopy = kStubKinds,
  // The same at an instruction inside a function: patch/overlap.h.
  kInnerWithCopy,
  // The ways back from far stubs (StubRegion::wayBack()). They lie in the
  // region of these stubs.
  kWaysBack,
  // No stub: where an open static branch leads. Only islands are of this kind.
  kTargets
};

struct Island; // jump_islands.h

struct StubRegion {
  uint32_t first, count; // Its sites, by their places in the module.
  StubRegion *next;      // of the same module
  // The header if the stubs are general ones, then one stub per site.
  uint64_t code;
  union {           // One item per site.
    StubData *data; // Of general stubs.
    int32_t *words; // Of second stubs.
  };
  size_t bytes;    // The size of the region.
  StubKind layout; // How the stubs lie: their kind, or kWithCopy.
  // One item per page of code: 1: wanted; 3: executable and final.
  Array<uint8_t> made;
  bool complete; // All pages are executable and final.
  // Set in a region of general stubs: the region itself, and the second stubs
  // of the same sites. nullptr: not asked for, or there is no room.
  StubRegion *kinds[kStubKinds];
  // Set in a region of general stubs: the islands in front of these, of the
  // counting and of the recording stubs.
  Island *islands;
  // The sleds may not reach these stubs, so they lead there through veneers.
  bool far;
  // How far after `code` the ways back begin. 0: there are none, because the
  // stubs are not far, or because the copies in code without sleds lead back.
  size_t waysBack;

  uint64_t stub(uint32_t place) const {
    return layout == kGeneral
               ? code + kStubHeaderBytes + size_t{place - first} * kStubBytes
               : stub(layout, place);
  }
  // The same of a region with this layout.
  uint64_t stub(StubKind kind, uint32_t place) const;

  bool isFar() const { return kHasVeneers && far; }
  // Where a far stub continues; 0: it has no way back outside itself.
  uint64_t wayBack(uint32_t place) const {
    return kHasVeneers && waysBack
               ? code + waysBack + size_t{place - first} * kWayBackBytes
               : 0;
  }
};

// Makes sure that all sites in `batch`, which belong to `module`, have a stub
// of this kind, where the site can have one and there is memory within its
// reach. The general stubs have to be made first. False: some stubs could not
// be made.
bool makeStubs(Module *module, StubKind kind, const uint32_t *batch,
               size_t count);

// Finds the places of the module's general stubs, if they have none.
// makeStubs() does so, too.
void reserveStubs(Module *module);

// Gives back the regions of a module that is no longer loaded.
void freeStubs(Module *module);

// The region of the site at this place; nullptr: no memory within its reach.
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
// Where a hit goes that may have to meet a breakpoint after the instruction.
// 0: that stub is not reserved.
inline uint64_t shortEntryOf(const StubRegion *region, const tprt_site &site) {
  if (site.shape() != TPRT_SHAPE_CODE || !codeOf(site).runsOn)
    return entryOf(region, site);
  region = region->kinds[kShortCopy];
  return region ? entryOf(region, site) : 0;
}
// The same as entryOf(), of a stub that has been made.
inline uint64_t stubOf(const tprt_site &site) {
  return entryOf(regionAt(site.module(), placeOf(site)), site);
}
// The site's action list; nullptr as long as the site has no stub.
inline const ActionList *actionListOf(const tprt_site &site) {
  uint32_t place = placeOf(site);
  const StubRegion *region = regionAt(site.module(), place);
  return region ? region->data[place - region->first].actionList : nullptr;
}

// The address of the site's counting or recording stub, or what is left of its
// function without a sled. 0 or nullptr: the site has none, or the stub is not
// made.
uint64_t secondStubOf(const tprt_site &site, StubKind kind);
// The same, where the region of its general stub is known.
uint64_t secondStubOf(const tprt_site &site, const StubRegion *general,
                      StubKind kind);
const void *originalOf(const tprt_site &site);

// The word with which the site's recording stub may record what this action
// list asks for; 0: it may not.
uint32_t recordWordOf(const tprt_site &site, const ActionList *actionList);
// Sets whether the site's counting stub may count, and whether its recording
// stub may record. The words are this site's only, and are written right after
// the site's action list.
void letSecondStubs(const tprt_site &site, const ActionList *actionList);

// The kind of the counting stubs of a module's sites.
inline StubKind countingKindOf(const Module *module) {
  return module->isCode ? kFullCounting : kCounting;
}

// Finds the stub of a region with this layout that has the byte at this offset:
// its site's place in the region, and how far after the stub's beginning the
// byte is. False: no stub is there. Async-signal-safe.
bool stubWithin(StubKind kind, size_t offset, uint32_t &place, size_t &inside);

// Calls tell(start, bytes, module, data) for each run of stubs of a loaded
// module. Under the lock. Async-signal-safe.
void visitStubs(void (*tell)(uint64_t start, size_t bytes, const Module *module,
                             void *data),
                void *data);

// How many bytes all stubs take.
size_t stubBytes();

} // namespace tprt

#endif
