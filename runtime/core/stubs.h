// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stubs and their data words, in one region a module where all of its sites
// reach one, else in one for each run of sites that does; and second stubs in
// regions beside. Made when they are first asked for, a page at a time; not
// unmapped as long as the module is loaded (a thread may be on its way through
// a stub at any time). Under the lock.
#ifndef TPRT_CORE_STUBS_H
#define TPRT_CORE_STUBS_H

#include "core/arch.h"
#include "core/module.h"
#include "core/textwriter.h"

namespace tprt {

// The second kinds have the numbers of the actions that ask for them.
enum StubKind {
  kUsual,
  // For a site whose only action is to count: the sled leads to it, and it
  // counts without a call. Its word says whether it may, see countWord(); else
  // it goes on to the usual stub, so that whichever of the two a thread is on
  // its way to is right at any time.
  kCounting = TPRT_ACTION_COUNT,
  // What tprt_site_original() returns. Its word: 1 where it was asked for.
  kOriginals = TPRT_ACTION_REDIRECT,
  kStubKinds
};

struct Landing; // landings.h

struct StubRegion {
  uint32_t first, count; // its sites, by their places in the module
  StubRegion *next;      // of the same module
  uint64_t code;         // header if they are usual, then one stub a site
  union {                // one a site
    StubData *data;      // usual
    int32_t *words;
  };
  size_t bytes;        // all of it
  Array<uint8_t> made; // by page of code: 1: wanted; 3: executable and final
  bool complete;       // all of them are that
  // Of usual stubs: themselves, and second ones of the same sites; nullptr: not
  // asked for, or no room.
  StubRegion *kinds[kStubKinds];
  // Of usual stubs: in front of them, and of the counting ones.
  Landing *landings;

  uint64_t stub(uint32_t place) const {
    return code + kStubHeaderBytes + size_t{place - first} * kStubBytes;
  }
};

// Makes sure that all sites in `batch`, which belong to `module`, have a stub
// of this kind, if they can and there is memory within their reach. Usual ones
// come first. False: some could not be made.
bool makeStubs(Module *module, StubKind kind, const uint32_t *batch,
               size_t count);

// Gives back the regions of a module that is no longer loaded.
void freeStubs(Module *module);

// Of the site at this place; nullptr: no memory within its reach.
inline StubRegion *regionAt(const Module *module, uint32_t place) {
  StubRegion *region = module->stubs;
  while (region && place - region->first >= region->count)
    region = region->next;
  return region;
}

// Once its stub is made.
inline uint64_t stubOf(const tprt_site &site) {
  uint32_t place = placeOf(site);
  return regionAt(site.module(), place)->stub(place);
}
// nullptr as long as it has no stub.
inline const Chain *chainOf(const tprt_site &site) {
  uint32_t place = placeOf(site);
  const StubRegion *region = regionAt(site.module(), place);
  return region ? region->data[place - region->first].chain : nullptr;
}

// Of a second kind; 0: it has none, or it is not made.
uint64_t countStubOf(const tprt_site &site);
const void *originalOf(const tprt_site &site);

// Its counting stub's word is a site's alone: written with its chain.
void letCount(const tprt_site &site, bool may);

// Calls tell(start, bytes, module, data) for each run of stubs of a loaded
// module. Under the lock. Async-signal-safe.
void visitStubs(void (*tell)(uint64_t start, size_t bytes, const Module *module,
                             void *data),
                void *data);

// Memory of all stubs.
size_t stubBytes();

} // namespace tprt

#endif
