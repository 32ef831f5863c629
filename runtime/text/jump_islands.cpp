// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands; see jump_islands.h. Called under the lock.
#include "text/jump_islands.h"
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/page_size.h"
#include "base/search.h"
#include "base/small_alloc.h"
#include "modules/module.h"
#include "text/text_writer.h"

#include <string.h>

namespace tprt {

static size_t totalPages;

size_t islandBytes() { return totalPages * pageBytes(); }

Island *islandOf(const StubRegion *general, FixedBits bits, Target target,
                 uint32_t place) {
  Island *island = general->islands;
  while (island && !(island->covers(place) && island->bits == bits &&
                     island->target == target))
    island = island->next;
  return island;
}

// --- where the image lies ---------------------------------------------------

namespace {
// A run of code that needs an image, and the stubs that the image leads to.
struct Span {
  uint64_t low, high; // first and last sled
  uint64_t stubs, stubsEnd;

  // The image's range, in whole pages.
  uint64_t start(uint32_t displacement) const {
    return islandAt(low, displacement) & ~(pageBytes() - 1);
  }
  size_t bytes(uint32_t displacement) const {
    return roundToPages(islandAt(high, displacement) + kIslandBytes -
                        start(displacement));
  }
  // Whether the image's jumps reach the stubs, and whether its addresses are
  // possible.
  bool fits(uint32_t displacement) const {
    uint64_t from = start(displacement), to = from + bytes(displacement);
    constexpr uint64_t kLowest = 1 << 16, kHighest = uint64_t{1} << 47;
    auto reach = static_cast<uint64_t>(kStubReach);
    return from >= kLowest && to < kHighest && to > from &&
           (to < stubs || to - stubs < reach) &&
           (stubsEnd < from || stubsEnd - from < reach);
  }
};
} // namespace

// A displacement with the fixed bits that leads `way` bytes from the code, or
// somewhat farther. The displacement is computed in 32 bits. So too large a
// `way` leads to the other side of the code, where the displacement is either
// refused or usable.
static uint32_t displacementAt(int64_t way, FixedBits bits) {
  return (static_cast<uint32_t>(way) & ~bits.mask) | bits.value;
}

// Tries places in the same order as allocateNear() in os/linux/text.cpp, and
// for the same reasons: from near to far, first only below the code, and then
// also above it, near the heap.
static bool reserveSpan(const Span &span, FixedBits bits, uint32_t *found) {
  constexpr int64_t kStep = int64_t{1} << 24, kHeapRoom = int64_t{1} << 30,
                    kFarthest = int64_t{1} << 31;
  auto size = static_cast<int64_t>(span.high - span.low);
  const GrowthRoom growing = readGrowthRoom();
  auto attempt = [&](int64_t way) {
    *found = displacementAt(way, bits);
    const uint64_t start = span.start(*found);
    const size_t bytes = span.bytes(*found);
    return span.fits(*found) && !growing.meetsStack(start, start + bytes) &&
           reserveExactly(start, bytes);
  };
  if (bits.mask == UINT32_MAX)
    return attempt(0);
  for (int64_t way = size + kStep; way < kFarthest; way += kStep)
    if (attempt(-way) || (way >= kHeapRoom && attempt(way)))
      return true;
  for (int64_t way = size + kStep; way < kHeapRoom; way += kStep)
    if (attempt(way))
      return true;
  return false;
}

// The range of the stubs or targets that these islands lead to, for `count`
// sites from place `first` on.
static Extent targetsOf(const Module *module, const StubRegion *general,
                        Target target, uint32_t first, uint32_t count) {
  if (target.isStub()) {
    const StubRegion *stubs = general->kinds[target.stub()];
    return {stubs->code, stubs->code + stubs->bytes};
  }
  Extent all = {UINT64_MAX, 0};
  const tprt_site *site = &sites[module->firstSite + first];
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t target = module->origin + site[i].targetAt();
    if (!site[i].isStaticBranch())
      continue;
    all.start = target < all.start ? target : all.start;
    all.end = target > all.end ? target : all.end;
  }
  return all;
}

static Island *reserve(const Module *module, StubRegion *general,
                       FixedBits bits, Target target, uint32_t first,
                       uint32_t count) {
  const tprt_site *site = &sites[module->firstSite + first];
  Extent to = targetsOf(module, general, target, first, count);
  Span span = {module->origin + site->sledAt,
               module->origin + site[count - 1].sledAt, to.start, to.end};
  uint32_t displacement;
  auto *island = static_cast<Island *>(allocateSmall(sizeof(Island)));
  if (!island)
    return nullptr;
  if (!reserveSpan(span, bits, &displacement)) {
    freeSmall(island, sizeof(Island));
    return nullptr;
  }
  island->first = first;
  island->count = count;
  island->displacement = displacement;
  island->bits = bits;
  island->target = target;
  if (!island->area.open(span.start(displacement), span.bytes(displacement))) {
    freePages(reinterpret_cast<void *>(span.start(displacement)),
              span.bytes(displacement));
    freeSmall(island, sizeof(Island));
    return nullptr;
  }
  island->next = general->islands;
  general->islands = island;
  return island;
}

