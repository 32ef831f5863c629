// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the targets of calls of profilers; see mcount_calls.h. Relocations with
// the name of a profiler's function give the addresses of the words, even in
// stripped files.
#include "elf/mcount_calls.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "elf/elf_file.h"

#include <string.h>

namespace tprt {

Profiler profilerNamed(const char *name) {
  static constexpr struct {
    const char *name;
    Profiler profiler;
  } kProfilers[] = {
      {"__fentry__", Profiler::Fentry},
      {"mcount", Profiler::Mcount},
      {"_mcount", Profiler::Mcount},
      {"__cyg_profile_func_enter", Profiler::Enter},
      {"__cyg_profile_func_exit", Profiler::Exit},
  };
  for (const auto &one : kProfilers)
    if (strcmp(name, one.name) == 0)
      return one.profiler;
  return Profiler::None;
}

namespace {
struct Symbol {
  uint32_t index;
  Profiler profiler;
};
} // namespace

static bool findSymbols(const ElfFile &file, const Elf64_Shdr &table,
                        Array<Symbol> &out) {
  Array<char> strings, bytes;
  if (table.sh_link >= file.sections().size() ||
      !file.read(file.sections()[table.sh_link], strings) ||
      !file.read(table, bytes))
    return true;
  size_t count = (bytes.size() - 1) / sizeof(Elf64_Sym);
  for (uint32_t i = 0; i < count; ++i) {
    Elf64_Sym symbol;
    memcpy(&symbol, &bytes[i * sizeof symbol], sizeof symbol);
    if (symbol.st_name >= strings.size())
      continue;
    Profiler profiler = profilerNamed(&strings[symbol.st_name]);
    if (profiler != Profiler::None && !out.push({i, profiler}))
      return false;
  }
  return true;
}

static bool addWords(const Module *module, const Array<char> &relocations,
                     const Array<Symbol> &symbols, Array<ProfilerWord> &out) {
  size_t count = (relocations.size() - 1) / sizeof(Elf64_Rela);
  for (size_t i = 0; i < count; ++i) {
    Elf64_Rela one;
    memcpy(&one, &relocations[i * sizeof one], sizeof one);
    for (const Symbol &symbol : symbols)
      if (ELF64_R_SYM(one.r_info) == symbol.index && !one.r_addend &&
          !out.push({module->base + one.r_offset, symbol.profiler}))
        return false;
  }
  return true;
}

// The loader has relocated the section, so its addresses are read from memory.
// Returns false if there is no memory for a list.
static bool addListed(const Module *module, const Elf64_Shdr &section,
                      Array<uint32_t> &out) {
  uint64_t start = module->base + section.sh_addr,
           end = start + section.sh_size;
  constexpr uint64_t kBytes = sizeof(uint64_t);
  for (uint64_t at = start; at + kBytes <= end; at += kBytes) {
    if ((at == start || at % pageBytes() < kBytes) &&
        (!isReadable(reinterpret_cast<const void *>(at)) ||
         !isReadable(reinterpret_cast<const void *>(at + kBytes - 1))))
      return true;
    uint64_t call;
    memcpy(&call, reinterpret_cast<const void *>(at), sizeof call);
    call -= module->origin;
    if (call <= UINT32_MAX && !out.push(static_cast<uint32_t>(call)))
      return false;
  }
  return true;
}

bool findProfilers(const Module *module, ProfilerHints &out) {
  ElfFile file(module);
  const Elf64_Shdr *listed = file.find("__mcount_loc");
  if (listed && listed->sh_flags & SHF_ALLOC &&
      !addListed(module, *listed, out.calls))
    return false;
  const Elf64_Shdr *table = file.find(nullptr, SHT_DYNSYM);
  Array<Symbol> symbols;
  if (!table)
    return file.scarcity() != ENOMEM;
  if (!findSymbols(file, *table, symbols))
    return false;
  auto tableIndex = static_cast<size_t>(table - file.sections().begin());
  Array<char> relocations;
  for (const Elf64_Shdr &section : file.sections())
    if (!symbols.empty() && section.sh_type == SHT_RELA &&
        section.sh_link == tableIndex && file.read(section, relocations) &&
        !addWords(module, relocations, symbols, out.words))
      return false;
  return file.scarcity() != ENOMEM;
}

} // namespace tprt
