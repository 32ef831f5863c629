// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of sites, from .symtab of the module's file or, in a stripped one, from
// .dynsym; for functions that have none there, from section tp_names. Read once
// a module, on the first question for a name.
#include "core/elffile.h"
#include "core/sort.h"
#include "core/status.h"

#include <string.h>

namespace tprt {

static bool orderByFunction(Module *module) {
  if (!module->nameAt.resize(module->siteCount) ||
      !module->byFunction.resize(module->siteCount))
    return false;
  for (uint32_t i = 0; i < module->siteCount; ++i)
    module->byFunction[i] = module->firstSite + i;
  heapSort(module->byFunction.begin(), module->siteCount,
           [](uint32_t a, uint32_t b) {
             return sites[a].functionAt != sites[b].functionAt
                        ? sites[a].functionAt < sites[b].functionAt
                        : a < b;
           });
  return true;
}

uint32_t functionFrom(const Module *module, uint64_t address) {
  uint64_t at = address - module->origin;
  uint32_t low = 0, high = module->siteCount;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (sites[module->byFunction[middle]].functionAt < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

namespace {
// Where a function has a name already: another one, a better one, or none.
enum class Name { Another, Better, First };
} // namespace

// Gives the sites of the function at `address` the name at `offset`, if there
// are any. False: no memory.
static bool addName(Module *module, uint64_t address, size_t offset,
                    Name which) {
  uint32_t order = functionFrom(module, address);
  for (uint32_t i = order; i < module->siteCount; ++i) {
    uint32_t index = module->byFunction[i];
    if (module->origin + sites[index].functionAt != address)
      break;
    uint32_t &name = module->nameAt[index - module->firstSite];
    if (i == order) {
      if (name && which == Name::First)
        break;
      if (!module->symbols.push({static_cast<uint32_t>(offset), order}))
        return false;
    }
    if (!name || which == Name::Better)
      name = static_cast<uint32_t>(offset + 1);
  }
  return true;
}

// Labels of the compiler's and the assembler's (.Ltmp0, $x), no function's.
// clang puts one in front of nops that stand before the entry label.
static bool isLabel(const Elf64_Sym &symbol, const char *name) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_NOTYPE &&
         ((name[0] == '.' && name[1] == 'L') || name[0] == '$');
}

// nullptr, or why there are no names.
static const char *loadSymbols(Module *module) {
  ElfFile file(module);
  const Elf64_Shdr *table = file.find(nullptr, SHT_SYMTAB);
  if (!table)
    table = file.find(nullptr, SHT_DYNSYM);
  if (!table || table->sh_link >= file.sections().size())
    return file.fault("its file has no symbol table (stripped?)");
  Array<char> bytes;
  Array<char> &strings = module->strings;
  if (!file.read(*table, bytes) ||
      !file.read(file.sections()[table->sh_link], strings))
    return "its symbol table can't be read";
  const auto *next = reinterpret_cast<const Elf64_Sym *>(bytes.begin());
  const auto *end = next + (bytes.size() - 1) / sizeof *next;
  while (next < end) {
    const Elf64_Sym &symbol = *next++;
    constexpr unsigned kTypes =
        1 << STT_FUNC | 1 << STT_NOTYPE | 1 << STT_GNU_IFUNC;
    if (symbol.st_shndx == SHN_UNDEF ||
        !(kTypes >> ELF64_ST_TYPE(symbol.st_info) & 1) ||
        symbol.st_name >= strings.size() || !strings[symbol.st_name] ||
        isLabel(symbol, strings.begin() + symbol.st_name))
      continue;
    // Of several names, a global's; local ones come first in a symbol table.
    if (!addName(module, module->base + symbol.st_value, symbol.st_name,
                 ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL ? Name::Better
                                                             : Name::Another))
      return "there is no memory for them";
  }
  return nullptr;
}

// Names from tp_names for functions that still have none (docs/table-abi.md).
// False: there are none, or they are no table of names.
static bool loadNames(Module *module) {
  const Array<char> &names = module->names;
  size_t bytes = names.size(), base = module->strings.size();
  // Behind the file's names.
  if (!bytes || base + bytes >= UINT32_MAX ||
      !module->strings.append(names.begin(), bytes))
    return false;
  for (size_t at = 0; at < bytes;) {
    int32_t distance;
    size_t name = at + sizeof distance;
    if (name >= bytes)
      return false;
    memcpy(&distance, names.begin() + at, sizeof distance);
    size_t length = strnlen(names.begin() + name, bytes - name);
    if (length == bytes - name)
      return false;
    if (!addName(module,
                 module->namesAddress + at +
                     static_cast<uint64_t>(int64_t{distance}),
                 base + name, Name::First))
      return false;
    at = name + (length / 4 + 1) * 4;
  }
  return true;
}

void readSymbols(Module *module) {
  if (module->symbolsRead || module->fault)
    return;
  const char *fault = "there is no memory for them";
  bool carried = false;
  if (orderByFunction(module)) {
    fault = loadSymbols(module);
    carried = loadNames(module);
  }
  if (fault && !carried)
    say(1,
        "%s: no names for its functions: %s; select by address or module, or "
        "compile with -ftp-names",
        module->path, fault);
  // Pairs with tprt_site_describe(), which looks without the lock.
  __atomic_store_n(&module->symbolsRead, true, __ATOMIC_RELEASE);
}

} // namespace tprt
