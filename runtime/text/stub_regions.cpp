// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of stubs, see stub_regions.h: where the stubs lie in a region, and
// where the region lies in memory.
#include "text/stub_regions.h"
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/small_alloc.h"
#include "text/jump_islands.h"
#include "text/pc_map.h"
#include "text/pun_islands.h"

namespace tprt {

static size_t totalBytes;

size_t stubBytes() { return totalBytes + islandBytes() + punBytes(); }

// The general stub at a site in code, and the copy after it.
static constexpr size_t kWithCopyBytes = kStubBytes + kDisplacedBytes;
// How many of these the header replaces.
static constexpr size_t kHeaderStubs =
    (kStubHeaderBytes + kWithCopyBytes - 1) / kWithCopyBytes;

// The same at an instruction inside a function.
static constexpr size_t kInnerWithCopyBytes = kInnerStubBytes + kDisplacedBytes;
static constexpr size_t kHeaderInnerStubs =
    (kStubHeaderBytes + kInnerWithCopyBytes - 1) / kInnerWithCopyBytes;

size_t headerOf(StubLayout layout) {
  switch (layout) {
  case StubLayout::General:
    return kStubHeaderBytes;
  case StubLayout::WithCopy:
    return kHeaderStubs * kWithCopyBytes;
  case StubLayout::InnerWithCopy:
    return kHeaderInnerStubs * kInnerWithCopyBytes;
  default:
    return 0;
  }
}

size_t bytesOf(StubLayout layout) {
  switch (layout) {
  case StubLayout::Counting:
    return kCountStubBytes;
  case StubLayout::FullCounting:
    return kFullCountStubBytes;
  case StubLayout::Recording:
    return kRecordStubBytes;
  case StubLayout::WithCopy:
    return kWithCopyBytes;
  case StubLayout::InnerWithCopy:
    return kInnerWithCopyBytes;
  case StubLayout::WaysBack:
    return kWayBackBytes;
  case StubLayout::Original:
    return kOriginalBytes;
  default:
    return kStubBytes;
  }
}

static size_t dataOf(StubLayout layout) {
  return isGeneral(layout) ? sizeof(StubData) : sizeof(int32_t);
}

// The offset of the i-th piece of code, if no piece crosses a page boundary.
template <size_t bytes> static size_t offsetOfPiece(size_t i) {
  constexpr size_t kLeastPage = 4096; // every page is a multiple of it
  if constexpr (kLeastPage % bytes == 0)
    return i * bytes;
  size_t perPage = pageBytes() / bytes;
  return i / perPage * pageBytes() + i % perPage * bytes;
}

// The offset in the region of its i-th stub. Planning a site calls this about
// ten times, so the sizes are constants.
size_t offsetOf(StubLayout layout, size_t i) {
  switch (layout) {
  case StubLayout::General:
    return kStubHeaderBytes + i * kStubBytes;
  case StubLayout::Counting:
    return offsetOfPiece<kCountStubBytes>(i);
  case StubLayout::FullCounting:
    return offsetOfPiece<kFullCountStubBytes>(i);
  case StubLayout::Recording:
    return offsetOfPiece<kRecordStubBytes>(i);
  case StubLayout::WithCopy:
    return offsetOfPiece<kWithCopyBytes>(i + kHeaderStubs);
  case StubLayout::InnerWithCopy:
    return offsetOfPiece<kInnerWithCopyBytes>(i + kHeaderInnerStubs);
  case StubLayout::WaysBack:
    return offsetOfPiece<kWayBackBytes>(i);
  case StubLayout::Original:
    return offsetOfPiece<kOriginalBytes>(i);
  default:
    return offsetOfPiece<kStubBytes>(i);
  }
}

static size_t codeBytesOf(StubLayout layout, size_t count) {
  return offsetOf(layout, count - 1) + bytesOf(layout);
}

uint64_t StubRegion::otherStub(uint32_t place) const {
  return code + offsetOf(layout, place - first);
}

bool stubWithin(StubLayout layout, size_t offset, uint32_t &place,
                size_t &inside) {
  size_t header = headerOf(layout), bytes = bytesOf(layout);
  if (offset < header)
    return false;
  // The header is as long as a whole number of general stubs.
  size_t page = pageBytes(), perPage = page / bytes;
  size_t i = offset / page * perPage + offset % page / bytes - header / bytes;
  place = static_cast<uint32_t>(i);
  inside = offset - offsetOf(layout, i);
  return inside < bytes;
}

void visitStubs(void (*tell)(uint64_t start, size_t bytes, const Module *module,
                             void *data),
                void *data) {
  for (const Module *module = modules; module; module = module->next)
    for (const StubRegion *region = module->stubs; region;
         region = region->next)
      for (unsigned kind = 0; kind < kStubKinds; ++kind)
        if (const StubRegion *one = region->kinds[kind])
          tell(one->code, codeBytesOf(one->layout, one->count), module, data);
}

static void freeRegion(StubRegion *region) {
  totalBytes -= region->bytes;
  forgetStubs(region->code);
  if (region->waysBack)
    forgetStubs(region->code + region->waysBack);
  freePages(reinterpret_cast<void *>(region->code), region->bytes);
  region->~StubRegion();
  freeSmall(region, sizeof(StubRegion));
}

// What the region must be within reach of.
enum class Near { Sleds, Stubs, Nothing };

// Allocates memory within reach of `count` sites from `site` on and, unless
// `general` is nullptr, of their general stubs.
static void *allocateRegion(const tprt_site *site, uint32_t count,
                            StubKind kind, size_t bytes,
                            const StubRegion *general) {
  // Slots and the bytes after a ret are at most 256 bytes away from their
  // sleds. If makeRegions() can halve the sites, an eighth of the reach is kept
  // for second stubs of the same sites.
  int64_t reach = kStubReach - 256;
  if (kind == kGeneral &&
      site[count - 1].sledAt - site->sledAt >= kStubReach / 128)
    reach -= kStubReach / 8;
  auto low = reinterpret_cast<uint64_t>(site->sled()),
       high = reinterpret_cast<uint64_t>(site[count - 1].sled());
  if (general) {
    uint64_t end = general->code + general->bytes;
    const bool far = general->isFar(); // from the sleds
    low = far || general->code < low ? general->code : low;
    high = far || end > high ? end : high;
  }
  return allocateNear(low, high, bytes, reach);
}

// How stubs of this kind lie in the module's regions.
static StubLayout layoutOf(const Module *module, StubKind kind) {
  switch (kind) {
  case kCounting:
    return StubLayout::Counting;
  case kFullCounting:
    return StubLayout::FullCounting;
  case kRecording:
    return StubLayout::Recording;
  case kOriginals:
    return StubLayout::Original;
  case kGeneral:
  case kShortCopy:
    break;
  }
  if (!module->isCode)
    return StubLayout::General;
  return module->isInner ? StubLayout::InnerWithCopy : StubLayout::WithCopy;
}

// Adds the region to the map of original pcs (pc_map.h).
static void noteRegion(const Module *module, const StubRegion *region) {
  uint32_t first = module->firstSite + region->first, count = region->count;
  noteStubs(region->layout, first, region->code,
            codeBytesOf(region->layout, count));
  if (region->isFar())
    noteVeneers();
  if (region->waysBack)
    noteStubs(StubLayout::WaysBack, first, region->code + region->waysBack,
              codeBytesOf(StubLayout::WaysBack, count));
}

// Makes a region for `count` sites from place `first` on: within reach of these
// sites, within reach of their `general` stubs, or anywhere. Returns nullptr if
// there is no room.
static StubRegion *makeRegion(const Module *module, StubKind kind,
                              uint32_t first, uint32_t count, Near near,
                              const StubRegion *general = nullptr) {
  auto *region = static_cast<StubRegion *>(allocateSmall(sizeof(StubRegion)));
  if (!region)
    return nullptr;
  const StubLayout layout = layoutOf(module, kind);
  const tprt_site *site = &sites[module->firstSite + first];
  size_t codeBytes = roundToPages(codeBytesOf(layout, count)),
         dataBytes = roundToPages(count * dataOf(layout)), waysBack = 0;
  if (near == Near::Nothing && !module->isCode) {
    waysBack = codeBytes;
    codeBytes += roundToPages(count * kWayBackBytes);
  }
  size_t bytes = codeBytes + dataBytes;
  void *memory = near == Near::Nothing
                     ? allocatePages(bytes)
                     : allocateRegion(site, count, kind, bytes,
                                      near == Near::Stubs ? general : nullptr);
  region->layout = layout;
  region->far = near == Near::Nothing;
  region->waysBack = waysBack;
  region->first = first;
  region->count = count;
  region->code = reinterpret_cast<uint64_t>(memory);
  region->data = reinterpret_cast<StubData *>(region->code + codeBytes);
  region->bytes = memory ? bytes : 0;
  totalBytes += region->bytes;
  // A copy of the process must not record with this process's words.
  bool usable =
      memory && (kind != kRecording || emptyInCopies(region->words, dataBytes));
  if (usable && region->area.open(region->code, codeBytes)) {
    noteRegion(module, region);
    return region;
  }
  freeRegion(region);
  return nullptr;
}

static bool addRegion(Module *module, StubRegion *region) {
  if (!region)
    return false;
  region->kinds[kGeneral] = region;
  region->next = module->stubs;
  module->stubs = region;
  return true;
}

// Makes a region of far stubs for sites without free memory within reach, if
// any of the sites can have a veneer. A stub reaches its return jump by a jump
// of at most 1 MiB, so the region has few stubs.
static void makeFarRegions(Module *module, uint32_t first, uint32_t count) {
  constexpr uint32_t kMost = 16384;
  if (!kHasVeneers)
    return;
  for (uint32_t end = first + count; first < end; first += count) {
    const tprt_site *site = &sites[module->firstSite + first];
    count = end - first < kMost ? end - first : kMost;
    bool isAny = false;
    for (uint32_t i = 0; i < count && !isAny; ++i)
      isAny = hasVeneer(site[i]);
    if (isAny)
      addRegion(module,
                makeRegion(module, kGeneral, first, count, Near::Nothing));
  }
}

// Makes one region if possible, else regions for the two halves of the sites.
// If the code is larger than the reach, or mostly too far from free memory,
// smaller parts of it may still be near enough. Halving ends at runs of sites
// that would all reach the same memory.
static void makeRegions(Module *module, uint32_t first, uint32_t count) {
  if (addRegion(module,
                makeRegion(module, kGeneral, first, count, Near::Sleds)))
    return;
  const tprt_site *site = &sites[module->firstSite + first];
  if (site[count - 1].sledAt - site->sledAt < kStubReach / 128)
    return makeFarRegions(module, first, count);
  makeRegions(module, first, count / 2);
  makeRegions(module, first + count / 2, count - count / 2);
}

void makeGeneralRegions(Module *module) {
  makeRegions(module, 0, module->siteCount);
}

StubRegion *makeSecondRegion(const Module *module, StubKind kind,
                             const StubRegion *general) {
  // Second stubs continue in the general stubs, or at their return jumps. In
  // code without sleds, an original continues at the copy of its instruction.
  bool leadsToSled = kind == kOriginals && !general->isFar() && !module->isCode;
  return makeRegion(module, kind, general->first, general->count,
                    leadsToSled ? Near::Sleds : Near::Stubs, general);
}

void freeStubs(Module *module) {
  while (StubRegion *general = module->stubs) {
    module->stubs = general->next;
    freeIslands(general);
    for (unsigned kind = kStubKinds; kind-- > 0;)
      if (StubRegion *region = general->kinds[kind])
        freeRegion(region);
  }
  module->hasSeconds = false;
}

} // namespace tprt
