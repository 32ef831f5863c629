// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands: an island is the second jump on the way from a sled to its stub. It
// is needed where only some displacements are permitted for the first jump.
//
//   sled     e9 1f 44 hh hh    jmp island     displacement D: the same for
//   island  e9 rel32          jmp stub        every sled of a kind
//
// The problem: a uprobe or a breakpoint that comes and goes over a sled that is
// on writes the file's first byte back. If the jump could have any
// displacement, the bytes left would be code that nobody wrote. So some bytes
// of the displacement are fixed, such that what is left is a nop (fixedBitsOf()
// in arch.h). The few bits that can still be chosen are not enough to reach
// each site's own stub.
//
// The solution: all sleds of a run of code jump the same distance D. Their
// islands lie as far apart as the sleds do, so islands never overlap.
// Together they are an image of the code, shifted by D, with a jump wherever
// the code has such a sled.
//
// The image costs address space. It costs memory only for pages that have the
// island of a site that was asked for. A page is written before it becomes
// executable, with the islands of all its sites, and is final from then on,
// like a page of stubs. Everything here is used under the lock.
#ifndef TPRT_TEXT_JUMP_ISLANDS_H
#define TPRT_TEXT_JUMP_ISLANDS_H

#include "base/page_size.h"
#include "modules/module.h"
#include "sites/arch.h"
#include "text/stubs.h"

namespace tprt {

enum class IslandPage : uint8_t { Absent, Wanted, Made };

// The image of the code of consecutive sites.
struct Island {
  Island *next;          // The next one of the same region.
  uint32_t first, count; // Its sites, by their places in the module.
  uint32_t displacement; // D
  FixedBits bits;        // The fixed bits of the sleds that it is for.
  StubKind kind;         // The kind of the stubs that it leads to.
  bool wanted;           // Some page is Wanted.
  uint64_t start;        // The image's first address, the start of a page.
  Array<IslandPage> pages;

  bool covers(uint32_t place) const { return place - first < count; }
  size_t pageOf(uint64_t address) const {
    return (address - start) / pageBytes();
  }
  // Whether the whole island at `address` can be executed.
  bool isMade(uint64_t address) const {
    return pages[pageOf(address)] == IslandPage::Made &&
           pages[pageOf(address + kIslandBytes - 1)] == IslandPage::Made;
  }
  void want(uint64_t address) {
    wantPage(pageOf(address));
    wantPage(pageOf(address + kIslandBytes - 1));
  }

private:
  void wantPage(size_t page) {
    if (pages[page] != IslandPage::Absent)
      return;
    pages[page] = IslandPage::Wanted;
    wanted = true;
  }
};

// Whether the module's next sled begins within the bytes that this sled's
// island takes. Only a wrong table says so; such sleds are refused.
inline bool overlapsNext(const tprt_site &site) {
  return placeOf(site) + 1 < site.module()->siteCount &&
         (&site + 1)->sledAt - site.sledAt < kIslandBytes;
}

// The island in front of the stub of the site at `place`; nullptr: there is
// none.
Island *islandOf(const StubRegion *general, FixedBits bits, StubKind kind,
                 uint32_t place);
// The same, but makes the island if there is none. It only reserves address
// space. nullptr: there is no room at any distance that would do.
Island *reserveIsland(const Module *module, StubRegion *general,
                      const tprt_site &site, StubKind kind);

// Makes the wanted pages of a module's islands. Pages that cannot be made
// become Absent again.
void makeIslands(const Module *module);

void freeIslands(StubRegion *general);
// How many bytes all islands take.
size_t islandBytes();

} // namespace tprt

#endif
