// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the debug file of a stripped file; see openDebugFileOf() in elf_file.h.
// Called under the lock, when names are needed for the first time.
#include "elf/elf_file.h"
#include "modules/module.h"
#include "names/path_glob.h"

#include <string.h>

namespace tprt {

static constexpr char kDebugFolder[] = "/usr/lib/debug";

namespace {
// A path that is built from left to right. If the path becomes too long, it is
// empty.
struct Path {
  char text[4096];
  size_t used = 0;

  Path &add(const char *from, size_t length) {
    if (length >= sizeof text - used) {
      used = sizeof text;
      return *this;
    }
    memcpy(text + used, from, length);
    used += length;
    text[used] = 0;
    return *this;
  }
  Path &add(const char *from) { return add(from, strlen(from)); }
  Path &addHex(const Array<char> &bytes, size_t from, size_t to) {
    static constexpr char kDigits[] = "0123456789abcdef";
    for (size_t i = from; i < to; ++i) {
      auto byte = static_cast<uint8_t>(bytes[i]);
      const char digits[] = {kDigits[byte >> 4], kDigits[byte & 15]};
      add(digits, sizeof digits);
    }
    return *this;
  }
  bool fits() const { return used < sizeof text; }
};
} // namespace

// Finds the build-id in notes (gABI, "Note Section"). Fields of notes are
// padded to 4 bytes, or in segments with an alignment of 8 to 8 bytes.
static bool addBuildId(const Array<char> &notes, uint64_t alignment,
                       Array<char> &out) {
  size_t end = notes.size() - 1, unit = alignment == 8 ? 8 : 4;
  auto padded = [unit](size_t bytes) {
    return (bytes + unit - 1) & ~(unit - 1);
  };
  Elf64_Nhdr head;
  for (size_t at = 0; at < end && end - at >= sizeof head;) {
    memcpy(&head, &notes[at], sizeof head);
    size_t name = at + sizeof head, id = name + padded(head.n_namesz);
    if (id > end || head.n_descsz > end - id)
      return false;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" &&
        memcmp(&notes[name], "GNU", sizeof "GNU") == 0)
      return out.append(&notes[id], head.n_descsz);
    at = id + padded(head.n_descsz);
  }
  return false;
}

void ElfFile::readBuildId(Array<char> &out) const {
  Array<char> notes;
  const Elf64_Shdr *section = find(".note.gnu.build-id");
  if (section && read(*section, notes) &&
      addBuildId(notes, section->sh_addralign, out))
    return;
  for (const Elf64_Phdr &p : segments)
    if (p.p_type == PT_NOTE && read(p.p_offset, p.p_filesz, notes) &&
        addBuildId(notes, p.p_align, out))
      return;
}

// The CRC of .gnu_debuglink: the one of IEEE 802.3, like zlib's crc32().
bool ElfFile::hasChecksum(uint32_t sum) const {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (unsigned bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
    table[i] = value;
  }
  constexpr size_t kPart = 65536;
  Array<char> part;
  if (!part.resize(kPart))
    return false;
  uint32_t now = ~0u;
  for (uint64_t at = 0; at < fileBytes; at += kPart) {
    size_t bytes = fileBytes - at < kPart ? fileBytes - at : kPart;
    if (!readAt(part.begin(), bytes, at))
      return false;
    for (size_t i = 0; i < bytes; ++i)
      now = now >> 8 ^
            table[static_cast<uint8_t>(now ^ static_cast<uint8_t>(part[i]))];
  }
  return ~now == sum;
}

// The build-id decides whether the file is the right one. If there is no
// build-id, the checksum decides.
bool ElfFile::tryDebugFile(const char *path, const Array<char> &buildId,
                           const uint32_t *sum) {
  Elf64_Ehdr header;
  Array<char> own;
  SymbolTable symbols;
  bool isIt = !open(path, false, header) && readHeaders(header) &&
              findSymbols(SHT_SYMTAB, symbols);
  if (isIt && !buildId.empty()) {
    readBuildId(own);
    isIt = own.size() == buildId.size() &&
           memcmp(own.begin(), buildId.begin(), own.size()) == 0;
  } else if (isIt) {
    isIt = sum && hasChecksum(*sum);
  }
  if (isIt)
    problem = nullptr;
  else
    close();
  return isIt;
}

bool ElfFile::openDebugFileOf(const Module *module, const ElfFile &file) {
  Array<char> buildId, link;
  file.readBuildId(buildId);
  if (buildId.size() > 1) {
    Path path;
    path.add(kDebugFolder).add("/.build-id/").addHex(buildId, 0, 1).add("/");
    path.addHex(buildId, 1, buildId.size()).add(".debug");
    if (path.fits() && tryDebugFile(path.text, buildId, nullptr))
      return true;
  }
  // The file's name, padding to 4 bytes, and the checksum.
  const Elf64_Shdr *section = file.find(".gnu_debuglink");
  uint32_t sum;
  if (!section || !file.read(*section, link))
    return false;
  const char *name = link.begin();
  size_t at = (strlen(name) + 4) & ~size_t{3};
  if (!*name || strchr(name, '/') || at + sizeof sum >= link.size())
    return false;
  memcpy(&sum, name + at, sizeof sum);
  auto folder = static_cast<size_t>(fileNameOf(module->path) - module->path);
  static constexpr const char *kPlaces[][2] = {
      {"", ""}, {"", ".debug/"}, {kDebugFolder, ""}};
  for (const auto &[before, after] : kPlaces) {
    Path path;
    path.add(before).add(module->path, folder).add(after).add(name);
    if (path.fits() && tryDebugFile(path.text, buildId, &sum))
      return true;
  }
  return false;
}

} // namespace tprt
