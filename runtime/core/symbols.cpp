// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of sites, from .symtab of the module's file or, in a stripped one, from
// .dynsym. Read once a module, on the first question for a name, with pread
// into memory of our own: a mapped file that shrinks would end in SIGBUS.
#include "core/sites.h"
#include "core/status.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace tprt {

namespace {
struct File {
  int descriptor;
  explicit File(const char *path) : descriptor(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
  bool read(void *out, size_t bytes, uint64_t offset) const {
    auto *to = static_cast<char *>(out);
    while (bytes) {
      ssize_t n = pread(descriptor, to, bytes, static_cast<off_t>(offset));
      if (n <= 0)
        return false;
      to += n;
      offset += static_cast<size_t>(n);
      bytes -= static_cast<size_t>(n);
    }
    return true;
  }
};
} // namespace

// The symbol table to use; SHT_NULL if there is none.
static Elf64_Shdr chooseTable(const Array<Elf64_Shdr> &headers) {
  Elf64_Shdr chosen{};
  for (const Elf64_Shdr &h : headers)
    if (h.sh_type == SHT_SYMTAB || (h.sh_type == SHT_DYNSYM && chosen.sh_type == SHT_NULL))
      chosen = h;
  return chosen;
}

static bool orderByFunction(Module *module) {
  if (!module->byFunction.resize(module->siteCount))
    return false;
  for (uint32_t i = 0; i < module->siteCount; ++i)
    module->byFunction[i] = module->firstSite + i;
  sortIfNeeded(module->byFunction.begin(), module->siteCount, [](uint32_t a, uint32_t b) {
    return sites[a].function != sites[b].function ? sites[a].function < sites[b].function : a < b;
  });
  return true;
}

// First place in byFunction whose site belongs to the function at `address`,
// or siteCount.
static uint32_t findFunction(const Module *module, const uint8_t *address) {
  uint32_t low = 0, high = module->siteCount;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (sites[module->byFunction[middle]].function < address)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < module->siteCount && sites[module->byFunction[low]].function == address;
  return found ? low : module->siteCount;
}

// False: the file has no usable symbols.
static bool loadSymbols(Module *module) {
  File file(module->path);
  Elf64_Ehdr header;
  if (file.descriptor < 0 || !file.read(&header, sizeof header, 0) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  Array<Elf64_Shdr> headers;
  if (!headers.resize(header.e_shnum) ||
      !file.read(headers.begin(), headers.size() * sizeof(Elf64_Shdr), header.e_shoff))
    return false;
  Elf64_Shdr table = chooseTable(headers);
  constexpr uint64_t kSane = uint64_t{1} << 32;
  if (table.sh_type == SHT_NULL || table.sh_link >= headers.size() || table.sh_size > kSane ||
      headers[table.sh_link].sh_size > kSane)
    return false;
  Elf64_Shdr strings = headers[table.sh_link];
  Array<Elf64_Sym> symbols;
  if (!symbols.resize(table.sh_size / sizeof(Elf64_Sym)) ||
      !file.read(symbols.begin(), symbols.size() * sizeof(Elf64_Sym), table.sh_offset))
    return false;
  // One byte more than the file has: the last name ends whatever it says.
  module->stringsBytes = roundToPages(strings.sh_size + 1);
  module->strings = static_cast<char *>(allocatePages(module->stringsBytes));
  if (!module->strings || !file.read(module->strings, strings.sh_size, strings.sh_offset))
    return false;
  for (const Elf64_Sym &symbol : symbols) {
    unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) ||
        symbol.st_name >= strings.sh_size || !module->strings[symbol.st_name])
      continue;
    uint32_t order = findFunction(module, reinterpret_cast<const uint8_t *>(module->base + symbol.st_value));
    if (order == module->siteCount)
      continue;
    if (!module->symbols.push({symbol.st_name, order}))
      return false;
    const uint8_t *function = sites[module->byFunction[order]].function;
    for (uint32_t i = order; i < module->siteCount && sites[module->byFunction[i]].function == function; ++i) {
      const char *&name = sites[module->byFunction[i]].name;
      // Of several names, a global's; local ones come first in a symbol table.
      if (!name || ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
        name = module->strings + symbol.st_name;
    }
  }
  return true;
}

void readSymbols(Module *module) {
  if (module->symbolsRead || module->fault)
    return;
  module->symbolsRead = true;
  if (!orderByFunction(module))
    return;
  if (!loadSymbols(module))
    say(1, "%s: no names for its functions: the file has no readable symbol table (stripped, or replaced since "
           "it was started?); select by address or module", module->path);
}

} // namespace tprt
