// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands: an island is the second of two jumps that lead from a sled to its
// stub. A sled needs an island if its first jump may have only certain
// displacements.
//
//   sled     e9 1f 44 hh hh    jmp island     displacement D: the same for
//   island  e9 rel32          jmp stub        every sled of a kind
//
// The problem: a uprobe or a breakpoint may be set at a sled that is on. The
// removal restores only the first byte, from the file. If the jump could have
// any displacement, the remaining bytes would then be arbitrary code. So some
// bytes of the displacement are fixed such that the remaining bytes form a nop
// (fixedBitsOf() in arch.h). The few free bits are not enough to reach each
// site's own stub.
//
// The solution: all sleds of a run of code jump the same distance D. Their
// islands lie as far apart as the sleds do, so islands never overlap. The
// islands form an image of the code, shifted by D, with a jump for each such
// sled.
//
// The image costs address space. Only pages that contain the island of a
// requested site use memory. Like a page of stubs, a page is written with the
// islands of all its sites before it becomes executable, and is never changed
// after that. Everything here is used under the lock.
#ifndef TPRT_TEXT_JUMP_ISLANDS_H
#define TPRT_TEXT_JUMP_ISLANDS_H

#include "modules/module.h"
#include "sites/arch.h"
#include "text/executable_area.h"
#include "text/stub_regions.h"

namespace tprt {

// The image of the code of consecutive sites.
struct Island {
  Island *next;          // The next island of the same region.
  uint32_t first, count; // Its sites, by their places in the module.
  uint32_t displacement; // D
  FixedBits bits;        // The fixed bits of the island's sleds.
  Target target;         // What the image's jumps lead to.
  ExecutableArea area;   // The image.

  bool covers(uint32_t place) const { return place - first < count; }
  // Whether the whole island at `address` can be executed.
  bool isMade(uint64_t address) const {
    return area.isMade(area.pageOf(address)) &&
           area.isMade(area.pageOf(address + kIslandBytes - 1));
  }
  void want(uint64_t address) {
    area.want(area.pageOf(address));
    area.want(area.pageOf(address + kIslandBytes - 1));
  }
};

// Whether the module's next sled begins within the bytes of this sled's island.
// This is possible only if the table is wrong; such sleds are refused.
inline bool overlapsNext(const tprt_site &site) {
  return placeOf(site) + 1 < site.module()->siteCount &&
         (&site + 1)->sledAt - site.sledAt < kIslandBytes;
}

// The island by which the site at `place` leads to this target. Returns nullptr
// if the site has no such island.
Island *islandOf(const StubRegion *general, FixedBits bits, Target target,
                 uint32_t place);
// The same as islandOf(), but makes a missing island. Only address space is
// reserved. Returns nullptr if no permitted distance has free memory.
Island *reserveIsland(const Module *module, StubRegion *general,
                      const tprt_site &site, Target target);

// Makes the wanted pages of a module's islands. Pages that cannot be made
// become Absent again.
void makeIslands(const Module *module);

void freeIslands(StubRegion *general);
// How many bytes of memory all islands use.
size_t islandBytes();

} // namespace tprt

#endif
