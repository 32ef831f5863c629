// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stub regions; see stubs.h. Stubs are made a page at a time: every stub of a
// page is written, then the page becomes executable, and only after that can a
// sled lead to it. Called under the lock.
#include "core/stubs.h"
#include "core/arch.h"
#include "core/chain.h"
#include "core/counters.h"
#include "core/homes.h"
#include "core/landings.h"
#include "core/memory.h"
#include "core/module.h"
#include "core/os.h"
#include "core/plain/pages.h"
#include "core/puns.h"
#include "core/recording.h"
#include "core/textwriter.h"
#include "core/threads.h"

#include <string.h>

namespace tprt {

static size_t totalBytes;

size_t stubBytes() { return totalBytes + landingBytes() + punBytes(); }

// The general stub at a site in code, and the copy behind it.
static constexpr size_t kWithCopyBytes = kStubBytes + kDisplacedBytes;
// How many of them the header takes the place of.
static constexpr size_t kHeaderStubs =
    (kStubHeaderBytes + kWithCopyBytes - 1) / kWithCopyBytes;

// The same at an instruction inside a function.
static constexpr size_t kInnerWithCopyBytes = kInnerStubBytes + kDisplacedBytes;
static constexpr size_t kHeaderInnerStubs =
    (kStubHeaderBytes + kInnerWithCopyBytes - 1) / kInnerWithCopyBytes;

static size_t headerOf(StubKind kind) {
  switch (kind) {
  case kGeneral:
    return kStubHeaderBytes;
  case kWithCopy:
    return kHeaderStubs * kWithCopyBytes;
  case kInnerWithCopy:
    return kHeaderInnerStubs * kInnerWithCopyBytes;
  default:
    return 0;
  }
}

static size_t bytesOf(StubKind kind) {
  switch (kind) {
  case kCounting:
    return kCountStubBytes;
  case kFullCounting:
    return kFullCountStubBytes;
  case kRecording:
    return kRecordStubBytes;
  case kWithCopy:
    return kWithCopyBytes;
  case kInnerWithCopy:
    return kInnerWithCopyBytes;
  case kWaysBack:
    return kWayBackBytes;
  default:
    return kStubBytes;
  }
}

static size_t dataOf(StubKind kind) {
  bool isGeneral =
      kind == kGeneral || kind == kWithCopy || kind == kInnerWithCopy;
  return isGeneral ? sizeof(StubData) : sizeof(int32_t);
}

// The offset of the i-th of pieces of code of which none lies across two pages.
template <size_t bytes> static size_t offsetOfPiece(size_t i) {
  constexpr size_t kLeastPage = 4096; // every page is a multiple of it
  if constexpr (kLeastPage % bytes == 0)
    return i * bytes;
  size_t perPage = pageBytes() / bytes;
  return i / perPage * pageBytes() + i % perPage * bytes;
}

// The offset in the region of its i-th stub. Planning a site asks for some ten,
// so the sizes are constants here.
static size_t offsetOf(StubKind kind, size_t i) {
  switch (kind) {
  case kGeneral:
    return kStubHeaderBytes + i * kStubBytes;
  case kCounting:
    return offsetOfPiece<kCountStubBytes>(i);
  case kFullCounting:
    return offsetOfPiece<kFullCountStubBytes>(i);
  case kRecording:
    return offsetOfPiece<kRecordStubBytes>(i);
  case kWithCopy:
    return offsetOfPiece<kWithCopyBytes>(i + kHeaderStubs);
  case kInnerWithCopy:
    return offsetOfPiece<kInnerWithCopyBytes>(i + kHeaderInnerStubs);
  case kWaysBack:
    return offsetOfPiece<kWayBackBytes>(i);
  default:
    return offsetOfPiece<kStubBytes>(i);
  }
}

static size_t codeBytesOf(StubKind kind, size_t count) {
  return offsetOf(kind, count - 1) + bytesOf(kind);
}

uint64_t StubRegion::stub(StubKind kind, uint32_t place) const {
  return code + offsetOf(kind, place - first);
}

bool stubWithin(StubKind kind, size_t offset, uint32_t &place, size_t &inside) {
  size_t header = headerOf(kind), bytes = bytesOf(kind);
  if (offset < header)
    return false;
  // The header is as long as a whole number of general stubs.
  size_t page = pageBytes(), perPage = page / bytes;
  size_t i = offset / page * perPage + offset % page / bytes - header / bytes;
  place = static_cast<uint32_t>(i);
  inside = offset - offsetOf(kind, i);
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

// The page of code in which the stub of a region's i-th site lies.
static size_t pageOf(StubKind kind, size_t i) {
  return offsetOf(kind, i) / pageBytes();
}

static void freeRegion(StubRegion *region) {
  totalBytes -= region->bytes;
  forgetStubs(region->code);
  if (region->isFar())
    forgetStubs(region->code + region->waysBack);
  freePages(reinterpret_cast<void *>(region->code), region->bytes);
  region->~StubRegion();
  freeSmall(region, sizeof(StubRegion));
}

// What a region has to be within reach of.
enum class Near { Sleds, Stubs, Nothing };

// Makes a region for `count` sites from place `first` on, within reach of
// these sites, or of their `general` stubs, or far from all. nullptr: no room.
static StubRegion *makeRegion(const Module *module, StubKind kind,
                              uint32_t first, uint32_t count, Near near,
                              const StubRegion *general = nullptr) {
  auto *region = static_cast<StubRegion *>(allocateSmall(sizeof(StubRegion)));
  if (!region)
    return nullptr;
  const StubKind layout = kind != kGeneral || !module->isCode ? kind
                          : module->isInner                   ? kInnerWithCopy
                                                              : kWithCopy;
  const tprt_site *site = &sites[module->firstSite + first];
  auto firstSled = reinterpret_cast<uint64_t>(site->sled()),
       lastSled = reinterpret_cast<uint64_t>(site[count - 1].sled());
  size_t codeBytes = roundToPages(codeBytesOf(layout, count)),
         dataBytes = roundToPages(count * dataOf(layout)), waysBack = 0;
  if (near == Near::Nothing) {
    waysBack = codeBytes;
    codeBytes += roundToPages(count * kWayBackBytes);
  }
  size_t bytes = codeBytes + dataBytes;
  // Slots and the bytes behind a ret are at most 256 bytes away from their
  // sleds. Where makeRegions() can halve the sites, an eighth of the reach is
  // left for second stubs of the same sites.
  int64_t reach = kStubReach - 256;
  if (kind == kGeneral &&
      site[count - 1].sledAt - site->sledAt >= kStubReach / 128)
    reach -= kStubReach / 8;
  uint64_t low = firstSled, high = lastSled;
  if (near == Near::Stubs) {
    uint64_t end = general->code + general->bytes;
    const bool far = general->isFar(); // from the sleds
    low = far || general->code < low ? general->code : low;
    high = far || end > high ? end : high;
  }
  void *memory = near == Near::Nothing ? allocatePages(bytes)
                                       : allocateNear(low, high, bytes, reach);
  region->layout = layout;
  region->waysBack = waysBack;
  region->first = first;
  region->count = count;
  region->code = reinterpret_cast<uint64_t>(memory);
  region->data = reinterpret_cast<StubData *>(region->code + codeBytes);
  region->bytes = memory ? bytes : 0;
  totalBytes += region->bytes;
  // A copy of the process must not record with the words of this one.
  bool usable =
      memory && (kind != kRecording || emptyInCopies(region->words, dataBytes));
  if (usable && region->made.resize(codeBytes / pageBytes())) {
    noteStubs(layout, module->firstSite + first, region->code,
              codeBytesOf(layout, count));
    if (waysBack)
      noteStubs(kWaysBack, module->firstSite + first, region->code + waysBack,
                codeBytesOf(kWaysBack, count));
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

// Makes a region of far stubs for sites none of which reaches free memory, if
// any of them can have a veneer. A stub reaches its way back by a jump of 1
// MiB, so the region has few stubs.
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
// Code that is larger than the reach, or most of which is too far from free
// memory, has parts that are near enough. Halving ends at runs of sites that
// would all reach the same memory.
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

void freeStubs(Module *module) {
  while (StubRegion *general = module->stubs) {
    module->stubs = general->next;
    freeLandings(general);
    for (unsigned kind = kStubKinds; kind-- > 0;)
      if (StubRegion *region = general->kinds[kind])
        freeRegion(region);
  }
  module->hasSeconds = false;
}

// Writes all stubs in code pages [first, last), and the data of these stubs. A
// stub never lies across two pages.
static void writePages(const Module *module, const StubRegion *region,
                       size_t first, size_t last) {
  if (first == 0)
    writeStubHeader(reinterpret_cast<uint8_t *>(region->code), region->code,
                    reinterpret_cast<uint64_t>(region->data), module->isCode);
  size_t stubBytes = bytesOf(region->layout), perPage = pageBytes() / stubBytes,
         header = headerOf(region->layout) / stubBytes;
  size_t begin = first ? first * perPage - header : 0,
         end = last * perPage - header;
  if (end > region->count)
    end = region->count;
  if (begin < end)
    populatePages(&region->data[begin], (end - begin) * sizeof(StubData));
  for (size_t i = begin; i < end; ++i) {
    tprt_site &site = sites[module->firstSite + region->first + i];
    __builtin_prefetch(&site + 24); // The sites are seldom in the caches.
    StubData &data = region->data[i];
    initialiseData(data, site);
    data.chain = emptyChain();
    uint32_t place = region->first + static_cast<uint32_t>(i);
    uint64_t at = region->stub(place);
    uint64_t back = hasVeneer(site) ? region->wayBack(place) : 0;
    writeStub(reinterpret_cast<uint8_t *>(at), at, region->code,
              reinterpret_cast<uint64_t>(&data), back, site);
    if (back)
      writeWayBack(reinterpret_cast<uint8_t *>(back), back, site);
    if (module->isCode &&
        displacedOf(site)) // reserveCopies() has tried that it fits
      writeDisplaced(reinterpret_cast<uint8_t *>(displacedOf(site)),
                     displacedOf(site), site);
  }
}

// Whether the site can have a second stub of this kind.
static bool canHave(const tprt_site &site, StubKind kind) {
  switch (kind) {
  case kCounting:
    return canCountInStub(site);
  case kFullCounting:
    return canCountInFullStub(site);
  case kRecording:
    return canRecordInStub(site);
  default:
    return true;
  }
}

// Writes a second stub whose site can have it, and its word where that must not
// be 0.
static void writeOne(uint8_t *out, uint64_t at, StubKind kind, int32_t *word,
                     uint64_t wayBack, const tprt_site &site) {
  auto wordAt = reinterpret_cast<uint64_t>(word);
  switch (kind) {
  case kOriginals:
    return writeOriginal(out, at, wayBack, site);
  case kFullCounting:
    *word = wordOfFullCountStub(false);
    return writeFullCountStub(out, at, wordAt, stubOf(site),
                              countWord(indexOf(&site)), site);
  case kCounting:
    return writeCountStub(out, at, wordAt, stubOf(site), site);
  default:
    return writeRecordStub(out, at, wordAt, stubOf(site), site);
  }
}

// The same for second stubs. It writes the stubs of all sites in these pages,
// because a page is made only once.
static void writeSecond(const Module *module, const StubRegion *general,
                        const StubRegion *region, StubKind kind, size_t first,
                        size_t last) {
  for (size_t i = first * (pageBytes() / bytesOf(kind));
       i < region->count && pageOf(kind, i) < last; ++i) {
    const tprt_site &site = sites[module->firstSite + region->first + i];
    uint64_t at = region->code + offsetOf(kind, i);
    if (canHave(site, kind))
      writeOne(reinterpret_cast<uint8_t *>(at), at, kind, &region->words[i],
               general->wayBack(placeOf(site)), site);
  }
}

// Makes the pages that are wanted and not made. Everything in a page is
// written, and is final once the page is executable. False: not all pages could
// be made.
static bool makeWanted(const Module *module, const StubRegion *general,
                       StubRegion *region, StubKind kind) {
  Array<uint8_t> &made = region->made;
  bool all = true;
  region->complete = true;
  for (size_t first = 0, last; first < made.size(); first = last) {
    last = first;
    while (last < made.size() && made[last] == 1)
      ++last;
    if (last == first) {
      region->complete &= made[last++] == 3;
      continue;
    }
    uint64_t start = region->code + first * pageBytes();
    size_t bytes = (last - first) * pageBytes();
    populatePages(reinterpret_cast<void *>(start), bytes);
    if (kind == kGeneral)
      writePages(module, region, first, last);
    else
      writeSecond(module, general, region, kind, first, last);
    bool executable = makeExecutable(start, bytes);
    all &= executable;
    memset(&made[first], executable ? 3 : 0, last - first);
  }
  region->complete &= all;
  return all;
}

// Marks the pages for those sites of the batch that are in this region: the
// pages with their stubs of this kind. Makes the region of second stubs if
// there is none. False: there is no room for that region.
static bool want(const Module *module, StubRegion *general, StubKind kind,
                 const uint32_t *batch, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t place = batch[i] - module->firstSite - general->first;
    if (place >= general->count || !canHave(sites[batch[i]], kind))
      continue;
    StubRegion *region = general->kinds[kind];
    // Second stubs go on in the general ones, or on the way back of these. In
    // code an original goes on at the copy of its instruction.
    bool leadsToSled =
        kind == kOriginals && !general->isFar() && !module->isCode;
    Near near = leadsToSled ? Near::Sleds : Near::Stubs;
    if (!region)
      region = makeRegion(module, kind, general->first, general->count, near,
                          general);
    if (!region)
      return false;
    // Pairs with madeFor(), which letRecord() calls without the lock.
    __atomic_store_n(&general->kinds[kind], region, __ATOMIC_RELEASE);
    if (kind == kOriginals)
      region->words[place] = 1;
    region->made[0] |= headerOf(region->layout) != 0;
    region->made[pageOf(region->layout, place)] |= 1;
    // A page of far stubs has its ways back in several pages.
    for (size_t page = 0; region->isFar() && page < region->made.size(); ++page)
      region->made[page] |= 1;
  }
  return true;
}

// Finds the places for the copies of displaced instructions. A site whose
// instruction can't run there has no copy.
static void reserveCopies(Module *module) {
  if (!module->isCode || !module->displaced.resize(module->siteCount))
    return;
  for (StubRegion *general = module->stubs; general; general = general->next)
    for (uint32_t i = 0; i < general->count; ++i) {
      uint8_t tried[kDisplacedBytes];
      uint32_t place = general->first + i;
      uint64_t at = general->stub(place) +
                    (module->isInner ? kInnerStubBytes : kStubBytes);
      if (writeDisplaced(tried, at, sites[module->firstSite + place]))
        module->displaced[place] = at;
    }
}

bool makeStubs(Module *module, StubKind kind, const uint32_t *batch,
               size_t count) {
  if (!module->stubs) {
    makeRegions(module, 0, module->siteCount);
    reserveCopies(module);
  }
  bool all = module->stubs;
  bool whole = kind == kGeneral && count == module->siteCount;
  for (StubRegion *general = module->stubs; general; general = general->next) {
    if (kind == kGeneral && general->complete)
      continue;
    if (whole)
      for (uint8_t &state : general->made)
        state |= 1;
    else
      all &= want(module, general, kind, batch, count);
    if (StubRegion *region = general->kinds[kind])
      all &= makeWanted(module, general, region, kind);
    module->hasSeconds |=
        general->kinds[countingKindOf(module)] || general->kinds[kRecording];
  }
  return all;
}

// The region that has the site's stub of this kind; nullptr: the stub is not
// made.
static StubRegion *madeFor(const tprt_site &site, StubKind kind,
                           uint32_t &place) {
  place = placeOf(site);
  const StubRegion *general = regionAt(site.module(), place);
  StubRegion *region =
      general ? __atomic_load_n(&general->kinds[kind], __ATOMIC_ACQUIRE)
              : nullptr;
  if (!region)
    return nullptr;
  place -= region->first;
  bool made = region->made[pageOf(kind, place)] == 3;
  return made ? region : nullptr;
}

uint64_t secondStubOf(const tprt_site &site, StubKind kind) {
  uint32_t place;
  const StubRegion *region = madeFor(site, kind, place);
  return region && canHave(site, kind) ? region->code + offsetOf(kind, place)
                                       : 0;
}

uint32_t recordWordOf(const tprt_site &site, const Chain *chain) {
  return chain->records ? recorder->wordOf(site, chain->entries[0].data) : 0;
}

static int32_t countWordOf(const tprt_site &site, const Chain *chain) {
  uint32_t index = indexOf(&site);
  bool may = chain->mode == kCount && mayCountInStub(index);
  if (site.module()->isCode)
    return wordOfFullCountStub(may);
  return may ? countWord(index) : 0;
}

static void storeWord(StubRegion *region, uint32_t place, int32_t word) {
  __atomic_store_n(&region->words[place], word, __ATOMIC_RELEASE);
}

void letSecondStubs(const tprt_site &site, const Chain *chain) {
  uint32_t place;
  if (StubRegion *region = madeFor(site, countingKindOf(site.module()), place))
    storeWord(region, place, countWordOf(site, chain));
  if (StubRegion *region = madeFor(site, kRecording, place))
    storeWord(region, place, static_cast<int32_t>(recordWordOf(site, chain)));
}

// Another thread may publish another chain at the same time, and then it stores
// its word after the chain. If that store comes before this one, the chain is
// seen here. The caller is in a hit or has the lock, so no chain that it sees
// is freed.
void letRecord(const tprt_site &site, uint32_t word) {
  uint32_t place;
  StubRegion *region = madeFor(site, kRecording, place);
  if (!region)
    return;
  storeWord(region, place, static_cast<int32_t>(word));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const StubRegion *general = regionAt(site.module(), placeOf(site));
  const Chain *chain =
      __atomic_load_n(&general->data[place].chain, __ATOMIC_ACQUIRE);
  if (!chain->records)
    storeWord(region, place, 0);
}

const void *originalOf(const tprt_site &site) {
  uint32_t place;
  const StubRegion *region = madeFor(site, kOriginals, place);
  return region && region->words[place]
             ? reinterpret_cast<const void *>(region->code +
                                              offsetOf(kOriginals, place))
             : nullptr;
}

} // namespace tprt
