// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module's file; see elffile.h. Every number in the file is checked
// before it is used, because the file may be damaged, or may not be the one
// that was loaded.
#include "core/elffile.h"
#include "core/module.h"
#include "core/os.h"

#include <errno.h>
#include <string.h>

namespace tprt {

ElfFile::ElfFile(const Module *module) {
  if ((problem = openAndCheck(module)))
    headers.clear();
}

ElfFile::~ElfFile() {
  if (descriptor >= 0)
    closeFile(descriptor);
}

bool ElfFile::readAt(void *out, size_t bytes, uint64_t offset) const {
  return readFileAt(descriptor, out, bytes, offset);
}

// Compares the notes in memory, the build-id among them, with those in the
// file. If a new version is installed while the old one runs, the path has a
// file with other names.
bool ElfFile::isBuildOf(const Module *module, const Elf64_Ehdr &header) const {
  uint64_t sum = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr p;
    if (!readAt(&p, sizeof p, header.e_phoff + i * sizeof p))
      return false;
    Array<char> notes;
    if (p.p_type != PT_NOTE)
      continue;
    if (!read(p.p_offset, p.p_filesz, notes))
      return false;
    sum = checksum(notes.begin(), p.p_filesz, sum);
  }
  return sum == module->noteSum;
}

const char *ElfFile::openAndCheck(const Module *module) {
  descriptor = openModuleFile(module->path, module->executable, &fileBytes);
  if (descriptor == -EMFILE || descriptor == -ENFILE || descriptor == -ENOMEM)
    scarce = -descriptor;
  if (scarce)
    return "its file can't be opened now, for want of descriptors or memory";
  Elf64_Ehdr header;
  if (descriptor < 0 || !readAt(&header, sizeof header, 0))
    return "its file can't be read";
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr) || !isBuildOf(module, header))
    return "its file is not the one that was loaded (replaced since?)";
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      !resize(headers, header.e_shnum) ||
      !readAt(headers.begin(), headers.size() * sizeof(Elf64_Shdr),
              header.e_shoff) ||
      header.e_shstrndx >= headers.size() ||
      !read(headers[header.e_shstrndx], names))
    return "its file has no section headers";
  return nullptr;
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
  // The size is checked first, because otherwise whatever a section claims
  // beyond the file would be allocated and zeroed. resize() zeroes the byte
  // behind the last.
  return offset <= fileBytes && bytes <= fileBytes - offset &&
         resize(out, bytes + 1) && readAt(out.begin(), bytes, offset);
}

bool ElfFile::read(const Elf64_Shdr &section, Array<char> &out) const {
  return section.sh_type != SHT_NOBITS &&
         read(section.sh_offset, section.sh_size, out);
}

} // namespace tprt
