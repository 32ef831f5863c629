// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module's file; see elf_file.h. Every number in the file is checked
// before it is used, because the file may be damaged, or may not be the one
// that was loaded.
#include "elf/elf_file.h"
#include "base/checksum.h"
#include "base/os_file.h"
#include "modules/module.h"

#include <errno.h>
#include <string.h>

namespace tprt {

ElfFile::ElfFile(const Module *module) : ElfFile(*module, module->path) {
  module->fileMissed |= problem != nullptr;
}

ElfFile::ElfFile(const ModuleFacts &facts, const char *path) {
  if ((problem = openAndCheck(facts, path)))
    headers.clear();
}

ElfFile::~ElfFile() { close(); }

void ElfFile::close() {
  if (descriptor >= 0)
    closeFile(descriptor);
  descriptor = -1;
  segments.clear();
  headers.clear();
}

bool ElfFile::readAt(void *out, size_t bytes, uint64_t offset) const {
  return readFileAt(descriptor, out, bytes, offset);
}

// Compares the notes in memory, including the build-id, with those in the file.
// If a new version is installed while the old one runs, the path refers to a
// file with other names.
bool ElfFile::isBuildOf(const ModuleFacts &facts) const {
  uint64_t sum = 0;
  for (const Elf64_Phdr &p : segments) {
    Array<char> notes;
    if (p.p_type != PT_NOTE)
      continue;
    if (!read(p.p_offset, p.p_filesz, notes))
      return false;
    sum = checksum(notes.begin(), p.p_filesz, sum);
  }
  return sum == facts.noteSum;
}

// Opens the file, and reads its header and its segments.
const char *ElfFile::open(const char *path, bool program, Elf64_Ehdr &header) {
  descriptor = openModuleFile(path, program, &fileBytes);
  if (descriptor == -EMFILE || descriptor == -ENFILE || descriptor == -ENOMEM)
    scarce = -descriptor;
  if (scarce)
    return "its file can't be opened now: out of descriptors or memory";
  if (descriptor < 0 || !readAt(&header, sizeof header, 0))
    return "its file can't be read";
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      !resize(segments, header.e_phnum) ||
      !readAt(segments.begin(), segments.size() * sizeof(Elf64_Phdr),
              header.e_phoff))
    return "its file is not the one that was loaded (replaced since?)";
  return nullptr;
}

const char *ElfFile::openAndCheck(const ModuleFacts &facts, const char *path) {
  Elf64_Ehdr header;
  const char *fault = open(path, facts.executable, header);
  if (!fault && !isBuildOf(facts))
    fault = "its file is not the one that was loaded (replaced since?)";
  if (fault)
    segments.clear();
  return fault || readHeaders(header) ? fault
                                      : "its file has no section headers";
}

// If there are 65,280 sections or more, e_shnum is 0 and e_shstrndx is
// SHN_XINDEX. Their values are then in the first section header (gABI, "ELF
// Header" and "Sections").
bool ElfFile::readHeaders(const Elf64_Ehdr &header) {
  Elf64_Shdr first;
  if (!header.e_shoff || header.e_shentsize != sizeof first ||
      !readAt(&first, sizeof first, header.e_shoff))
    return false;
  uint64_t count = header.e_shnum ? header.e_shnum : first.sh_size;
  uint64_t ofNames =
      header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  return count <= fileBytes / sizeof first && resize(headers, count) &&
         readAt(headers.begin(), headers.size() * sizeof first,
                header.e_shoff) &&
         ofNames < headers.size() && read(headers[ofNames], names);
}

const Elf64_Shdr *ElfFile::find(const char *name, uint32_t type) const {
  for (const Elf64_Shdr &s : headers)
    if (name ? s.sh_name < names.size() &&
                   strcmp(names.begin() + s.sh_name, name) == 0
             : s.sh_type == type)
      return &s;
  return nullptr;
}

bool ElfFile::read(uint64_t offset, uint64_t bytes, Array<char> &out) const {
  // The size is checked first. Otherwise a size beyond the file's end would be
  // allocated and zeroed. resize() zeroes the byte after the last one.
  return offset <= fileBytes && bytes <= fileBytes - offset &&
         resize(out, bytes + 1) && readAt(out.begin(), bytes, offset);
}

