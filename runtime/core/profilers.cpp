// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of profilers lead to; see profilers.h. Relocations with the name
// of such a function say where the words are, in stripped files, too.
#include "core/profilers.h"
#include "core/elffile.h"

#include <string.h>

namespace tprt {

bool namesProfiler(const char *name) { return strcmp(name, "__fentry__") == 0; }

// Adds the indices of the profilers' symbols.
static bool findSymbols(const ElfFile &file, const Elf64_Shdr &table,
                        Array<uint32_t> &out) {
  Array<char> strings, bytes;
  if (table.sh_link >= file.sections().size() ||
      !file.read(file.sections()[table.sh_link], strings) ||
      !file.read(table, bytes))
    return true;
  size_t count = (bytes.size() - 1) / sizeof(Elf64_Sym);
  for (uint32_t i = 0; i < count; ++i) {
    Elf64_Sym symbol;
    memcpy(&symbol, &bytes[i * sizeof symbol], sizeof symbol);
    if (symbol.st_name < strings.size() &&
        namesProfiler(&strings[symbol.st_name]) && !out.push(i))
      return false;
  }
  return true;
}

static bool addWords(const Module *module, const Array<char> &relocations,
                     const Array<uint32_t> &symbols, Array<uint64_t> &out) {
  size_t count = (relocations.size() - 1) / sizeof(Elf64_Rela);
  for (size_t i = 0; i < count; ++i) {
    Elf64_Rela one;
    memcpy(&one, &relocations[i * sizeof one], sizeof one);
    for (uint32_t symbol : symbols)
      if (ELF64_R_SYM(one.r_info) == symbol && !one.r_addend &&
          !out.push(module->base + one.r_offset))
        return false;
  }
  return true;
}

bool findProfilerWords(const Module *module, Array<uint64_t> &out) {
  ElfFile file(module);
  const Elf64_Shdr *table = file.find(nullptr, SHT_DYNSYM);
  Array<uint32_t> symbols;
  if (!table)
    return true;
  if (!findSymbols(file, *table, symbols))
    return false;
  auto tableIndex = static_cast<size_t>(table - file.sections().begin());
  Array<char> relocations;
  for (const Elf64_Shdr &section : file.sections())
    if (!symbols.empty() && section.sh_type == SHT_RELA &&
        section.sh_link == tableIndex && file.read(section, relocations) &&
        !addWords(module, relocations, symbols, out))
      return false;
  return true;
}

} // namespace tprt
