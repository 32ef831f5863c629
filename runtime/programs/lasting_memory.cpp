// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the memory that stays readable; see lasting_memory.h.
//
// The loader's list begins with the program and the libraries that the program
// was started with, which dlclose() does not unload. Libraries that dlopen()
// has loaded follow at the end. The loader itself is one of the former, so the
// modules before the loader are, too. If the list has no loader, the program is
// static, and only its own segments are known to stay.
//
// Only segments that the program cannot write are used: a program may protect
// pages of its own data, and rely on the fault. Constants may lie in one
// segment with the code (GNU ld, -z noseparate-code). Execute-only code cannot
// be read by the system call either, so it is never read by loads.
#include "programs/lasting_memory.h"
#include "base/os_loader.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/search.h"
#include "sites/arch.h"
#include "threads/thread_block.h"

namespace tprt {

namespace {
// Whole pages of constants.
struct Range {
  uint64_t start, end;
  uint32_t firstBit; // The bit of its first page in `wasRead`.
};

struct Ranges {
  static constexpr uint32_t kMost = 256;
  Range all[kMost] = {};
  uint32_t count = 0, pages = 0;
  // A bit for each page that was read. Set in hits, and never cleared.
  uint64_t *wasRead = nullptr;

  void add(uint64_t start, uint64_t end);
  const Range *find(uint64_t address) const;
};
} // namespace

// Constant once `isFound` is set, which pairs with the load in bitOf().
static constinit Ranges lasting;
static bool isFound;
bool usesTransactions;

// Keeps the order of addresses. Does nothing if there is no room.
void Ranges::add(uint64_t start, uint64_t end) {
  const uint64_t more = (end - start) / pageBytes();
  if (count == kMost || more > INT32_MAX - pages)
    return;
  uint32_t at = count++;
  for (; at && all[at - 1].start > start; --at)
    all[at] = all[at - 1];
  all[at] = {start, end, pages};
  pages += static_cast<uint32_t>(more);
}

const Range *Ranges::find(uint64_t address) const {
  const uint32_t at = partitionPoint(
      0, count, [&](uint32_t i) { return all[i].end <= address; });
  return at < count && address >= all[at].start ? &all[at] : nullptr;
}

// --- not in hits -------------------------------------------------------------

static void addConstants(const LoadedModule &module, Ranges &ranges) {
  const uint64_t page = pageBytes();
  for (uint32_t i = 0; i < module.headerCount; ++i) {
    const Elf64_Phdr &header = module.headers[i];
    const uint64_t start = module.base + header.p_vaddr;
    if (header.p_type == PT_LOAD && header.p_filesz &&
        (header.p_flags & (PF_R | PF_W)) == PF_R)
      ranges.add(start & ~(page - 1), roundToPages(start + header.p_filesz));
  }
}

// The vdso has no writable data.
static bool isTheLoader(const LoadedModule &module) {
  bool writes = false;
  for (uint32_t i = 0; i < module.headerCount; ++i)
    writes |=
        module.headers[i].p_type == PT_LOAD && module.headers[i].p_flags & PF_W;
  return writes && isSystemsOwn(module.base);
}

// Stops at the loader, and notes that there is one.
static int visit(const LoadedModule &module, void *hasLoader) {
  addConstants(module, lasting);
  return *static_cast<bool *>(hasLoader) = isTheLoader(module);
}

static int visitFirst(const LoadedModule &module, void *) {
  addConstants(module, lasting);
  return 1;
}

void findLastingMemory() {
  // Another thread's programs may run before this thread has found anything:
  // they make more system calls.
  static bool isBegun;
  if (__atomic_exchange_n(&isBegun, true, __ATOMIC_RELAXED))
    return;
  bool hasLoader = false;
  walkLoader(visit, &hasLoader);
  if (!hasLoader) {
    lasting.count = lasting.pages = 0;
    walkLoader(visitFirst, nullptr);
  }
  lasting.wasRead = static_cast<uint64_t *>(
      allocatePages(roundToPages(lasting.pages / 8 + sizeof(uint64_t))));
  __atomic_store_n(&isFound, lasting.wasRead != nullptr, __ATOMIC_RELEASE);
  __atomic_store_n(&usesTransactions, haveTransactions(), __ATOMIC_RELAXED);
}

// --- in hits -----------------------------------------------------------------

namespace {
struct PageBit {
  uint64_t *word; // nullptr: the page is not one of constants.
  uint64_t bit;
};
} // namespace

static PageBit bitOf(uint64_t address) {
  if (!__atomic_load_n(&isFound, __ATOMIC_ACQUIRE))
    return {};
  const Range *range = lasting.find(address);
  if (!range)
    return {};
  const uint64_t at = range->firstBit + (address - range->start) / pageBytes();
  return {lasting.wasRead + at / 64, uint64_t{1} << at % 64};
}

static bool isOnStack(uint64_t address, size_t bytes) {
  const StackRange stack = threadInHandler()->stack;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  return here - stack.low < stack.end - stack.low && address >= here &&
         address < stack.end && stack.end - address >= bytes;
}

Lasts doesLast(uint64_t address, size_t bytes) {
  if (isOnStack(address, bytes))
    return Lasts::Yes;
  // Then constants are read without relying on the program to keep them.
  if (mayUseTransactions())
    return Lasts::No;
  const PageBit page = bitOf(address);
  if (!page.word || address % pageBytes() + bytes > pageBytes())
    return Lasts::No;
  return __atomic_load_n(page.word, __ATOMIC_RELAXED) & page.bit
             ? Lasts::Yes
             : Lasts::IfReadable;
}

void noteReadable(uint64_t address) {
  const PageBit page = bitOf(address);
  if (page.word)
    __atomic_fetch_or(page.word, page.bit, __ATOMIC_RELAXED);
}

} // namespace tprt