bool ElfFile::read(const Elf64_Shdr &section, Array<char> &out) const {
  return section.sh_type != SHT_NOBITS &&
         read(section.sh_offset, section.sh_size, out);
}

// --- symbols ----------------------------------------------------------------

bool ElfFile::findSymbols(uint32_t type, SymbolTable &out) const {
  const Elf64_Shdr *table = find(nullptr, type);
  if (!table)
    return type == SHT_DYNSYM && findDynamicSymbols(out);
  if (table->sh_link >= headers.size())
    return false;
  const Elf64_Shdr &strings = headers[table->sh_link];
  out = {table->sh_offset, table->sh_size / sizeof(Elf64_Sym),
         strings.sh_offset, strings.sh_size};
  return strings.sh_type != SHT_NOBITS;
}

// The offset in the file of the byte that is loaded at this address, relative
// to the module's base; UINT64_MAX if the file does not contain the byte.
uint64_t ElfFile::offsetOf(uint64_t address) const {
  for (const Elf64_Phdr &p : segments)
    if (p.p_type == PT_LOAD && address >= p.p_vaddr &&
        address - p.p_vaddr < p.p_filesz)
      return p.p_offset + (address - p.p_vaddr);
  return UINT64_MAX;
}

// The dynamic section does not give the number of symbols. In a table of type
// DT_GNU_HASH, the last symbol is the end of the last chain.
bool ElfFile::countHashed(uint64_t table, uint64_t &count) const {
  struct {
    uint32_t buckets, firstSymbol, bloomWords, bloomShift;
  } head;
  if (table == UINT64_MAX || !readAt(&head, sizeof head, table))
    return false;
  uint64_t buckets =
      table + sizeof head + uint64_t{head.bloomWords} * sizeof(uint64_t);
  uint64_t bytes = uint64_t{head.buckets} * sizeof(uint32_t);
  Array<char> words;
  if (!read(buckets, bytes, words))
    return false;
  uint32_t last = 0;
  for (uint64_t at = 0; at < bytes; at += sizeof last) {
    uint32_t first;
    memcpy(&first, &words[at], sizeof first);
    last = first > last ? first : last;
  }
  count = head.firstSymbol;
  if (last < head.firstSymbol)
    return true; // every chain is empty
  for (uint64_t at = buckets + bytes;; ++last) {
    uint32_t hash;
    if (!readAt(&hash, sizeof hash,
                at + uint64_t{last - head.firstSymbol} * sizeof hash))
      return false;
    count = uint64_t{last} + 1;
    if (hash & 1)
      return true;
  }
}

// Finds the symbols in the same manner as the loader (gABI, "Dynamic Section").
bool ElfFile::findDynamicSymbols(SymbolTable &out) const {
  uint64_t symbols = UINT64_MAX, strings = UINT64_MAX, bytes = 0;
  uint64_t hash = UINT64_MAX, gnuHash = UINT64_MAX;
  for (const Elf64_Phdr &p : segments) {
    Array<char> entries;
    if (p.p_type != PT_DYNAMIC || !read(p.p_offset, p.p_filesz, entries))
      continue;
    for (size_t at = 0; at + sizeof(Elf64_Dyn) < entries.size();
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn one;
      memcpy(&one, &entries[at], sizeof one);
      uint64_t value = one.d_un.d_val;
      if (one.d_tag == DT_NULL)
        break;
      if (one.d_tag == DT_SYMTAB)
        symbols = offsetOf(value);
      else if (one.d_tag == DT_STRTAB)
        strings = offsetOf(value);
      else if (one.d_tag == DT_STRSZ)
        bytes = value;
      else if (one.d_tag == DT_HASH)
        hash = offsetOf(value);
      else if (one.d_tag == DT_GNU_HASH)
        gnuHash = offsetOf(value);
    }
  }
  uint64_t count;
  uint32_t old[2]; // nbucket and nchain, which is the number of symbols
  if (hash != UINT64_MAX && readAt(old, sizeof old, hash))
    count = old[1];
  else if (!countHashed(gnuHash, count))
    return false;
  out = {symbols, count, strings, bytes};
  return symbols != UINT64_MAX && strings != UINT64_MAX;
}

} // namespace tprt
