// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the making of sites from a loaded module. The input is the program
// headers, six bytes each, and the memory that they describe. walk.cpp is built
// with dl_iterate_phdr renamed, so that it calls a function of this file. No
// byte outside of the memory may be read. Every site must lie in code, and
// after the site before it.
#include "elf/symbols.h"
#include "loader/loader_walk.h"
#include "loader/module_list.h"
#include "modules/point_groups.h"
#include "modules/point_table.h"

#include <cstdlib>
#include <cstring>
#include <link.h>
#include <memory>

using namespace tprt;

namespace {
dl_phdr_info reported; // dlpi_phnum 0 means that no module is loaded
uint64_t generation = 1;
} // namespace

extern "C" int fuzz_iterate_phdr(int (*visit)(dl_phdr_info *, size_t, void *),
                                 void *data) {
  reported.dlpi_name = "";
  // Reports that one module was unloaded, and one loaded.
  reported.dlpi_adds = reported.dlpi_subs = generation;
  return visit(&reported, sizeof reported, data);
}

static void adopt() {
  ++generation;
  if (!walkModules(false))
    abort();
}

static bool inCode(const Module *module, uint64_t start, uint64_t bytes) {
  for (const Segment &s : module->segments)
    if (s.flags & PF_X && start >= s.start && start <= s.end &&
        bytes <= s.end - start)
      return true;
  return false;
}

// Reads the texts, like code that lists points.
static void checkPoint(const Module *module, const tprt_site &site) {
  const tprt_descriptor &descriptor = descriptorOf(site);
  size_t length = strlen(nameOf(descriptor)) + strlen(formatOf(descriptor)) +
                  strlen(fileOf(descriptor)) + strlen(typesOf(descriptor));
  if (length > bytesOf(descriptor) ||
      (site.isStaticBranch() &&
       !inCode(module, module->origin + site.targetAt(), 1)))
    abort();
  const PointGroup &group = module->pointGroups->groups[site.pointGroup];
  bool found = false;
  for (uint32_t at = group.sleds; at < group.end; ++at)
    found |= module->pointGroups->places[at] == placeOf(site);
  if (!found)
    abort();
}

static void check(Module *module) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    const tprt_site &site = sites[module->firstSite + i];
    auto sled = reinterpret_cast<uint64_t>(site.sled());
    if (site.module() != module || sled <= last ||
        !inCode(module, sled, site.size))
      abort();
    last = sled;
    if (site.isOfFunction()) {
      auto function = reinterpret_cast<uint64_t>(site.function());
      if (!inCode(module, function - site.slot, site.slot))
        abort();
    } else {
      checkPoint(module, site);
    }
  }
  if (!module->names.empty())
    readSymbols(module);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  constexpr size_t kHeader = 6, kMost = 8;
  size_t count = bytes ? data[0] % (kMost + 1) : 0;
  if (bytes <= 1 + count * kHeader || !initialise())
    return 0;
  const uint8_t *from = data + 1 + count * kHeader;
  size_t size = bytes - 1 - count * kHeader;
  // The block on the heap has exactly this size, so reading one byte too far is
  // detected.
  std::unique_ptr<uint64_t[]> memory(new uint64_t[(size + 7) / 8]);
  memcpy(memory.get(), from, size);
  ElfW(Phdr) headers[kMost] = {};
  for (size_t i = 0; i < count; ++i) {
    static constexpr uint32_t kinds[] = {PT_LOAD, PT_NOTE, 0x6474e553};
    const uint8_t *header = data + 1 + i * kHeader;
    headers[i].p_type = kinds[header[0] % 3];
    headers[i].p_flags = header[1] % 8;
    headers[i].p_vaddr = (header[2] | header[3] << 8) % size;
    headers[i].p_memsz = header[4] | header[5] << 8;
    // The loaded memory exists. All other contents of the headers may be false.
    if (headers[i].p_type == PT_LOAD)
      headers[i].p_memsz %= size - headers[i].p_vaddr + 1;
  }
  reported.dlpi_addr = reinterpret_cast<uint64_t>(memory.get());
  reported.dlpi_phdr = headers;
  reported.dlpi_phnum = static_cast<ElfW(Half)>(count);
  adopt();
  size_t known = 0;
  for (Module *m = modules; m; m = m->next, ++known)
    if (m->loaded)
      check(m);
  // Only one module is loaded at a time. The list has at most one module for
  // each number of records that fits.
  if (known > 4096 / sizeof(tprt_point_sled_record))
    abort();
  reported.dlpi_phnum = 0;
  adopt();
  return 0;
}
