// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes stubs; see stubs.h.
#include "text/stubs.h"
#include "actions/action_list.h"
#include "base/os_memory.h"
#include "text/inline_stubs.h"
#include "text/pun_islands.h"
#include "text/text_writer.h"
#include "threads/counters.h"

#include <string.h>

namespace tprt {

// Whether the copy at this site must continue with the next instructions. That
// is so if the site is a pun, or may still become one (patch/overlap.h).
// Breakpoints after the site do not change a short jump.
static bool wantsRun(const CodeSite &code) {
  const bool mayBePun = code.means == Means::ShortJump &&
                        !code.staysShortJump && oneByte == OneByte::Preferred &&
                        code.starts != kNoPun && needsFirstByte(code);
  return code.runBytes && (code.means == Means::Pun || mayBePun);
}

// Writes the copy of the site's instruction. reserveCopies() has checked that
// the instruction fits. A copy that runs on needs a short copy beside it.
static void writeCopy(const tprt_site &site, const StubRegion *general) {
  CodeSite &code = site.module()->code[placeOf(site)];
  const uint64_t at = displacedOf(site);
  auto *out = reinterpret_cast<uint8_t *>(at);
  code.runsOn = wantsRun(code) && general->kinds[kShortCopy] &&
                writeDisplaced(out, at, site, true);
  if (!code.runsOn)
    writeDisplaced(out, at, site, false);
}

// Writes all stubs in code pages [first, last), and the data of these stubs. A
// stub never crosses a page boundary.
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
    data.actionList = emptyActionList();
    uint32_t place = region->first + static_cast<uint32_t>(i);
    uint64_t at = region->stub(place);
    uint64_t back = hasVeneer(site) ? region->wayBack(place) : 0;
    writeStub(reinterpret_cast<uint8_t *>(at), at, region->code,
              reinterpret_cast<uint64_t>(&data), back, site);
    if (back)
      writeWayBack(reinterpret_cast<uint8_t *>(back), back, site);
    if (module->isCode && displacedOf(site))
      writeCopy(site, region);
  }
}

static size_t generalBytesOf(const Module *module) {
  return module->isInner ? kInnerStubBytes : kStubBytes;
}

// Writes a general stub and a copy of one instruction. If the copy cannot reach
// what the instruction refers to, the stub leads to the other copy.
static void writeShortCopy(uint8_t *out, uint64_t at, const StubRegion *general,
                           const tprt_site &site) {
  const size_t bytes = generalBytesOf(site.module());
  const StubData *data = &general->data[placeOf(site) - general->first];
  writeStub(out, at, general->code, reinterpret_cast<uint64_t>(data), 0, site);
  if (!writeDisplaced(out + bytes, at + bytes, site, false))
    writeIsland(out + bytes, at + bytes, displacedOf(site));
}

// Writes a second stub for a site that can have it, and its word if that must
// not be 0.
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

// The same as writePages(), for second stubs. Writes the stubs of all sites in
// these pages, because a page is made only once.
static void writeSecond(const Module *module, const StubRegion *general,
                        const StubRegion *region, StubKind kind, size_t first,
                        size_t last) {
  const StubLayout layout = region->layout;
  const size_t perPage = pageBytes() / bytesOf(layout),
               header = headerOf(layout) / bytesOf(layout);
  for (size_t i = first ? first * perPage - header : 0;
       i < region->count && pageOf(layout, i) < last; ++i) {
    const tprt_site &site = sites[module->firstSite + region->first + i];
    uint64_t at = region->code + offsetOf(layout, i);
    if (!canHave(site, kind))
      continue;
    if (kind == kShortCopy)
      writeShortCopy(reinterpret_cast<uint8_t *>(at), at, general, site);
    else
      writeOne(reinterpret_cast<uint8_t *>(at), at, kind, &region->words[i],
               general->wayBack(placeOf(site)), site);
  }
}

