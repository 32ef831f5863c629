// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mprotect, /proc/self/mem and stub memory; see text.h.
#include "os/linux/text.h"
#include "core/arch.h"
#include "os/linux/barrier.h"
#include "os/linux/maps.h"
#include "os/linux/output.h"
#include "os/linux/trial.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tprt {

static bool makePresent(uint64_t page) {
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14
#endif
  return madvise(reinterpret_cast<void *>(page), pageBytes(),
                 MADV_POPULATE_WRITE) == 0;
}

// Whether a page can be written now; makes it present if so. EINVAL: "mappings
// with insufficient permissions", or an older kernel.
static bool isWritable(uint64_t page) {
  return makePresent(page) || errno != EINVAL;
}

static bool canAskForPages() {
  static uint8_t ours[1];
  static const bool can =
      makePresent(reinterpret_cast<uint64_t>(ours) & ~(pageBytes() - 1));
  return can;
}

// Whether /proc/self/maps shows of code, such as ours, that it is executable.
// That of qemu 7.2 for x86-64 does not.
static bool doMappingsTell() {
  static bool tell, asked;
  if (!asked) {
    auto here = reinterpret_cast<uint64_t>(&doMappingsTell);
    Array<Segment> ours;
    asked = true;
    tell = readMappings(here, here + 1, ours) && ours[0].flags & PF_X;
  }
  return tell;
}

// Lists a part of the code by its present protection, which need not be the
// file's: another patcher may have made pages writable, and rely on it. A page
// with a sled in it, so readable and executed, is asked for in a tenth of the
// time that /proc/self/maps takes. Where neither tells, the file's headers do.
static bool listPart(const Segment &part, Array<Segment> &list) {
  if (part.start >= part.end)
    return true;
  bool known = !areCallsFiltered() && canAskForPages() &&
               part.end - part.start == pageBytes() && !isWritable(part.start);
  size_t before = list.size();
  if (!known && doMappingsTell() && readMappings(part.start, part.end, list))
    return true;
  return list.resize(before) && list.push(part);
}

// Code stays executable, and guarded, throughout: threads are running in it.
// What is writable, or can't be read, is left alone.
static bool protect(const Module *module, int extra) {
  bool done = true;
  for (const Segment &s : module->opened) {
    int rights = (s.flags & PF_R ? PROT_READ : 0) |
                 (s.flags & PF_X ? PROT_EXEC | module->guard : 0);
    if (rights && !(s.flags & PF_W))
      done &= mprotect(reinterpret_cast<void *>(s.start), s.end - s.start,
                       rights | extra) == 0;
  }
  return done;
}

// Those pages of a segment that the batch writes: with the sleds, the slots
// before them, which a one-byte displacement reaches, and what of an aligned
// word is around either.
//
// But all pages the first time. To change a part splits the mapping in three,
// and the kernel joins them again only if they agree on their list of private
// pages (anon_vma), which a first write somewhere in the whole makes them do.
// Otherwise they stay split for good, and a process may have 65,530 mappings.
Segment TextWriter::partOf(Segment segment) const {
  if (module->openedWhole) {
    uint64_t low = module->origin + first, high = module->origin + last + 16;
    if (low > segment.start + 136)
      segment.start = low - 136;
    if (high < segment.end)
      segment.end = high;
  }
  segment.start &= ~(pageBytes() - 1);
  segment.end = roundToPages(segment.end);
  return segment;
}

bool TextWriter::open() {
  if (writable || memory >= 0)
    return true;
  unsettleCores();
  module->opened.clear();
  writable = trialOf(Facility::Mprotect) == 0;
  size_t bytes = 0;
  for (const Segment &s : module->segments)
    if (s.flags & PF_X && writable) {
      writable = listPart(partOf(s), module->opened);
      bytes += s.end - s.start;
    }
  if (writable) {
    if (protect(module, PROT_WRITE)) {
      // Copy-on-write in one call where a batch will touch most pages anyway.
      module->copied |= stores >= bytes / pageBytes();
      for (const Segment &s : module->opened)
        if (stores >= bytes / pageBytes())
          populatePages(reinterpret_cast<void *>(s.start), s.end - s.start);
      return true;
    }
    protect(module, 0);
  }
  writable = false;
  // Sealed mappings (mseal), PR_SET_MDWE and SELinux's execmod refuse mprotect;
  // a write through /proc/self/mem breaks copy-on-write by itself. Opened for
  // each batch: an inherited descriptor would write the parent's memory.
  if (trialOf(Facility::ProcMem) == 0)
    memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  return memory >= 0;
}

