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

static uint64_t stubAddress(const Module *module, uint32_t index) {
  return module->stubs->code + kStubHeaderBytes + size_t{index} * kStubBytes;
}

static void extentOf(const Module *module, uint64_t *low, uint64_t *high) {
  *low = UINT64_MAX;
  *high = 0;
  for (const Segment &s : module->segments) {
    *low = s.start < *low ? s.start : *low;
    *high = s.end > *high ? s.end : *high;
  }
}

void *allocateForModule(const Module *module, size_t bytes) {
  uint64_t low, high;
  extentOf(module, &low, &high);
  if (const StubRegion *stubs = module->stubs) {
    low = stubs->code < low ? stubs->code : low;
    high =
        stubs->code + stubs->bytes > high ? stubs->code + stubs->bytes : high;
  }
  return allocateNear(low, high, bytes, kStubReach);
}

static bool makeRegion(Module *module) {
  size_t codeBytes =
      roundToPages(kStubHeaderBytes + size_t{module->siteCount} * kStubBytes);
  size_t bytes = codeBytes + roundToPages(module->siteCount * sizeof(StubData));
  auto *region = static_cast<StubRegion *>(allocateSmall(sizeof(StubRegion)));
  if (!region)
    return false;
  void *memory = allocateForModule(module, bytes);
  if (!memory || !region->made.resize(codeBytes / roundToPages(1))) {
    if (memory)
      freePages(memory, bytes);
    freeSmall(region, sizeof(StubRegion));
    return false;
  }
  region->code = reinterpret_cast<uint64_t>(memory);
  region->codeBytes = codeBytes;
  region->data = reinterpret_cast<StubData *>(region->code + codeBytes);
  region->bytes = bytes;
  module->stubs = region;
  totalBytes += bytes;
  return true;
}

void freeStubs(Module *module) {
  StubRegion *region = module->stubs;
  if (!region)
    return;
  module->stubs = nullptr;
  totalBytes -= region->bytes;
  freePages(reinterpret_cast<void *>(region->code), region->bytes);
  region->~StubRegion();
  freeSmall(region, sizeof(StubRegion));
}

static void initialiseData(Module *module, uint32_t index) {
  tprt_site &site = sites[module->firstSite + index];
  StubData &data = module->stubs->data[index];
  data = {trampolineOf(site), emptyChain(), &site};
}

// Writes all stubs that touch code pages [first, last): those at the edges are
// written whole only when both their pages are, so pages hold whole stubs.
static void writePages(Module *module, size_t first, size_t last) {
  StubRegion *region = module->stubs;
  size_t page = roundToPages(1);
  if (first == 0)
    writeStubHeader(reinterpret_cast<uint8_t *>(region->code), region->code,
                    reinterpret_cast<uint64_t>(region->data));
  size_t perPage = page / kStubBytes, header = kStubHeaderBytes / kStubBytes;
  size_t begin = first ? first * perPage - header : 0,
         end = last * perPage - header;
  if (end > module->siteCount)
    end = module->siteCount;
  for (size_t i = begin; i < end; ++i) {
    auto index = static_cast<uint32_t>(i);
    initialiseData(module, index);
    uint64_t at = stubAddress(module, index);
    writeStub(reinterpret_cast<uint8_t *>(at), at, region->code,
              reinterpret_cast<uint64_t>(&region->data[i]),
              sites[module->firstSite + index]);
  }
}

const void *originalOf(const tprt_site &site) {
  for (const Original &original : site.module()->originals)
    if (original.site == indexOf(&site))
      return reinterpret_cast<const void *>(original.code);
  return nullptr;
}

// In pages of their own: few sites are redirected.
bool makeOriginals(Module *module, const uint32_t *batch, size_t count) {
  Array<uint32_t> wanted;
  for (size_t i = 0; i < count; ++i)
    if (!originalOf(sites[batch[i]]) && !wanted.push(batch[i]))
      return false;
  if (wanted.empty())
    return true;
  size_t bytes = roundToPages(wanted.size() * kStubBytes);
  void *memory = allocateForModule(module, bytes);
  if (!memory)
    return false;
  auto address = reinterpret_cast<uint64_t>(memory);
  for (size_t i = 0; i < wanted.size(); ++i)
    writeOriginal(reinterpret_cast<uint8_t *>(address + i * kStubBytes),
                  address + i * kStubBytes, sites[wanted[i]]);
  if (!makeExecutable(address, bytes))
    return freePages(memory, bytes), false;
  totalBytes += bytes;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!module->originals.push({wanted[i], address + i * kStubBytes}))
      return false;
  return true;
}

bool makeStubs(Module *module, const uint32_t *batch, size_t count) {
  if (!module->stubs && !makeRegion(module))
    return false;
  StubRegion *region = module->stubs;
  if (region->complete)
    return true;
  size_t page = roundToPages(1);
  // 1: asked for and not there; 3: there.
  region->made[0] |= 1;
  for (size_t i = 0; i < count; ++i)
    region->made[(stubAddress(module, batch[i] - module->firstSite) -
                  region->code) /
                 page] |= 1;
  bool all =
      makePages(region->made, region->code, [&](size_t first, size_t last) {
        writePages(module, first, last);
      });
  region->complete = true;
  for (uint8_t state : region->made)
    region->complete &= state == 3;
  return all;
}

} // namespace tprt
