// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader of run_object.h. The sections of the ELF specification (gABI) that
// it follows: "Program Header", "Program Loading", "Dynamic Section". The
// relocations are those of the psABIs: R_X86_64_RELATIVE (x86-64, 4.4.1) and
// R_AARCH64_RELATIVE (AArch64, 5.7.11), B + A and Delta(S) + A without a
// symbol.
#include "run/load_image.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "run/run_object.h"
#include "text/text_writer.h"

#include <elf.h>
#include <string.h>

namespace tprt {

#if defined(__x86_64__)
static constexpr uint16_t kMachine = EM_X86_64;
static constexpr uint32_t kRelative = 8; // R_X86_64_RELATIVE
#else
static constexpr uint16_t kMachine = EM_AARCH64;
static constexpr uint32_t kRelative = 1027; // R_AARCH64_RELATIVE
#endif

namespace {

struct RunSegment {
  uint64_t address, memory, offset, bytes;
  uint32_t flags;

  bool has(uint64_t at, uint64_t size) const {
    return at >= address && at - address <= memory &&
           size <= memory - (at - address);
  }
};

// A file that is being loaded.
class RunFile {
public:
  RunFile(const void *file, size_t bytes)
      : file(static_cast<const char *>(file)), bytes(bytes) {}
  // Each returns nullptr or a fault. In this order.
  const char *readHeader();
  const char *readSegments();
  const char *readDynamic();
  const char *load(RunImage &to);

private:
  bool isInFile(uint64_t at, uint64_t size) const {
    return at <= bytes && size <= bytes - at;
  }
  template <class T> T at(uint64_t offset) const {
    T value;
    memcpy(&value, file + offset, sizeof value);
    return value;
  }
  // The place in the file of what will be at this address; UINT64_MAX: it is in
  // no file-backed part of a segment.
  uint64_t placeOf(uint64_t address, uint64_t size) const;
  const char *addSegment(const Elf64_Phdr &header);
  const char *noteDynamic(const Elf64_Dyn &entry);
  const char *relocate(uint64_t start) const;
  bool isWritable(uint64_t at) const;

  const char *file;
  size_t bytes;
  Elf64_Ehdr header;
  static constexpr unsigned kMostSegments = 16;
  RunSegment segments[kMostSegments];
  unsigned count = 0;
  uint64_t end = 0; // of the segments' memory
  uint64_t codeStart = 0, codeEnd = 0;
  uint64_t dynamicAt = 0, dynamicBytes = 0;
  uint64_t relocations = 0, relocationBytes = 0;
};

constexpr char kDamaged[] = "the file is damaged or not complete";

const char *RunFile::readHeader() {
  if (!isInFile(0, sizeof header))
    return kDamaged;
  header = at<Elf64_Ehdr>(0);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return "it is no 64-bit ELF file";
  if (header.e_machine != kMachine)
    return "it is for another processor";
  if (header.e_type != ET_DYN)
    return "it is no shared library: link it with -shared";
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !isInFile(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)))
    return kDamaged;
  return nullptr;
}

const char *RunFile::addSegment(const Elf64_Phdr &from) {
  if (!from.p_memsz)
    return nullptr;
  if (from.p_filesz > from.p_memsz || !isInFile(from.p_offset, from.p_filesz) ||
      from.p_vaddr > kMostRunMemory || from.p_memsz > kMostRunMemory)
    return kDamaged;
  if (count == kMostSegments)
    return "it has too many segments";
  const bool isCode = from.p_flags & PF_X;
  if (isCode && from.p_flags & PF_W)
    return "a segment is writable and executable";
  // Segments ascend, and code shares no page with other segments. So no page is
  // writable and executable.
  const uint64_t page = pageBytes();
  const bool sharesNothing =
      count && (isCode || segments[count - 1].flags & PF_X);
  if (from.p_vaddr < end || (sharesNothing && from.p_vaddr / page * page < end))
    return "its segments overlap";
  if (isCode && codeEnd)
    return "it has two segments of code";
  segments[count++] = {from.p_vaddr, from.p_memsz, from.p_offset, from.p_filesz,
                       from.p_flags};
  end = from.p_vaddr + from.p_memsz;
  if (isCode) {
    codeStart = from.p_vaddr;
    codeEnd = from.p_vaddr + from.p_filesz;
  }
  return nullptr;
}

const char *RunFile::readSegments() {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto from = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (from.p_type == PT_TLS)
      return "it has thread-local variables, which handlers cannot have";
    if (from.p_type == PT_DYNAMIC) {
      dynamicAt = from.p_vaddr;
      dynamicBytes = from.p_filesz;
    }
    if (from.p_type != PT_LOAD)
      continue;
    if (const char *fault = addSegment(from))
      return fault;
  }
  return codeEnd ? nullptr : "it has no code";
}