bool TextWriter::writeMemory(uint64_t address, uint64_t value,
                             unsigned bytes) const {
  if (pwrite(memory, &value, bytes, static_cast<off_t>(address)) !=
      static_cast<ssize_t>(bytes))
    return false;
  publishCode(address, bytes);
  return true;
}

bool TextWriter::store(uint64_t address, uint64_t value, unsigned bytes) const {
  if (!writable)
    return writeMemory(address, value, bytes);
  storeWord(address, value, bytes);
  return true;
}

// The whole was written once; where there is a second executable segment, that
// may not have been.
void TextWriter::close() {
  if (writable) {
    int count = 0;
    for (const Segment &s : module->segments)
      count += s.flags & PF_X;
    module->openedWhole |= count == PF_X;
    protect(module, 0);
  }
  module->opened.reset();
  writable = false;
  if (memory >= 0)
    ::close(memory);
  memory = -1;
}

// Where what was writable may not become executable (PR_SET_MDWE, SELinux
// execmem): the same bytes by way of a file mapping that never was writable.
static bool makeExecutableFromFile(uint64_t address, size_t bytes) {
  WriteSignalsBlocked blocked; // RLIMIT_FSIZE is for this file, too
  int file = memfd_create("tprt-stubs", MFD_CLOEXEC);
  if (file < 0)
    return false;
  bool written = pwrite(file, reinterpret_cast<void *>(address), bytes, 0) ==
                 static_cast<ssize_t>(bytes);
  void *mapped =
      written ? mmap(reinterpret_cast<void *>(address), bytes,
                     PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0)
              : MAP_FAILED;
  close(file);
  return mapped != MAP_FAILED;
}

// Where a file may not be that large (RLIMIT_FSIZE): the same bytes through
// /proc/self/mem, to pages that never were writable, which then take the place
// of the others.
static bool makeExecutableByMemory(uint64_t address, size_t bytes) {
  if (trialOf(Facility::ProcMem) != 0)
    return false;
  int memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0)
    return false;
  auto *from = reinterpret_cast<void *>(address);
  void *fresh = mmap(nullptr, bytes, PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool done = fresh != MAP_FAILED &&
              pwrite(memory, from, bytes,
                     static_cast<off_t>(reinterpret_cast<uint64_t>(fresh))) ==
                  static_cast<ssize_t>(bytes) &&
              mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                     from) != MAP_FAILED;
  if (!done && fresh != MAP_FAILED)
    munmap(fresh, bytes);
  close(memory);
  return done;
}

bool makeExecutable(uint64_t address, size_t bytes) {
  unsettleCores();
  if (mprotect(reinterpret_cast<void *>(address), bytes,
               PROT_READ | PROT_EXEC) != 0 &&
      !makeExecutableFromFile(address, bytes) &&
      !makeExecutableByMemory(address, bytes))
    return false;
  publishCode(address, bytes);
  return true;
}

// At the page of `address`, where that may be.
static void *tryMap(uint64_t address, size_t bytes, uint64_t lowest,
                    uint64_t highest) {
  address &= ~(pageBytes() - 1);
  if (address < lowest || address > highest)
    return nullptr;
  // The kernel refuses rather than replaces; kernels before 4.17 take the flag
  // for a hint, so look where it landed.
  auto *wanted = reinterpret_cast<void *>(address);
  void *memory = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == wanted)
    return memory;
  if (memory != MAP_FAILED)
    munmap(memory, bytes);
  return nullptr;
}

void *allocateNear(uint64_t low, uint64_t high, size_t bytes, uint64_t reach) {
  uint64_t page = pageBytes();
  bytes = roundToPages(bytes);
  if (high - low + bytes > reach)
    return nullptr;
  uint64_t lowest = high > reach ? high - reach : page;
  uint64_t highest = low + reach - bytes;
  // Below first: above an executable lies its heap, which grows. Steps away
  // from the module, so that neither heap nor neighbours lose their room. In a
  // second lap, as it is crowded, also the room near the heap.
  const uint64_t kStep = reach >> 7 & ~(page - 1);
  constexpr uint64_t kHeapRoom = uint64_t{1} << 30;
  for (uint64_t way = kStep; way < reach + kHeapRoom; way += kStep) {
    void *memory = tryMap(low - bytes - way, bytes, lowest, highest);
    bool again = way >= reach;
    if (!memory && (again || way >= kHeapRoom))
      memory = tryMap(high + page - 1 + way - (again ? reach : 0), bytes,
                      lowest, highest);
    if (memory)
      return memory;
  }
  return nullptr;
}

} // namespace tprt
