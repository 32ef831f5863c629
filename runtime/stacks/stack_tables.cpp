// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stack_tables.h.
#include "stacks/stack_tables.h"
#include "base/os_loader.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/search.h"

#include <string.h>

namespace tprt {

namespace {
// A module with a table.
struct Known {
  uint64_t base;
  const Elf64_Phdr *headers;
  uint32_t headerCount;
  // The lowest address of its segments, and the extent of its code.
  uint64_t origin, codeStart, codeEnd;
  ModuleRows rows;
  void *handle; // Keeps it loaded; nullptr: it stays loaded anyway.
};

// A module that has no table yet.
struct Found {
  uint64_t base;
  const Elf64_Phdr *headers;
  uint32_t headerCount;
  size_t nameAt; // In `names`.
};

struct NewModules {
  Array<Found> all;
  Array<char> names;
  uint64_t loads = 0, unloads = 0;
  bool hasMemory = true;
};
} // namespace

// More modules have no tables: stacks end at them.
static constexpr uint32_t kMostModules = 8192;

// Items are added at the end, and the hits read those before `count`.
static Known *known;
static uint32_t count;
static RowList rowList;
static unsigned users;
// A hit has met code in no table.
static bool isWanted;
// The loader's counts when the tables were complete.
static struct {
  uint64_t loads, unloads;
  bool isValid;
} lastWalk;

// The rows of addresses that hits have looked up: each word is an address, and
// the row's number in the lowest 16 bits. Addresses have 48 bits at most; a
// larger one is not kept. All threads read and write it.
static constexpr unsigned kMemoBits = 13, kNumberBits = 16;
static uint64_t memo[1 << kMemoBits];

static uint64_t &placeInMemo(uint64_t address) {
  return memo[address * 0x9e3779b97f4a7c15 >> (64 - kMemoBits)];
}

// --- not in hits -------------------------------------------------------------

static bool isKnown(const LoadedModule &module) {
  for (uint32_t i = 0; i < count; ++i)
    if (known[i].base == module.base && known[i].headers == module.headers)
      return true;
  return false;
}

static int visit(const LoadedModule &module, void *data) {
  auto &to = *static_cast<NewModules *>(data);
  if (module.counts && lastWalk.isValid && module.loads == lastWalk.loads &&
      module.unloads == lastWalk.unloads)
    return 1;
  to.loads = module.loads, to.unloads = module.unloads;
  if (isKnown(module))
    return 0;
  const char *name = module.name ? module.name : "";
  to.hasMemory = to.all.push({module.base, module.headers, module.headerCount,
                              to.names.size()}) &&
                 to.names.append(name, strlen(name) + 1);
  return !to.hasMemory;
}

// False: the module has gone meanwhile.
static bool keepLoaded(const Found &module, const char *name, void *&handle) {
  handle = nullptr;
  if (!*name || !canUnload() || isSystemsOwn(module.base))
    return true;
  handle = pinLoaded(name, module.base);
  return handle;
}

// False: no memory.
static bool makeTable(const Found &module, Known &to) {
  constexpr size_t kMostSegments = 32;
  Segment segments[kMostSegments];
  size_t segmentCount = 0;
  uint64_t header = 0;
  to.origin = to.codeStart = UINT64_MAX;
  to.codeEnd = 0;
  for (uint32_t i = 0; i < module.headerCount; ++i) {
    const Elf64_Phdr &p = module.headers[i];
    const uint64_t start = module.base + p.p_vaddr, end = start + p.p_memsz;
    if (p.p_type == PT_GNU_EH_FRAME)
      header = start;
    if (p.p_type != PT_LOAD)
      continue;
    to.origin = start < to.origin ? start : to.origin;
    if (p.p_flags & PF_R && segmentCount < kMostSegments)
      segments[segmentCount++] = {start, end, p.p_flags};
    if (!(p.p_flags & PF_X))
      continue;
    to.codeStart = start < to.codeStart ? start : to.codeStart;
    to.codeEnd = end > to.codeEnd ? end : to.codeEnd;
  }
  return !header || readRows(to.origin, header, {segments, segmentCount},
                             rowList, to.rows);
}

static void addModule(const Found &module, const char *name) {
  void *handle;
  if (count == kMostModules || !keepLoaded(module, name, handle))
    return;
  Known &to = known[count];
  memset(static_cast<void *>(&to), 0, sizeof to);
  to.base = module.base;
  to.headers = module.headers;
  to.headerCount = module.headerCount;
  to.handle = handle;
  // Without memory the rows that were made are right, and stacks end at the
  // others.
  makeTable(module, to);
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

static void findModules() {
  NewModules found;
  walkLoader(visit, &found);
  for (const Found &each : found.all)
    addModule(each, found.names.begin() + each.nameAt);
  if (found.loads)
    lastWalk = {found.loads, found.unloads, found.hasMemory};
}

bool beginStacks() {
  if (!known)
    known = static_cast<Known *>(
        reservePages(roundToPages(kMostModules * sizeof(Known))));
  if (!known || !rowList.prepare())
    return false;
  findModules();
  ++users;
  return true;
}

void refreshStacks() {
  if (users && __atomic_exchange_n(&isWanted, false, __ATOMIC_RELAXED))
    findModules();
}

void endStacks() {
  if (--users)
    return;
  const uint32_t all = count;
  __atomic_store_n(&count, 0, __ATOMIC_RELEASE);
  for (uint64_t &entry : memo)
    __atomic_store_n(&entry, 0, __ATOMIC_RELAXED);
  lastWalk.isValid = false;
  rowList.release();
  for (uint32_t i = 0; i < all; ++i) {
    known[i].rows.starts.reset();
    known[i].rows.numbers.reset();
    if (known[i].handle) // Its destructors may run.
      unpinLoaded(known[i].handle);
  }
}

// --- in hits -----------------------------------------------------------------

static uint16_t numberIn(const Known &module, uint64_t address) {
  const ModuleRows &rows = module.rows;
  const uint64_t offset = address - module.origin;
  const uint32_t *starts = rows.starts.begin();
  const size_t after = partitionPoint(
      0, rows.numbers.size(), [&](size_t i) { return starts[i] <= offset; });
  return after ? rows.numbers[after - 1] : RowList::kUnknown;
}

[[gnu::noinline]] static uint16_t findNumber(uint64_t address) {
  const uint32_t all = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < all; ++i)
    if (address - known[i].codeStart < known[i].codeEnd - known[i].codeStart) {
      const uint16_t number = numberIn(known[i], address);
      if (!(address >> (64 - kNumberBits)))
        __atomic_store_n(&placeInMemo(address), address << kNumberBits | number,
                         __ATOMIC_RELAXED);
      return number;
    }
  if (!__atomic_load_n(&isWanted, __ATOMIC_RELAXED))
    __atomic_store_n(&isWanted, true, __ATOMIC_RELAXED);
  return RowList::kNoCode;
}

uint16_t rowNumberAt(uint64_t address) {
  const uint64_t entry =
      __atomic_load_n(&placeInMemo(address), __ATOMIC_RELAXED);
  if (__builtin_expect(entry >> kNumberBits == address && entry, 1))
    return static_cast<uint16_t>(entry);
  return findNumber(address);
}

const UnwindRow &unwindRow(uint16_t number) { return rowList[number]; }

} // namespace tprt
