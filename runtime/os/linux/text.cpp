// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes code writable, by mprotect or by /proc/self/mem, and gets memory for
// stubs; see base/os_text.h. The core calls it in attach and detach, under the
// runtime's lock. Threads execute the code meanwhile.
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/page_size.h"
#include "os/linux/copied_output.h"
#include "os/linux/maps.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"
#include "os/linux/thread_barrier.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

static MemoryFile *openFiles;
// How many ancestors of this process, by fork and including this process, have
// called reopenInChild().
static uint32_t reopened;

// A signal handler may fork at any moment during this function.
void MemoryFile::open() {
  if (isOpen() || trialOf(Facility::ProcMem) != 0)
    return;
  next = openFiles;
  openFiles = this;
  uint32_t before;
  do {
    if (isOpen())
      ::close(file);
    before = __atomic_load_n(&reopened, __ATOMIC_RELAXED);
    __atomic_store_n(&file, openOwn("mem", O_RDWR), __ATOMIC_RELAXED);
  } while (before != __atomic_load_n(&reopened, __ATOMIC_RELAXED));
  if (!isOpen())
    close();
}

bool MemoryFile::write(uint64_t address, const void *bytes,
                       size_t count) const {
  return isOpen() && pwrite(file, bytes, count, static_cast<off_t>(address)) ==
                         static_cast<ssize_t>(count);
}

void MemoryFile::close() {
  MemoryFile **link = &openFiles;
  while (*link && *link != this)
    link = &(*link)->next;
  if (*link)
    *link = next;
  if (isOpen())
    ::close(file);
  file = -1;
}

// The numbers stay the same, because an interrupted call may be about to use a
// number.
void MemoryFile::reopenInChild() {
  ++reopened;
  for (MemoryFile *one = openFiles; one; one = one->next) {
    if (!one->isOpen())
      continue;
    int fresh = openOwn("mem", O_RDWR);
    if (fresh < 0 || dup3(fresh, one->file, O_CLOEXEC) < 0)
      ::close(one->file); // so that no write reaches the parent
    if (fresh >= 0)
      ::close(fresh);
  }
}

bool writeUnreached(uint64_t address, const void *bytes, size_t count) {
  const uint64_t start = address & ~(pageBytes() - 1);
  auto *pages = reinterpret_cast<void *>(start);
  const size_t size = roundToPages(address + count - start);
  if (trialOf(Facility::Mprotect) != 0 ||
      mprotect(pages, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  memcpy(reinterpret_cast<void *>(address), bytes, count);
  return mprotect(pages, size, PROT_READ | PROT_EXEC) == 0;
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

// Makes pages executable on systems where writable memory may not become
// executable (PR_SET_MDWE, SELinux execmem). The bytes are written to a file,
// and the pages are replaced by a mapping of that file, which was never
// writable.
static bool makeExecutableFromFile(uint64_t address, size_t bytes) {
  WriteSignalsBlocked blocked; // RLIMIT_FSIZE also applies to this file
  int file = makeRaisedMemory("tprt-stubs", 0);
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

// Makes pages executable if RLIMIT_FSIZE forbids a file of this size. The bytes
// are written through /proc/self/mem to pages that were never writable, which
// then replace the original pages.
static bool makeExecutableByMemory(uint64_t address, size_t bytes) {
  MemoryFile memory;
  memory.open();
  if (!memory.isOpen())
    return false;
  auto *from = reinterpret_cast<void *>(address);
  void *fresh = mmap(nullptr, bytes, PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool done = fresh != MAP_FAILED &&
              memory.write(reinterpret_cast<uint64_t>(fresh), from, bytes) &&
              mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                     from) != MAP_FAILED;
  if (!done && fresh != MAP_FAILED)
    munmap(fresh, bytes);
  memory.close();
  return done;
}

bool protectCode(uint64_t address, size_t bytes) {
  noteCodeChange();
  int fault = trialOf(Facility::MakeExecutable);
  if (!fault && mprotect(reinterpret_cast<void *>(address), bytes,
                         PROT_READ | PROT_EXEC) != 0)
    fault = errno;
  if (!fault || makeExecutableFromFile(address, bytes) ||
      makeExecutableByMemory(address, bytes))
    return true;
  errno = fault;
  return false;
}

// Maps memory at exactly this address, and never over another mapping. Kernels
// before 4.17 do not know MAP_FIXED_NOREPLACE and treat the address as a hint,
// so the result is compared.
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

// How much room below its beginning the main thread's stack may need. This is
// the stack's limit (setrlimit(2), RLIMIT_STACK), which the program may change,
// plus the gap that Linux leaves between a stack and the mapping below it.
// Linux keeps this much room free, but at least 128 MB and at most five sixths
// of the address space (the kernel's mmap_base()). If there is no limit, Linux
// keeps no particular room free. In that case, 1 TiB is assumed, because a
// stack is not larger than memory.
static uint64_t readStackRoom(uint64_t stack) {
  constexpr uint64_t kLeast = uint64_t{128} << 20, kMost = uint64_t{1} << 40;
  const uint64_t guard = 256 * pageBytes();
  const uint64_t space = uint64_t{1} << (64 - __builtin_clzll(stack | 1));
  uint64_t most = space / 6 * 5;
  most = most < kMost ? most : kMost;
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > most - guard)
    return most;
  uint64_t room = limit.rlim_cur + guard;
  return room > kLeast ? room : kLeast;
}

// The program's name lies at the stack's beginning (getauxval(3), AT_EXECFN).
// The heap grows upward from its end (brk(2)), which at first is up to 1 GiB
// after a position-independent program (the Linux kernel's
// arch_randomize_brk()). In programs with frame pointers, the jumps of most
// entries need an address 1.14 GiB after the entry. So less room than 1.14 GiB
// is kept free.
GrowthRoom readGrowthRoom() {
  constexpr uint64_t kHeapRoom = uint64_t{128} << 20;
  static const uint64_t stack = getauxval(AT_EXECFN);
  const uint64_t room = readStackRoom(stack);
  auto heap = static_cast<uint64_t>(syscall(SYS_brk, 0));
  return {stack > room ? stack - room + 1 : 0, stack + pageBytes(), heap,
          heap + kHeapRoom};
}

bool reserveExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_NONE);
}

bool allocateExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_READ | PROT_WRITE);
}

bool allocateCodeExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_READ | PROT_EXEC);
}

// Uses mmap, which may be permitted even if mprotect is forbidden.
bool makeWritable(uint64_t start, size_t bytes) {
  return mmap(reinterpret_cast<void *>(start), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Maps memory at the page of `address`, if that lies in [lowest, highest].
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
  // The room below the module is tried first, because the heap lies above an
  // executable and grows. Each step leads further from the module, so that
  // neighboring modules keep their room. If everything is in use, a second
  // round also tries the room that the heap or the stack may need.
  const uint64_t kStep = reach >> 7 & ~(page - 1);
  const GrowthRoom growing = readGrowthRoom();
  for (bool again = false;; again = true) {
    for (uint64_t way = kStep; way < reach; way += kStep) {
      void *memory = tryMap(low - bytes - way, bytes, lowest, highest);
      uint64_t above = high + page - 1 + way;
      if (!memory && (again || !growing.has(above)))
        memory = tryMap(above, bytes, lowest, highest);
      if (memory)
        return memory;
    }
    if (again)
      return nullptr;
  }
}

} // namespace tprt
