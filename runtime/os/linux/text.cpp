// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mprotect, /proc/self/mem and stub memory; see core/os.h.
#include "core/os.h"
#include "core/plain/pages.h"
#include "os/linux/barrier.h"
#include "os/linux/maps.h"
#include "os/linux/output.h"
#include "os/linux/trial.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tprt {

// Whether /proc/self/maps shows of code, such as ours, that it is executable.
// That of qemu 7.2 for x86-64 does not.
static bool doMappingsTell() {
  static bool tell, known;
  Array<Mapping> ours;
  auto here = reinterpret_cast<uint64_t>(&doMappingsTell);
  // Not for good where it could not be read: descriptors may be short for now.
  if (!known && readMappings(here, here + 1, ours)) {
    known = true;
    tell = ours[0].rights & PF_X;
  }
  return tell;
}

// Whether others see what is stored in this page, where the kernel's list can't
// be had: a mapping may be there a second time only if it is shared (mremap(2),
// old_size 0).
static bool isShared(uint64_t page) {
  void *twin =
      mremap(reinterpret_cast<void *>(page), 0, pageBytes(), MREMAP_MAYMOVE);
  if (twin == MAP_FAILED)
    return false;
  munmap(twin, pageBytes());
  return true;
}

// Where the kernel's list can't be had: what can be read has the file's rights,
// page by page.
static bool guessMappings(uint64_t start, uint64_t end, const Segment &segment,
                          Array<Mapping> &list) {
  for (uint64_t page = start; page < end; page += pageBytes()) {
    uint32_t rights = isReadable(reinterpret_cast<const void *>(page))
                          ? static_cast<uint32_t>(segment.flags)
                          : 0;
    Mapping *last = list.empty() ? nullptr : list.end() - 1;
    bool fixed = rights && isShared(page);
    if (last && last->end == page && last->rights == rights &&
        last->fixed == fixed)
      last->end = page + pageBytes();
    else if (!list.push({page, page + pageBytes(), rights, fixed}))
      return false;
  }
  return true;
}

// Those pages of a segment that the batch may write: with the sleds, and what
// of slots and aligned words is around them.
//
// But all pages the first time. To change a part splits the mapping in three,
// and the kernel joins them again only if they agree on their list of private
// pages (anon_vma), which a first write somewhere in the whole makes them do.
// Otherwise they stay split for good, and a process may have 65,530 mappings.
Extent CodeWriter::partOf(const Segment &segment) const {
  uint64_t start = segment.start, end = segment.end;
  if (code->openedWhole) {
    start = low > start ? low : start;
    end = high < end ? high : end;
  }
  return {start & ~(pageBytes() - 1), roundToPages(end)};
}

