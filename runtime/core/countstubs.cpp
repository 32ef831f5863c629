// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See countstubs.h.
#include "core/countstubs.h"
#include "core/stubs.h"
#include "core/threads.h"
#include "os/linux/text.h"

namespace tprt {

static size_t totalBytes;

size_t countStubBytes() { return totalBytes; }

static CountRegion *makeRegion(const Module *module) {
  size_t codeBytes = roundToPages(size_t{module->siteCount} * kCountStubBytes);
  size_t bytes =
      codeBytes + roundToPages(size_t{module->siteCount} * sizeof(int32_t));
  auto *region = static_cast<CountRegion *>(allocateSmall(sizeof(CountRegion)));
  void *memory = region ? allocateForModule(module, bytes) : nullptr;
  if (!memory || !region->made.resize(codeBytes / roundToPages(1))) {
    if (memory)
      freePages(memory, bytes);
    if (region)
      freeSmall(region, sizeof(CountRegion));
    return nullptr;
  }
  region->code = reinterpret_cast<uint64_t>(memory);
  region->words = reinterpret_cast<int32_t *>(region->code + codeBytes);
  region->bytes = bytes;
  totalBytes += bytes;
  return region;
}

void freeCountStubs(Module *module) {
  CountRegion *region = module->counting;
  if (!region)
    return;
  module->counting = nullptr;
  totalBytes -= region->bytes;
  freePages(reinterpret_cast<void *>(region->code), region->bytes);
  region->~CountRegion();
  freeSmall(region, sizeof(CountRegion));
}

void makeCountStubs(Module *module, const uint32_t *batch, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count && !any; ++i)
    any = canCountInStub(sites[batch[i]]);
  // Code larger than the reach has to do without.
  any &= module->stubs->count == module->siteCount;
  if (!any || (!module->counting && !(module->counting = makeRegion(module))))
    return;
  CountRegion *region = module->counting;
  size_t page = roundToPages(1), perPage = page / kCountStubBytes;
  for (size_t i = 0; i < count; ++i)
    region->made[(batch[i] - module->firstSite) / perPage] |= 1;
  makePages(region->made, region->code, [&](size_t first, size_t last) {
    size_t end = last * perPage;
    if (end > module->siteCount)
      end = module->siteCount;
    for (size_t i = first * perPage; i < end; ++i) {
      const tprt_site &site = sites[module->firstSite + i];
      uint64_t at = region->code + i * kCountStubBytes;
      if (canCountInStub(site))
        writeCountStub(reinterpret_cast<uint8_t *>(at), at,
                       reinterpret_cast<uint64_t>(&region->words[i]),
                       stubOf(site), site);
    }
  });
}

uint64_t countStubOf(const tprt_site &site) {
  const CountRegion *region = site.module()->counting;
  if (!region)
    return 0;
  size_t at = size_t{placeOf(site)} * kCountStubBytes;
  bool made = region->made[at / roundToPages(1)] == 3;
  return made && canCountInStub(site) ? region->code + at : 0;
}

void letCount(const tprt_site &site, bool may) {
  CountRegion *region = site.module()->counting;
  if (region)
    __atomic_store_n(&region->words[placeOf(site)],
                     may ? countWord(indexOf(&site)) : 0, __ATOMIC_RELEASE);
}

} // namespace tprt
