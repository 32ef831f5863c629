// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads section __patchable_function_entries; see patchable_entries.h. The
// section has one absolute address per function: the address of the first of
// its nops. The loader relocates it (GCC manual, "Instrumentation Options",
// -fpatchable-function-entry). The section gives neither the number of nops,
// nor how many of them are before the entry label, nor the function's
// arguments. So the number is read from the code. A symbol must be at the
// address where the nops begin, which shows that no nop is before the label.
// And all registers are preserved when a handler is called.
#include "elf/patchable_entries.h"
#include "elf/elf_file.h"
#include "elf/symbols.h"
#include "modules/sled_table.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

uint32_t findPatchable(const Module *module, const uint64_t **entries) {
  ElfFile file(module);
  const Elf64_Shdr *section = file.find("__patchable_function_entries");
  if (!section || !(section->sh_flags & SHF_ALLOC))
    return 0;
  uint64_t start = module->base + section->sh_addr;
  if (start % sizeof(uint64_t) ||
      !inSegment(module->segments, start, section->sh_size, PF_R) ||
      section->sh_size / sizeof(uint64_t) > UINT32_MAX)
    return 0;
  *entries = reinterpret_cast<const uint64_t *>(start);
  return static_cast<uint32_t>(section->sh_size / sizeof(uint64_t));
}

void fillPatchable(Module *module, const uint64_t *entries, uint32_t count,
                   tprt_site *out) {
  const Segments segments = module->segments;
  for (uint32_t i = 0; i < count; ++i) {
    tprt_site &site = out[i];
    const auto *sled = reinterpret_cast<const uint8_t *>(entries[i]);
    bool inCode = inSegment(segments, entries[i], kPatchableBytes, PF_X | PF_R);
    bool padded = inCode &&
                  inSegment(segments, entries[i] - 4, 4, PF_X | PF_R) &&
                  isLandingPad(sled - 4);
    // If the address is outside the module's code, the site gets no sled, and
    // its address is the module's beginning.
    site.sledAt =
        inCode ? static_cast<uint32_t>(entries[i] - module->origin) : 0;
    site.functionAt = padded ? site.sledAt - 4 : site.sledAt;
    site.moduleNumber = module->number;
    site.needs = TPRT_NEEDS_VEC256 | TPRT_NEEDS_VEC512 | TPRT_NEEDS_SCALABLE |
                 TPRT_NEEDS_OTHER;
    site.event = {&site, TPRT_KIND_ENTRY, TPRT_EVENT_VECTORS};
    if (inCode)
      readPatchable(site);
  }
}

void finishPatchable(Module *module) {
  bool kept = module->nops.resize(module->siteCount);
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    tprt_site &site = sites[module->firstSite + i];
    if (!nameOf(site) || !kept) {
      site.traits = TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, TPRT_SHAPE_PLAIN);
      site.size = 0;
    }
    if (site.shape() != TPRT_SHAPE_PLAIN)
      memcpy(&module->nops[i], site.sled(),
             site.size < sizeof(uint64_t) ? site.size : sizeof(uint64_t));
  }
}

} // namespace tprt
