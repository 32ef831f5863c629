// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stubs and their data words, in one region a module where all of its sites
// reach one, else in one for each run of sites that does. Made on the module's
// first attach, not unmapped as long as the module is loaded (a thread may be
// on its way through a stub at any time). Under the lock.
#ifndef TPRT_CORE_STUBS_H
#define TPRT_CORE_STUBS_H

#include "core/arch.h"
#include "os/linux/text.h"

namespace tprt {

struct StubRegion {
  uint32_t first, count; // its sites, by their places in the module
  StubRegion *next;      // of the same module
  uint64_t code;         // header, then one stub a site
  StubData *data;        // one a site
  size_t codeBytes;
  size_t bytes;        // all of it
  Array<uint8_t> made; // by page of code: executable and final
  bool complete;       // all of them

  uint64_t stub(uint32_t place) const {
    return code + kStubHeaderBytes + size_t{place - first} * kStubBytes;
  }
};

// Makes sure that all sites in `batch`, which belong to `module`, have a stub,
// if there is memory within their reach. False: nothing could be made.
bool makeStubs(Module *module, const uint32_t *batch, size_t count);

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

// The same for what tprt_site_original() returns, where there is memory.
void makeOriginals(Module *module, const uint32_t *batch, size_t count);
// nullptr: none was made.
const void *originalOf(const tprt_site &site);

// Memory of all stubs.
size_t stubBytes();

// Pages that lie within reach of all of a module's sites and of its stubs,
// which are in one region. nullptr: no room.
void *allocateForModule(const Module *module, size_t bytes);

// Makes the pages of `code` for which `made` says 1: wanted and not there. All
// that lies in them is written by write(first, last), page numbers, and final
// once they are executable; `made` says 3 then, else 0. False: not all could be
// made.
template <class Write>
bool makePages(Array<uint8_t> &made, uint64_t code, Write write) {
  size_t page = roundToPages(1);
  bool all = true;
  for (size_t first = 0; first < made.size();) {
    if (made[first] != 1) {
      ++first;
      continue;
    }
    size_t last = first;
    while (last < made.size() && made[last] == 1)
      ++last;
    uint64_t start = code + first * page;
    size_t bytes = (last - first) * page;
    populatePages(reinterpret_cast<void *>(start), bytes);
    write(first, last);
    bool executable = makeExecutable(start, bytes);
    all &= executable;
    for (; first < last; ++first)
      made[first] = executable ? 3 : 0;
  }
  return all;
}

} // namespace tprt

#endif
