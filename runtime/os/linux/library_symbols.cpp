// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See library_symbols.h.
#include "os/linux/library_symbols.h"
#include "base/os_memory.h"

#include <string.h>

namespace tprt {

// glibc's loader replaces the addresses in the dynamic section with addresses
// in memory, except in the kernel's own module. musl's loader does not change
// them.
template <class Type> const Type *LibrarySymbols::at(uint64_t address) const {
  const char *place = reinterpret_cast<const char *>(address);
  return reinterpret_cast<const Type *>(place < start ? base + address : place);
}

LibrarySymbols::LibrarySymbols(const char *header) : start(header) {
  const auto *file = reinterpret_cast<const Elf64_Ehdr *>(header);
  const auto *segments =
      reinterpret_cast<const Elf64_Phdr *>(header + file->e_phoff);
  const Elf64_Phdr *dynamic = nullptr;
  for (uint32_t i = 0; i < file->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0)
      base = header - segments[i].p_vaddr;
    if (segments[i].p_type == PT_DYNAMIC)
      dynamic = &segments[i];
  }
  if (!base || !dynamic)
    return;
  const auto *entry =
      reinterpret_cast<const Elf64_Dyn *>(base + dynamic->p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    uint64_t value = entry->d_un.d_ptr;
    switch (entry->d_tag) {
    case DT_SYMTAB:
      symbols = at<Elf64_Sym>(value);
      break;
    case DT_STRTAB:
      strings = at<char>(value);
      break;
    case DT_VERSYM:
      versions = at<uint16_t>(value);
      break;
    case DT_GNU_HASH:
      gnuHash = at<uint32_t>(value);
      break;
    case DT_HASH:
      hash = at<uint32_t>(value);
      break;
    }
  }
}

bool LibrarySymbols::isNamed(uint32_t index, const char *name) const {
  constexpr uint16_t kHidden = 0x8000; // not the default version
  const Elf64_Sym &symbol = symbols[index];
  return symbol.st_shndx != SHN_UNDEF &&
         ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
         !(versions && versions[index] & kHidden) &&
         strcmp(strings + symbol.st_name, name) == 0;
}

// The layout of such a table: the number of buckets, the first symbol in the
// table, the number of the filter's words, the filter's shift; then the filter;
// then the buckets; then a hash for each symbol, whose lowest bit is set at the
// end of a bucket.
void *LibrarySymbols::findByGnuHash(const char *name) const {
  uint32_t value = 5381;
  for (const char *c = name; *c; ++c)
    value = value * 33 + static_cast<uint8_t>(*c);
  uint32_t buckets = gnuHash[0], first = gnuHash[1], filterWords = gnuHash[2];
  const uint32_t *bucket = gnuHash + 4 + 2 * filterWords;
  const uint32_t *hashes = bucket + buckets;
  uint32_t index = buckets ? bucket[value % buckets] : 0;
  if (index < first)
    return nullptr;
  for (;; ++index) {
    uint32_t other = hashes[index - first];
    if ((other | 1) == (value | 1) && isNamed(index, name))
      return const_cast<char *>(base + symbols[index].st_value);
    if (other & 1)
      return nullptr;
  }
}

void *LibrarySymbols::findByHash(const char *name) const {
  uint32_t value = 0;
  for (const char *c = name; *c; ++c) {
    value = (value << 4) + static_cast<uint8_t>(*c);
    uint32_t high = value & 0xf0000000;
    value = (value ^ (high >> 24)) & ~high;
  }
  uint32_t buckets = hash[0];
  const uint32_t *bucket = hash + 2, *actionList = bucket + buckets;
  for (uint32_t index = buckets ? bucket[value % buckets] : 0; index;
       index = actionList[index])
    if (isNamed(index, name))
      return const_cast<char *>(base + symbols[index].st_value);
  return nullptr;
}

void *LibrarySymbols::find(const char *name) const {
  if (!symbols || !strings)
    return nullptr;
  return gnuHash ? findByGnuHash(name) : hash ? findByHash(name) : nullptr;
}

const char *headerBefore(uint64_t address) {
  constexpr uint64_t page = 4096; // the minimum alignment of modules
  constexpr uint64_t widest = 4 << 20;
  uint64_t hole = 0;
  for (uint64_t at = address & ~(page - 1); at && hole < widest; at -= page) {
    const auto *header = reinterpret_cast<const Elf64_Ehdr *>(at);
    if (!isReadable(header)) {
      hole += page;
      continue;
    }
    hole = 0;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
        header->e_ident[EI_CLASS] == ELFCLASS64 &&
        header->e_ehsize == sizeof(Elf64_Ehdr) &&
        header->e_phentsize == sizeof(Elf64_Phdr))
      return reinterpret_cast<const char *>(header);
  }
  return nullptr;
}

} // namespace tprt
