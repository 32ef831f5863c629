// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that llvm-bolt has rewritten; see bolt.h. Called under the lock.
#include "elf/bolt.h"
#include "base/search.h"
#include "elf/elf_file.h"
#include "elf/symbols.h"
#include "threads/status.h"

namespace tprt {

// BOLT puts the moved code into a separate segment. So if a module has only one
// segment of code, like most modules, its file need not be read.
static bool mayBeBolted(const Module *module) {
  unsigned code = 0;
  for (const Segment &s : module->segments)
    code += (s.flags & PF_X) != 0;
  return code > 1;
}

// Handles the points and static branches in a function that has not been moved.
static void clearPoints(Module *module, uint64_t start, uint64_t end) {
  if (!module->pointGroups)
    return;
  uint32_t first = partitionPoint(0, module->siteCount, [&](uint32_t i) {
    return module->origin + sites[module->firstSite + i].sledAt < start;
  });
  for (uint32_t i = first; i < module->siteCount; ++i) {
    const tprt_site &site = sites[module->firstSite + i];
    if (module->origin + site.sledAt >= end)
      break;
    if (!site.isOfFunction())
      module->moved[i] = 0;
  }
}

// If a function's symbol is still in the old section, the function has not been
// moved.
static void clearUnmoved(Module *module, const ElfFile &file, size_t oldText) {
  const Elf64_Shdr *table = file.find(nullptr, SHT_SYMTAB);
  Array<char> bytes;
  if (!table || !file.read(*table, bytes))
    return;
  const auto *symbol = reinterpret_cast<const Elf64_Sym *>(bytes.begin());
  const auto *end = symbol + (bytes.size() - 1) / sizeof *symbol;
  for (; symbol < end; ++symbol) {
    if (symbol->st_shndx != oldText ||
        ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
      continue;
    uint64_t at = module->base + symbol->st_value;
    clearPoints(module, at, at + symbol->st_size);
    for (uint32_t i = functionFrom(module, at); i < module->byFunction.size();
         ++i) {
      uint32_t site = module->byFunction[i];
      if (reinterpret_cast<uint64_t>(sites[site].function()) != at)
        break;
      module->moved[site - module->firstSite] = 0;
    }
  }
}

static bool findMoved(Module *module) {
  ElfFile file(module);
  const Elf64_Shdr *oldText = file.find(".bolt.org.text");
  if (!oldText)
    return false;
  readSymbols(module); // needed for the order of the sites by function
  if (!module->ordered || !module->moved.resize(module->siteCount))
    return false;
  uint64_t start = module->base + oldText->sh_addr;
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    auto sled = reinterpret_cast<uint64_t>(sites[module->firstSite + i].sled());
    module->moved[i] = sled - start < oldText->sh_size;
  }
  clearUnmoved(module, file,
               static_cast<size_t>(oldText - file.sections().begin()));
  size_t moved = 0;
  for (uint8_t one : module->moved)
    moved += one;
  if (moved)
    say(1,
        "%s: BOLT has moved the code of %zu of its %u sled%s, which %s off "
        "(docs/reference/linkers.md)",
        module->path, moved, module->siteCount,
        module->siteCount == 1 ? "" : "s", moved == 1 ? "stays" : "stay");
  return moved;
}

bool isBolted(Module *module) {
  if (!module->boltLooked) {
    module->boltLooked = true;
    if (mayBeBolted(module) && !findMoved(module))
      module->moved.reset();
  }
  return !module->moved.empty();
}

bool movedByBolt(const tprt_site &site) {
  return site.module()->moved[placeOf(site)];
}

bool sawBolt(const Module *module) {
  return ElfFile(module).find(".note.bolt_info");
}

} // namespace tprt