// Whether many pages can all be read: a pipe takes a byte of each, some
// hundreds in one call, which fails where one cannot be read. A call for each
// page takes five times as long, 0.1 ms for the code of 100,000 functions.
// False also where this way is not open; then each page is looked at by itself.
static bool areAllReadable(uint64_t start, uint64_t end) {
  constexpr size_t kMany = 32, kAtOnce = 256;
  int ends[2];
  if (end - start < kMany * pageBytes() || areCallsFiltered() ||
      pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return false;
  bool readable = true;
  while (start < end && readable) {
    iovec bytes[kAtOnce];
    char taken[kAtOnce];
    int count = 0;
    for (; start < end && count < static_cast<int>(kAtOnce);
         start += pageBytes())
      bytes[count++] = {reinterpret_cast<void *>(start), 1};
    readable = writev(ends[1], bytes, count) == count &&
               read(ends[0], taken, sizeof taken) == count;
  }
  close(ends[0]);
  close(ends[1]);
  return readable;
}

// What the kernel's list does not tell: pages behind the end of a file that was
// cut, guards (MADV_GUARD_INSTALL), and those of a protection key (pkeys(7)).
static bool leaveOutUnreadable(Array<Mapping> &list) {
  for (size_t i = 0; i < list.size(); ++i) {
    uint64_t at = list[i].start, end = list[i].end;
    if (areAllReadable(at, end))
      continue;
    bool readable = isReadable(reinterpret_cast<const void *>(at));
    for (at += pageBytes(); at < end; at += pageBytes())
      if (isReadable(reinterpret_cast<const void *>(at)) != readable)
        break;
    Mapping rest = list[i];
    if (!readable)
      list[i].rights = 0;
    list[i].end = at < end ? at : end;
    rest.start = at;
    if (at >= end)
      continue;
    // Behind it, as they ascend.
    if (!list.push(rest))
      return false;
    for (size_t j = list.size() - 1; j > i + 1; --j) {
      list[j] = list[j - 1];
      list[j - 1] = rest;
    }
  }
  return true;
}

// A protection key may forbid what the page tables allow, to this thread. Adds
// nothing to the word, in the kernel, which says whether it could.
static bool isWritable(const void *address) {
  uint32_t own = 0;
  constexpr int kWakeOpPrivate = 5 | 128, kOr = 2 << 28;
  int saved = errno;
  bool writable =
      syscall(SYS_futex, &own, kWakeOpPrivate, 0, nullptr, address, kOr) >= 0 ||
      errno != EFAULT;
  errno = saved;
  return writable;
}

bool CodeWriter::look() {
  Array<Mapping> &list = code->mappings;
  list.clear();
  for (const Segment &s : code->segments) {
    Extent part = partOf(s);
    if (!(s.flags & PF_X) || part.start >= part.end)
      continue;
    if (doMappingsTell() && readMappings(part.start, part.end, list))
      continue;
    if (!guessMappings(part.start, part.end, s, list))
      return false;
  }
  return leaveOutUnreadable(list);
}

tprt_refusal CodeWriter::judge(Extent extent) const {
  uint64_t at = extent.start;
  for (const Mapping &m : code->mappings) {
    if (m.end <= at || m.start > at)
      continue;
    if (m.fixed)
      return TPRT_REFUSAL_MAPPING;
    if (!m.isReadable()) // execute-only code
      return TPRT_REFUSAL_PERMISSION;
    at = m.end;
    if (at >= extent.end)
      return TPRT_REFUSAL_NONE;
  }
  return TPRT_REFUSAL_PERMISSION; // not mapped
}

// Code stays executable, and guarded, throughout: threads are running in it.
// What is writable, or can't be read, is left alone; so is what may not be
// written.
static bool protect(const CodeMemory *module, int extra) {
  bool done = true;
  for (const Mapping &m : module->mappings) {
    int rights = (m.rights & PF_R ? PROT_READ : 0) |
                 (m.rights & PF_X ? PROT_EXEC | module->guard : 0);
    if (m.isReadable() && !m.fixed && !(m.rights & PF_W))
      done &= mprotect(reinterpret_cast<void *>(m.start), m.end - m.start,
                       rights | extra) == 0 &&
              (!extra || isWritable(reinterpret_cast<void *>(m.start)));
  }
  return done;
}

// Copy-on-write in one call where a batch will touch most pages anyway.
static void copyPages(const CodeMemory *module, size_t stores) {
  size_t bytes = 0;
  for (const Segment &s : module->segments)
    bytes += s.flags & PF_X ? s.end - s.start : 0;
  if (stores < bytes / pageBytes())
    return;
  module->copied = true;
  for (const Mapping &m : module->mappings)
    if (m.isReadable() && !m.fixed)
      populatePages(reinterpret_cast<void *>(m.start), m.end - m.start);
}

bool CodeWriter::open() {
  if (writable || memory >= 0)
    return true;
  unsettleCores();
  writable = trialOf(Facility::Mprotect) == 0;
  if (writable) {
    if (protect(code, PROT_WRITE)) {
      copyPages(code, stores);
      return true;
    }
    protect(code, 0);
  }
  writable = false;
  // Sealed mappings (mseal), PR_SET_MDWE and SELinux's execmod refuse mprotect;
  // a write through /proc/self/mem breaks copy-on-write by itself. Opened for
  // each batch: an inherited descriptor would write the parent's memory.
  if (trialOf(Facility::ProcMem) == 0)
    memory = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  return memory >= 0;
}

bool CodeWriter::writeMemory(uint64_t address, uint64_t value,
                             unsigned bytes) const {
  return pwrite(memory, &value, bytes, static_cast<off_t>(address)) ==
         static_cast<ssize_t>(bytes);
}

// The whole was written once; where there is a second executable segment, that
// may not have been.
void CodeWriter::close() {
  if (writable) {
    int count = 0;
    for (const Segment &s : code->segments)
      count += s.flags & PF_X;
    code->openedWhole |= count == PF_X;
    protect(code, 0);
  }
  code->mappings.reset();
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
  ssize_t count = pwrite(file, reinterpret_cast<void *>(address), bytes, 0);
  if (count < 0)
    blocked.noteFailure(errno);
  bool written = count == static_cast<ssize_t>(bytes);
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

bool protectCode(uint64_t address, size_t bytes) {
  unsettleCores();
  return mprotect(reinterpret_cast<void *>(address), bytes,
                  PROT_READ | PROT_EXEC) == 0 ||
         makeExecutableFromFile(address, bytes) ||
         makeExecutableByMemory(address, bytes);
}

// At exactly this address. The kernel refuses rather than replaces; kernels
// before 4.17 take the flag for a hint, so look where it landed.
static void *mapExactly(uint64_t start, size_t bytes, int rights) {
  auto *wanted = reinterpret_cast<void *>(start);
  void *memory = mmap(wanted, bytes, rights,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == wanted)
    return memory;
  if (memory != MAP_FAILED)
    munmap(memory, bytes);
  return nullptr;
}

bool reserveExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_NONE);
}

// By mmap: where mprotect is forbidden, this may not be.
bool makeWritable(uint64_t start, size_t bytes) {
  return mmap(reinterpret_cast<void *>(start), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// At the page of `address`, where that may be.
static void *tryMap(uint64_t address, size_t bytes, uint64_t lowest,
                    uint64_t highest) {
  address &= ~(pageBytes() - 1);
  if (address < lowest || address > highest)
    return nullptr;
  return mapExactly(address, bytes, PROT_READ | PROT_WRITE);
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
