// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stub regions; see stubs.h. Stubs are made a page at a time: every stub of a
// page is written, then the page becomes executable, and only then can a sled
// lead to it.
#include "core/stubs.h"
#include "core/arch.h"
#include "core/chain.h"
#include "core/countstubs.h"
#include "os/linux/text.h"

namespace tprt {

static size_t totalBytes;

size_t stubBytes() { return totalBytes + countStubBytes(); }

// Where a region for these sites may lie. Slots and what stands behind a ret
// are at most 256 bytes off.
static void *allocateFor(const tprt_site &first, const tprt_site &last,
                         size_t bytes) {
  auto low = reinterpret_cast<uint64_t>(first.sled()),
       high = reinterpret_cast<uint64_t>(last.sled());
  return allocateNear(low > 256 ? low - 256 : 0, high + 256, bytes, kStubReach);
}

void *allocateForModule(const Module *module, size_t bytes) {
  const tprt_site *site = &sites[module->firstSite];
  auto low = reinterpret_cast<uint64_t>(site->sled()),
       high = reinterpret_cast<uint64_t>(site[module->siteCount - 1].sled());
  const StubRegion *stubs = module->stubs;
  low = stubs->code < low ? stubs->code : low;
  high = stubs->code + stubs->bytes > high ? stubs->code + stubs->bytes : high;
  return allocateNear(low, high + 256, bytes, kStubReach);
}

static bool makeRegion(Module *module, uint32_t first, uint32_t count) {
  size_t codeBytes =
      roundToPages(kStubHeaderBytes + size_t{count} * kStubBytes);
  size_t bytes = codeBytes + roundToPages(count * sizeof(StubData));
  auto *region = static_cast<StubRegion *>(allocateSmall(sizeof(StubRegion)));
  if (!region)
    return false;
  const tprt_site *site = &sites[module->firstSite + first];
  void *memory = allocateFor(*site, site[count - 1], bytes);
  if (!memory || !region->made.resize(codeBytes / roundToPages(1))) {
    if (memory)
      freePages(memory, bytes);
    freeSmall(region, sizeof(StubRegion));
    return false;
  }
  region->first = first;
  region->count = count;
  region->code = reinterpret_cast<uint64_t>(memory);
  region->codeBytes = codeBytes;
  region->data = reinterpret_cast<StubData *>(region->code + codeBytes);
  region->bytes = bytes;
  region->next = module->stubs;
  module->stubs = region;
  totalBytes += bytes;
  return true;
}

// One region if possible, else those of the two halves: code that is larger
// than the reach, or most of which is too far from free memory, has parts that
// are not. Down to runs of sites that all would reach the same.
static void makeRegions(Module *module, uint32_t first, uint32_t count) {
  if (makeRegion(module, first, count))
    return;
  const tprt_site *site = &sites[module->firstSite + first];
  if (site[count - 1].sled() - site->sled() < kStubReach / 128)
    return;
  makeRegions(module, first, count / 2);
  makeRegions(module, first + count / 2, count - count / 2);
}

void freeStubs(Module *module) {
  while (StubRegion *region = module->stubs) {
    module->stubs = region->next;
    totalBytes -= region->bytes;
    freePages(reinterpret_cast<void *>(region->code), region->bytes);
    region->~StubRegion();
    freeSmall(region, sizeof(StubRegion));
  }
}

// Writes all stubs that touch code pages [first, last): those at the edges are
// written whole only when both their pages are, so pages hold whole stubs.
static void writePages(const Module *module, StubRegion *region, size_t first,
                       size_t last) {
  size_t page = roundToPages(1);
  if (first == 0)
    writeStubHeader(reinterpret_cast<uint8_t *>(region->code), region->code,
                    reinterpret_cast<uint64_t>(region->data));
  size_t perPage = page / kStubBytes, header = kStubHeaderBytes / kStubBytes;
  size_t begin = first ? first * perPage - header : 0,
         end = last * perPage - header;
  if (end > region->count)
    end = region->count;
  if (begin < end)
    populatePages(&region->data[begin], (end - begin) * sizeof(StubData));
  for (size_t i = begin; i < end; ++i) {
    tprt_site &site = sites[module->firstSite + region->first + i];
    __builtin_prefetch(&site + 24); // as in the loop of flip.cpp
    StubData &data = region->data[i];
    initialiseData(data, site);
    data.chain = emptyChain();
    uint64_t at = region->stub(region->first + static_cast<uint32_t>(i));
    writeStub(reinterpret_cast<uint8_t *>(at), at, region->code,
              reinterpret_cast<uint64_t>(&data), site);
  }
}

const void *originalOf(const tprt_site &site) {
  for (const Original &original : site.module()->originals)
    if (original.site == indexOf(&site))
      return reinterpret_cast<const void *>(original.code);
  return nullptr;
}

// In pages of their own: few sites are redirected. In order of address, as in a
// batch; halved
// like the regions.
static void makeOriginalsOf(Module *module, const uint32_t *batch,
                            size_t count) {
  const tprt_site &first = sites[batch[0]], &last = sites[batch[count - 1]];
  size_t bytes = roundToPages(count * kStubBytes);
  void *memory = allocateFor(first, last, bytes);
  if (!memory && last.sled() - first.sled() >= kStubReach / 128) {
    makeOriginalsOf(module, batch, count / 2);
    return makeOriginalsOf(module, batch + count / 2, count - count / 2);
  }
  if (!memory)
    return;
  auto address = reinterpret_cast<uint64_t>(memory);
  for (size_t i = 0; i < count; ++i)
    writeOriginal(reinterpret_cast<uint8_t *>(address + i * kStubBytes),
                  address + i * kStubBytes, sites[batch[i]]);
  if (!makeExecutable(address, bytes) ||
      !module->originals.reserve(module->originals.size() + count))
    return freePages(memory, bytes);
  totalBytes += bytes;
  for (size_t i = 0; i < count; ++i)
    module->originals.push({batch[i], address + i * kStubBytes});
}

void makeOriginals(Module *module, const uint32_t *batch, size_t count) {
  Array<uint32_t> wanted;
  for (size_t i = 0; i < count; ++i)
    if (!originalOf(sites[batch[i]]) && !wanted.push(batch[i]))
      return;
  if (!wanted.empty())
    makeOriginalsOf(module, wanted.begin(), wanted.size());
}

static bool makeWanted(const Module *module, StubRegion *region) {
  bool all =
      makePages(region->made, region->code, [&](size_t first, size_t last) {
        writePages(module, region, first, last);
      });
  region->complete = true;
  for (uint8_t state : region->made)
    region->complete &= state == 3;
  return all;
}

bool makeStubs(Module *module, const uint32_t *batch, size_t count) {
  if (!module->stubs)
    makeRegions(module, 0, module->siteCount);
  if (!module->stubs)
    return false;
  if (module->stubs->complete && !module->stubs->next)
    return true;
  // Pages are of a power of two.
  int pageBits = __builtin_ctzl(roundToPages(1) / kStubBytes);
  StubRegion *region = module->stubs;
  bool whole = count == module->siteCount;
  for (StubRegion *r = region; r && whole; r = r->next)
    for (uint8_t &state : r->made)
      state |= 1;
  for (size_t i = 0; i < count && !whole; ++i) {
    uint32_t place = batch[i] - module->firstSite;
    if (!region || place - region->first >= region->count)
      region = regionAt(module, place);
    if (!region || region->complete)
      continue;
    // In stubs, counting the header as such; whole at a page's end.
    uint32_t at = place - region->first + kStubHeaderBytes / kStubBytes;
    region->made[0] |= 1;
    region->made[at >> pageBits] |= 1;
  }
  bool all = true;
  for (StubRegion *region = module->stubs; region; region = region->next)
    all &= region->complete || makeWanted(module, region);
  return all;
}

} // namespace tprt
