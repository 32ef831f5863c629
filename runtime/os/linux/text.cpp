// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes code writable, by mprotect or by /proc/self/mem: CodeWriter in
// base/os_text.h. The core calls it in attach and detach, under the runtime's
// lock. Threads execute the code meanwhile.
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/page_size.h"
#include "os/linux/maps.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"
#include "os/linux/thread_barrier.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tprt {

// Whether /proc/self/maps shows that code, such as libtprt's code, is
// executable. In qemu 7.2 for x86-64, /proc/self/maps does not show this.
static bool doMappingsTell() {
  static bool tell, known;
  Array<Mapping> ours;
  auto here = reinterpret_cast<uint64_t>(&doMappingsTell);
  // The result is kept only if the file could be read. Reading may fail
  // temporarily, for example because the process has no free descriptor.
  if (!known && readMappings(here, here + 1, ours)) {
    known = true;
    tell = ours[0].rights & PF_X;
  }
  return tell;
}

// Whether other processes see stores to this page. Called if the kernel's list
// of mappings cannot be read. The kernel maps pages a second time only if they
// are shared (mremap(2), old_size 0).
static bool isShared(uint64_t page) {
  void *twin =
      mremap(reinterpret_cast<void *>(page), 0, pageBytes(), MREMAP_MAYMOVE);
  if (twin == MAP_FAILED)
    return false;
  munmap(twin, pageBytes());
  return true;
}

// Makes the list if the kernel's list of mappings cannot be read: each readable
// page gets the access rights from the file.
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
    else if (!list.push({page, page + pageBytes(), rights, fixed, true}))
      return false;
  }
  return true;
}

// The pages of a segment that the batch may write: pages with its sleds, and
// with the slots and aligned words around these.
//
// The first time, these are all pages of the segment. If the protection of a
// part changes, the kernel splits the mapping in three. The kernel joins the
// three mappings again only if they have the same list of private pages
// (anon_vma). The mappings have the same list if the first write to the segment
// happened while it was one mapping. Otherwise, the three mappings stay split,
// and a process may have only 65,530 mappings.
Extent CodeWriter::partOf(const Segment &segment) const {
  uint64_t start = segment.start, end = segment.end;
  if (code->openedWhole) {
    start = low > start ? low : start;
    end = high < end ? high : end;
  }
  return {start & ~(pageBytes() - 1), roundToPages(end)};
}

// One call copies a byte from each of about a hundred pages to this function,
// and fails if a page cannot be read. A call per page takes five times as long,
// 0.1 ms for the code of 100,000 functions. The pages are the source of the
// copy, because a protection key applies to the source in the same way as to a
// load.
bool areAllReadable(uint64_t start, uint64_t end) {
  constexpr size_t kMany = 32, kAtOnce = 256;
  if (end - start < kMany * pageBytes() || areCallsFiltered())
    return false;
  bool readable = true;
  while (start < end && readable) {
    iovec bytes[kAtOnce];
    char taken[kAtOnce];
    int count = 0;
    for (; start < end && count < static_cast<int>(kAtOnce);
         start += pageBytes())
      bytes[count++] = {reinterpret_cast<void *>(start), 1};
    iovec to = {taken, static_cast<size_t>(count)};
    readable = syscall(SYS_process_vm_writev, syscall(SYS_gettid), bytes, count,
                       &to, 1, 0) == count;
  }
  return readable;
}

// Clears the rights of pages that cannot be read although the kernel's list of
// mappings says so:
//  - pages after the end of a file that was cut;
//  - guard pages (MADV_GUARD_INSTALL);
//  - pages of a protection key (pkeys(7)).
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
    // The rest is inserted directly after its first part, because the list is
    // in ascending order.
    if (!list.push(rest))
      return false;
    for (size_t j = list.size() - 1; j > i + 1; --j) {
      list[j] = list[j - 1];
      list[j - 1] = rest;
    }
  }
  return true;
}