// Whether any of the `count` sites from place `first` on has such an island.
static bool isAnyCovered(const StubRegion *general, FixedBits bits,
                         Target target, uint32_t first, uint32_t count) {
  for (const Island *l = general->islands; l; l = l->next)
    if (l->bits == bits && l->target == target && l->first < first + count &&
        first < l->first + l->count)
      return true;
  return false;
}

// If possible, reserves an image for all sites of the region. The code may be
// too large, or may lie between other mappings. In that case, the image is for
// the half of the sites that contains this site, or for a half of that half,
// and so on.
Island *reserveIsland(const Module *module, StubRegion *general,
                      const tprt_site &site, Target target) {
  constexpr uint64_t kSmallest = 1 << 16;
  FixedBits bits = fixedBitsOf(site);
  uint32_t place = indexOf(&site) - module->firstSite, first = general->first,
           count = general->count;
  for (;;) {
    if (!isAnyCovered(general, bits, target, first, count))
      if (Island *made = reserve(module, general, bits, target, first, count))
        return made;
    const tprt_site *from = &sites[module->firstSite + first];
    if (count == 1 || from[count - 1].sledAt - from->sledAt < kSmallest)
      return nullptr;
    uint32_t half = count / 2;
    if (place - first < half) {
      count = half;
    } else {
      first += half;
      count -= half;
    }
  }
}

// --- what is in it ----------------------------------------------------------

// Writes those bytes of one island that lie in the pages of this run. The last
// bytes of an island may lie in the next page, which may be made at another
// time.
static void writeOne(const Island *island, uint64_t address, uint64_t stub) {
  uint8_t code[kIslandBytes] = {};
  writeIsland(code, address, stub);
  for (size_t i = 0; i < kIslandBytes; ++i) {
    uint64_t at = address + i;
    if (island->area.isWanted(island->area.pageOf(at)))
      *reinterpret_cast<uint8_t *>(at) = code[i];
  }
}

// The first of the image's sites whose own island ends after `address`.
static uint32_t firstAfter(const Module *module, const Island *island,
                           uint64_t address) {
  return partitionPoint(
      island->first, island->first + island->count, [&](uint32_t i) {
        uint64_t sled = module->origin + sites[module->firstSite + i].sledAt;
        return islandAt(sled, island->displacement) + kIslandBytes <= address;
      });
}

// Writes the islands of all sites with an island in these pages, requested or
// not, because the pages are not changed later.
static void writeRun(const Module *module, const StubRegion *general,
                     const Island *island, uint64_t start, uint64_t end) {
  const Target target = island->target;
  const StubRegion *to =
      target.isStub() ? general->kinds[target.stub()] : nullptr;
  for (uint32_t place = firstAfter(module, island, start);
       island->covers(place); ++place) {
    const tprt_site &site = sites[module->firstSite + place];
    uint64_t at = islandAt(module->origin + site.sledAt, island->displacement);
    if (at >= end)
      break;
    if (!(fixedBitsOf(site) == island->bits) || overlapsNext(site))
      continue;
    if (to)
      writeOne(island, at, to->stub(place));
    else if (site.isStaticBranch())
      writeOne(island, at, module->origin + site.targetAt());
  }
}

// How many Absent pages in a row a run of pages may contain. Absent pages cost
// no memory, and save mappings, of which a process may have 65,530. A later run
// maps such pages again.
static constexpr size_t kFewPages = 32;

static void makeWanted(const Module *module, const StubRegion *general,
                       Island *island) {
  ExecutableArea &area = island->area;
  totalPages -= area.madePages();
  area.makeWanted(kFewPages, [&](PageRun run) {
    const uint64_t start = area.addressOf(run.first),
                   end = area.addressOf(run.last);
    if (!makeWritable(start, end - start))
      return false;
    for (size_t page = run.first; page < run.last; ++page)
      if (area.isWanted(page))
        memset(reinterpret_cast<void *>(area.addressOf(page)), 0xcc,
               pageBytes());
    writeRun(module, general, island, start, end);
    return true;
  });
  totalPages += area.madePages();
}

void makeIslands(const Module *module) {
  for (StubRegion *general = module->stubs; general; general = general->next)
    for (Island *l = general->islands; l; l = l->next)
      if (l->area.wantsAny())
        makeWanted(module, general, l);
}

void freeIslands(StubRegion *general) {
  while (Island *island = general->islands) {
    general->islands = island->next;
    totalPages -= island->area.madePages();
    freePages(reinterpret_cast<void *>(island->area.address()),
              island->area.pageCount() * pageBytes());
    island->~Island();
    freeSmall(island, sizeof(Island));
  }
}

} // namespace tprt
