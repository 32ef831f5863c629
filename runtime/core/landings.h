// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Landings: the second jump on the way from a sled to its stub, where the first
// one may not be of any displacement.
//
//   sled     e9 1f 44 hh hh    jmp landing     every sled of a kind by the same
//   landing  e9 rel32          jmp stub        displacement D
//
// A uprobe or a breakpoint that comes and goes over a sled that is on writes
// the file's first byte back. Over a jump of any displacement that leaves code
// nobody wrote. So the displacement has bytes that make a nop of what is left
// (fixedBitsOf() in arch.h), and leaves the choice of a few bits: not enough to
// reach each site's own stub. But where all sleds of a run of code lead as far,
// their landings lie apart as the sleds do, so they never overlap: an image of
// the code, shifted by D, which holds a jump wherever the code has such a sled.
//
// The image costs address space; memory only where a page has the landing of a
// site that was wanted. A page is written before it is executable, with the
// landings of all its sites, and final from then on, like a stub's. All under
// the lock.
#ifndef TPRT_CORE_LANDINGS_H
#define TPRT_CORE_LANDINGS_H

#include "core/arch.h"
#include "core/module.h"
#include "core/plain/pages.h"
#include "core/stubs.h"

namespace tprt {

enum class LandingPage : uint8_t { Absent, Wanted, Made };

// The image of the code of some sites, which follow one another.
struct Landing {
  Landing *next;         // of the same region of stubs
  uint32_t first, count; // its sites, by their places in the module
  uint32_t displacement; // D
  FixedBits bits;        // of the sleds it is for
  StubKind kind;         // of the stubs it leads to
  bool wanted;           // some page is
  uint64_t start;        // of the image, at a page
  Array<LandingPage> pages;

  bool covers(uint32_t place) const { return place - first < count; }
  size_t pageOf(uint64_t address) const {
    return (address - start) / pageBytes();
  }
  // Whether the whole landing at `address` can be executed.
  bool isMade(uint64_t address) const {
    return pages[pageOf(address)] == LandingPage::Made &&
           pages[pageOf(address + kLandingBytes - 1)] == LandingPage::Made;
  }
  void want(uint64_t address) {
    wantPage(pageOf(address));
    wantPage(pageOf(address + kLandingBytes - 1));
  }

private:
  void wantPage(size_t page) {
    if (pages[page] != LandingPage::Absent)
      return;
    pages[page] = LandingPage::Wanted;
    wanted = true;
  }
};

// Whether the next sled of the module begins within the bytes that a landing of
// this one takes. Only a table that lies says so; such sleds are refused.
inline bool overlapsNext(const tprt_site &site) {
  return placeOf(site) + 1 < site.module()->siteCount &&
         (&site + 1)->sledAt - site.sledAt < kLandingBytes;
}

// The one in front of the site at `place`; nullptr: there is none.
Landing *landingOf(const StubRegion *usual, FixedBits bits, StubKind kind,
                   uint32_t place);
// The same, made where there is none; nullptr: there is no room at any distance
// that would do. Reserves address space alone.
Landing *reserveLanding(const Module *module, StubRegion *usual,
                        const tprt_site &site, StubKind kind);

// Makes the pages of a module's landings that are wanted. Those that can't be
// are absent again.
void makeLandings(const Module *module);

void freeLandings(StubRegion *usual);
// Memory of all landings.
size_t landingBytes();

} // namespace tprt

#endif