uint64_t RunFile::placeOf(uint64_t address, uint64_t size) const {
  for (unsigned i = 0; i < count; ++i) {
    const RunSegment &in = segments[i];
    if (in.has(address, size) && size <= in.bytes &&
        address - in.address <= in.bytes - size)
      return in.offset + (address - in.address);
  }
  return UINT64_MAX;
}

const char *RunFile::noteDynamic(const Elf64_Dyn &entry) {
  constexpr int64_t kRelrSize = 35; // DT_RELRSZ
  switch (entry.d_tag) {
  case DT_RELA:
    relocations = entry.d_un.d_ptr;
    break;
  case DT_RELASZ:
    relocationBytes = entry.d_un.d_val;
    break;
  case DT_RELAENT:
    if (entry.d_un.d_val != sizeof(Elf64_Rela))
      return kDamaged;
    break;
  case DT_PLTRELSZ:
    if (entry.d_un.d_val)
      return "it calls functions of other files";
    break;
  case DT_INIT:
  case DT_INIT_ARRAYSZ:
    if (entry.d_un.d_val)
      return "it has constructors, which are not run: link it with -nostdlib";
    break;
  case kRelrSize:
    if (entry.d_un.d_val)
      return "its relocations are packed: link it without "
             "-z pack-relative-relocs";
    break;
  default:
    break;
  }
  return nullptr;
}

const char *RunFile::readDynamic() {
  if (!dynamicBytes)
    return nullptr;
  const uint64_t place = placeOf(dynamicAt, dynamicBytes);
  if (place == UINT64_MAX)
    return kDamaged;
  for (uint64_t i = 0; (i + 1) * sizeof(Elf64_Dyn) <= dynamicBytes; ++i) {
    const auto entry = at<Elf64_Dyn>(place + i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL)
      break;
    if (const char *fault = noteDynamic(entry))
      return fault;
  }
  return nullptr;
}

// Whether a word there is in a segment that may be written.
bool RunFile::isWritable(uint64_t at) const {
  for (unsigned i = 0; i < count; ++i)
    if (segments[i].flags & PF_W && segments[i].has(at, sizeof(uint64_t)))
      return true;
  return false;
}

const char *RunFile::relocate(uint64_t start) const {
  if (!relocationBytes)
    return nullptr;
  const uint64_t place = placeOf(relocations, relocationBytes);
  if (place == UINT64_MAX || relocationBytes % sizeof(Elf64_Rela))
    return kDamaged;
  for (uint64_t i = 0; i < relocationBytes; i += sizeof(Elf64_Rela)) {
    const auto each = at<Elf64_Rela>(place + i);
    if (ELF64_R_TYPE(each.r_info) != kRelative || ELF64_R_SYM(each.r_info))
      return "it refers to symbols: compile it with -fvisibility=hidden, and "
             "define all that it uses";
    if (!isWritable(each.r_offset))
      return "it has a relocation outside of its data";
    const uint64_t value = start + static_cast<uint64_t>(each.r_addend);
    memcpy(reinterpret_cast<void *>(start + each.r_offset), &value,
           sizeof value);
  }
  return nullptr;
}

const char *RunFile::load(RunImage &to) {
  const size_t size = roundToPages(end);
  void *pages = allocatePages(size);
  if (!pages)
    return "there is no memory for it";
  to = {reinterpret_cast<uint64_t>(pages), size, codeStart, codeEnd};
  for (unsigned i = 0; i < count; ++i)
    memcpy(reinterpret_cast<void *>(to.start + segments[i].address),
           file + segments[i].offset, segments[i].bytes);
  const char *fault = relocate(to.start);
  // No thread can reach the pages yet. makeExecutable() publishes them to
  // instruction fetches (publishCode()). The attach of a handler synchronises
  // all cores (Batch::prepareStubs()) before an action list leads to its code;
  // docs/explanation/safety.md names the sections of the manuals.
  const uint64_t firstPage = codeStart / pageBytes() * pageBytes();
  if (!fault &&
      !makeExecutable(to.start + firstPage, roundToPages(codeEnd - firstPage)))
    fault = "the system does not allow new code";
  if (fault)
    freeRunImage(to);
  return fault;
}

} // namespace

const char *loadRunImage(const void *file, size_t bytes, RunImage &to) {
  RunFile from(file, bytes);
  to = {};
  const char *fault = from.readHeader();
  if (!fault)
    fault = from.readSegments();
  if (!fault)
    fault = from.readDynamic();
  return fault ? fault : from.load(to);
}

void freeRunImage(RunImage &image) {
  if (image.isLoaded())
    freePages(reinterpret_cast<void *>(image.start), image.bytes);
  image = {};
}

} // namespace tprt
