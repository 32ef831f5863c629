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
};

// Makes sure that all sites in `batch`, which belong to `module`, have a stub,
// if there is memory within their reach. False: nothing could be made.
bool makeStubs(Module *module, const uint32_t *batch, size_t count);

// Gives back the regions of a module that is no longer loaded.
void freeStubs(Module *module);

// nullptr: no memory within the site's reach.
inline StubRegion *regionOf(const tprt_site &site) {
  StubRegion *region = site.module()->stubs;
  uint32_t place = placeOf(site);
  while (region && place - region->first >= region->count)
    region = region->next;
  return region;
}

// The two below once its stub is made.
inline uint64_t stubOf(const tprt_site &site) {
  const StubRegion *region = regionOf(site);
  return region->code + kStubHeaderBytes +
         size_t{placeOf(site) - region->first} * kStubBytes;
}
inline StubData &dataOf(const tprt_site &site) {
  const StubRegion *region = regionOf(site);
  return region->data[placeOf(site) - region->first];
}
// nullptr as long as it has no stub.
inline const Chain *chainOf(const tprt_site &site) {
  return regionOf(site) ? dataOf(site).chain : nullptr;
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