// Makes all wanted pages of the region. Returns false if some pages could not
// be made.
static bool makeWanted(const Module *module, const StubRegion *general,
                       StubRegion *region, StubKind kind) {
  return region->area.makeWanted(0, [&](PageRun run) {
    populatePages(reinterpret_cast<void *>(region->area.addressOf(run.first)),
                  (run.last - run.first) * pageBytes());
    if (kind == kGeneral)
      writePages(module, region, run.first, run.last);
    else
      writeSecond(module, general, region, kind, run.first, run.last);
    return true;
  });
}

// Makes the region of second stubs of this kind if there is none. Returns
// nullptr if there is no room.
static StubRegion *takeRegion(const Module *module, StubRegion *general,
                              StubKind kind) {
  StubRegion *region = general->kinds[kind];
  if (!region)
    region = makeSecondRegion(module, kind, general);
  // Pairs with madeFor(), which letRecord() calls without the lock.
  if (region)
    __atomic_store_n(&general->kinds[kind], region, __ATOMIC_RELEASE);
  return region;
}

// For the sites of the batch that are in this region, marks the pages that
// contain their stubs of this kind. Returns false if there is no room for the
// region of second stubs.
static bool want(const Module *module, StubRegion *general, StubKind kind,
                 const uint32_t *batch, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t place = batch[i] - module->firstSite - general->first;
    if (place >= general->count || !canHave(sites[batch[i]], kind))
      continue;
    StubRegion *region = takeRegion(module, general, kind);
    if (!region)
      return false;
    if (kind == kOriginals)
      region->words[place] = 1;
    if (headerOf(region->layout))
      region->area.want(0);
    region->area.want(pageOf(region->layout, place));
    // The return jumps of one page of far stubs lie in several pages.
    if (region->waysBack)
      region->area.wantAll();
  }
  return true;
}

// Finds places for the copies of displaced instructions. A site whose
// instruction cannot run as a copy has none. The list has enough room.
static void reserveCopies(Module *module) {
  if (!module->isCode)
    return;
  for (StubRegion *general = module->stubs; general; general = general->next)
    for (uint32_t i = 0; i < general->count; ++i) {
      uint8_t tried[kDisplacedBytes];
      uint32_t place = general->first + i;
      uint64_t at = general->stub(place) + generalBytesOf(module);
      if (writeDisplaced(tried, at, sites[module->firstSite + place], false))
        module->displaced[place] = at;
    }
}

static bool mayRunOn(const Module *module, const StubRegion *general) {
  for (uint32_t i = 0; i < general->count && module->isCode; ++i)
    if (wantsRun(module->code[general->first + i]))
      return true;
  return false;
}

static void reserveGeneral(Module *module) {
  if (module->stubs ||
      (module->isCode && !module->displaced.resize(module->siteCount)))
    return; // no memory, so no stubs
  makeGeneralRegions(module);
  reserveCopies(module);
  for (StubRegion *general = module->stubs; general; general = general->next)
    if (mayRunOn(module, general))
      takeRegion(module, general, kShortCopy);
}

void reserveStubs(Module *module, StubKind kind, const uint32_t *batch,
                  size_t count) {
  reserveGeneral(module);
  for (StubRegion *general = module->stubs; general; general = general->next)
    for (size_t i = 0; i < count && !general->kinds[kind]; ++i)
      if (batch[i] - module->firstSite - general->first < general->count &&
          canHave(sites[batch[i]], kind) && !takeRegion(module, general, kind))
        break;
}

bool makeStubs(Module *module, StubKind kind, const uint32_t *batch,
               size_t count) {
  reserveGeneral(module);
  bool all = module->stubs;
  bool whole = kind == kGeneral && count == module->siteCount;
  for (StubRegion *general = module->stubs; general; general = general->next) {
    if (kind == kGeneral && general->area.isComplete())
      continue;
    if (whole)
      general->area.wantAll();
    else
      all &= want(module, general, kind, batch, count);
    if (StubRegion *region = general->kinds[kind])
      all &= makeWanted(module, general, region, kind);
    module->hasSeconds |=
        general->kinds[countingKindOf(module)] || general->kinds[kRecording];
  }
  return all;
}

} // namespace tprt