// Whether the kernel lets this thread copy the byte at `address` to itself. An
// emulator may not have the system call; then the byte is copied through a
// pipe. An emulator also keeps pages read-only while it translates them for
// another thread, so several attempts may be needed.
static bool takesOwnByte(void *address) {
  constexpr int kTries = 100;
  if (areCallsFiltered())
    return false;
  iovec byte = {address, 1};
  if (syscall(SYS_process_vm_readv, syscall(SYS_gettid), &byte, 1, &byte, 1,
              0) == 1)
    return true;
  int ends[2];
  if (errno == EFAULT || !pipeRaised(ends, O_NONBLOCK))
    return false;
  bool taken = false;
  if (write(ends[1], address, 1) == 1)
    for (int tries = 0; tries < kTries && !taken; ++tries)
      taken = read(ends[0], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return taken;
}

// Whether this thread may write the word. A protection key may forbid an access
// by one thread that the page tables permit. The test is a futex operation by
// which the kernel adds no bits to the word (OR with 0): it fails with EFAULT
// if the word cannot be written. Under qemu's user-mode emulation, it also
// fails while another thread runs code in the page, because the emulator then
// keeps the page read-only for the kernel. In this case, the second test, by
// other system calls, gives the right result. Without the second test, the code
// would be written through /proc/self/mem, and the emulator would not detect
// the change.
static bool isWritable(void *address) {
  uint32_t own = 0;
  constexpr int kWakeOpPrivate = 5 | 128, kOr = 2 << 28;
  int saved = errno;
  bool writable =
      syscall(SYS_futex, &own, kWakeOpPrivate, 0, nullptr, address, kOr) >= 0 ||
      errno != EFAULT || takesOwnByte(address);
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

// Removes the right to write from a mapping, in two steps if `m` is all of it.
//
// The kernel sets no uprobe in a writable mapping. So if a tracer sets a uprobe
// while a batch has the code open, the tracer gets no hits. The kernel searches
// for uprobes again when it joins two mappings (tried on Linux 6.18). If the
// batch opened a part of a mapping, that part is now joined to the rest again.
// If the batch opened the whole mapping, nothing would be joined. So the first
// page is closed before the other pages, which are then joined to the first
// page.
static bool closeMapping(const Mapping &m, int rights) {
  uint64_t at = m.start;
  if (m.whole && m.end - at > pageBytes() &&
      mprotect(reinterpret_cast<void *>(at), pageBytes(), rights) == 0)
    at += pageBytes();
  return mprotect(reinterpret_cast<void *>(at), m.end - at, rights) == 0;
}

static bool openMapping(const Mapping &m, int rights) {
  return mprotect(reinterpret_cast<void *>(m.start), m.end - m.start,
                  rights | PROT_WRITE) == 0 &&
         isWritable(reinterpret_cast<void *>(m.start));
}

// Sets the module's code to its usual protection, with or without write access.
// The code stays executable, and guarded, at all times, because threads are
// running in it. These mappings are not changed:
//  - mappings that are already writable;
//  - mappings that cannot be read;
//  - mappings that must not be written (`fixed`).
enum class Protection { Usual, Open };
static bool protect(const CodeMemory *module, Protection protection) {
  bool done = true;
  for (const Mapping &m : module->mappings) {
    int rights = (m.rights & PF_R ? PROT_READ : 0) |
                 (m.rights & PF_X ? PROT_EXEC | module->guard : 0);
    if (m.isReadable() && !m.fixed && !(m.rights & PF_W))
      done &= protection == Protection::Open ? openMapping(m, rights)
                                             : closeMapping(m, rights);
  }
  return done;
}

// Makes private copies of all pages in one call, if the batch will write to
// most of them anyway. Otherwise each first write would fault (copy-on-write).
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
  if (writable || memory.isOpen())
    return true;
  noteCodeChange();
  writable = trialOf(Facility::Mprotect) == 0;
  if (writable) {
    if (protect(code, Protection::Open)) {
      copyPages(code, stores);
      return true;
    }
    protect(code, Protection::Usual);
  }
  writable = false;
  // Sealed mappings (mseal), PR_SET_MDWE and SELinux's execmod refuse mprotect.
  // A write through /proc/self/mem makes the private copy of a page
  // automatically.
  memory.open();
  return memory.isOpen();
}

bool CodeWriter::writeMemory(uint64_t address, uint64_t value,
                             unsigned bytes) const {
  return memory.write(address, &value, bytes);
}

// Notes that all of the code was opened once (see partOf()). If the module has
// a second executable segment, that segment may not have been opened, so
// nothing is noted.
void CodeWriter::close() {
  if (writable) {
    int count = 0;
    for (const Segment &s : code->segments)
      count += s.flags & PF_X;
    code->openedWhole |= count == PF_X;
    protect(code, Protection::Usual);
  }
  code->mappings.reset();
  writable = false;
  memory.close();
}

} // namespace tprt
