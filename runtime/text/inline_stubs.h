// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Second stubs of a site: which site can have which, where they are, and
// whether they may count or record. Used under the lock.
#ifndef TPRT_TEXT_INLINE_STUBS_H
#define TPRT_TEXT_INLINE_STUBS_H

#include "text/stub_regions.h"

namespace tprt {

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

// If the site's stub may record, stores the site's word again: the words are
// empty in a copy of the process. The recorder calls this in a hit of the site
// or under the lock, with the result of wordOf(). Async-signal-safe.
void letRecord(const tprt_site &site, uint32_t word);

// The kind of the counting stubs of a module's sites.
inline StubKind countingKindOf(const Module *module) {
  return module->isCode ? kFullCounting : kCounting;
}

} // namespace tprt

#endif
