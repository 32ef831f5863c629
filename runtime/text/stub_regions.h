// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of stubs: how the stubs lie in a region, and the memory of a region.
// Used by stubs.cpp and inline_stubs.cpp, under the lock.
#ifndef TPRT_TEXT_STUB_REGIONS_H
#define TPRT_TEXT_STUB_REGIONS_H

#include "base/page_size.h"
#include "text/stubs.h"

namespace tprt {

// How stubs with this layout lie in their region: the bytes before the first
// stub, the size of each stub, the offset of the i-th stub, and the page of
// code that contains the i-th stub.
size_t headerOf(StubLayout layout);
size_t bytesOf(StubLayout layout);
size_t offsetOf(StubLayout layout, size_t i);
inline size_t pageOf(StubLayout layout, size_t i) {
  return offsetOf(layout, i) / pageBytes();
}

// Whether the site can have a second stub of this kind.
inline bool canHave(const tprt_site &site, StubKind kind) {
  switch (kind) {
  case kCounting:
    return canCountInStub(site);
  case kFullCounting:
    return canCountInFullStub(site);
  case kRecording:
    return canRecordInStub(site);
  case kShortCopy:
    return site.shape() == TPRT_SHAPE_CODE && codeOf(site).runsOn;
  default:
    return true;
  }
}

// Makes the regions of the module's general stubs.
void makeGeneralRegions(Module *module);
// Makes a region for the second stubs of this kind, for the sites of the region
// `general`. Returns nullptr if there is no room.
StubRegion *makeSecondRegion(const Module *module, StubKind kind,
                             const StubRegion *general);

} // namespace tprt

#endif
