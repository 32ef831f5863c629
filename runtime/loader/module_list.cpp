// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How modules are added and removed: the noted facts of each module that the
// loader's walk has found, the module's sites, and the reason why a table is
// refused. unloaded_modules.h has the memory of modules and sites. The entry
// points call these functions under the lock, after they have walked the loader
// without the lock.
#include "loader/module_list.h"
#include "actions/record_hook.h"
#include "base/checksum.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "elf/patchable_entries.h"
#include "elf/symbols.h"
#include "loader/awaited.h"
#include "loader/build_sites.h"
#include "loader/code_sites.h"
#include "loader/unloaded_modules.h"
#include "modules/point_groups.h"
#include "modules/point_table.h"
#include "modules/sled_table.h"
#include "sites/arch.h"
#include "threads/clock.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace tprt {

Module *modules;
size_t badModules, scarceModules;
TableRefusal lastRefusal;
uint64_t epoch;

bool initialise() {
  Lock lock;
  // This precedes any walk of the loader's list, because a walk requests the
  // thread's id.
  beginTrials();
  tryHitCalls();
  if (moduleAt)
    return true;
  if (!reserveSites())
    return false;
  initialiseClock();
  initialiseTrampolines();
  moduleAt = static_cast<ModulePlace **>(startRange(pageBytes()));
  return moduleAt != nullptr;
}

// A checksum of the present memory of a found module.
uint64_t identityOf(const FoundModule &found) {
  uint64_t segments = checksum(
      found.segments, found.segmentCount * sizeof(Segment), found.noteSum);
  uint64_t table = checksum(
      found.records, size_t{found.recordCount} * sizeof(tprt_record), segments);
  return found.allRecords() > found.recordCount
             ? checksumPoints(found, found.kept(), table)
             : table;
}

// After a library was closed, another library or another build may be loaded at
// the same address. A module with a handle cannot have been closed.
bool isStill(const Module *m, const FoundModule &found) {
  return m->path && !m->isInner && m->isCode == found.isCode &&
         m->base == found.base && m->identity == found.identity &&
         strcmp(m->path, found.path) == 0 &&
         (!m->isCode || m->handle || hasSameCode(m));
}

// A message contains only the end of a long path, so that it also has room for
// the reason.
static const char *pathEnd(const Module *module) {
  constexpr size_t kLongest = 160;
  size_t length = module->pathBytes - 1;
  return module->path + (length > kLongest ? length - kLongest : 0);
}

// Notes a refusal. The sentence about the refusal is printed to standard error,
// and is reported to callers that find no site.
static void noteRefusal(tprt_status status, const char *format,
                        va_list arguments) {
  char text[sizeof lastRefusal.text];
  vsnprintf(text, sizeof text, format, arguments);
  // A table without memory is refused at each walk (Module::scarce).
  const bool isRepeated = strcmp(text, lastRefusal.text) == 0;
  memcpy(lastRefusal.text, text, sizeof text);
  lastRefusal.status = status;
  say(isRepeated ? 2 : 1, "%s", lastRefusal.text);
  ++badModules;
}

// Refuses a module's table, and so the whole module. `fault` is kept in the
// module.
[[gnu::format(printf, 4, 5)]] static void refuseTable(Module *module,
                                                      const char *fault,
                                                      tprt_status status,
                                                      const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  noteRefusal(status, format, arguments);
  va_end(arguments);
  module->fault = fault;
  module->scarce = status == TPRT_STATUS_NO_MEMORY;
  scarceModules += module->scarce;
  module->recordCount = module->branchCount = module->pointCount = 0;
}

// Refuses a module's points. Its sleds stay usable.
[[gnu::format(printf, 3, 4)]] static void
refusePoints(Module *module, const char *fault, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  noteRefusal(TPRT_STATUS_BAD_TABLE, format, arguments);
  va_end(arguments);
  module->pointFault = fault;
  module->branchCount = module->pointCount = 0;
}

// A module that is loaded again at the same address keeps its sites and stubs.
// Its code is newly mapped from the file.
static void revive(Module *module) {
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    tprt_site &site = sites[module->firstSite + i];
    site.enabled = false;
    site.refusal = TPRT_REFUSAL_NONE;
  }
  for (CodeSite &code : module->code)
    code.use = 0;
  module->copied = module->openedWhole = false;
}

// Sites store their addresses as 32-bit distances from the origin.
static bool setOrigin(Module *module) {
  uint64_t low = UINT64_MAX, high = 0;
  for (const Segment &s : module->segments) {
    low = s.start < low ? s.start : low;
    high = s.end > high ? s.end : high;
  }
  module->origin = low;
  return high - low <= UINT32_MAX;
}

// Notes the semaphores of USDT probes. A record that leads outside the module
// is ignored.
static bool noteSemaphores(Module *module, const FoundModule &found) {
  constexpr uint64_t kBytes = sizeof(uint16_t);
  for (uint32_t i = 0; i < found.usdtCount; ++i) {
    const int32_t &field = found.usdt[i].point;
    uint64_t at = reinterpret_cast<uint64_t>(&field) +
                  static_cast<uint64_t>(int64_t{field});
    if (inSegment(found.kept(), at, kBytes, PF_R) &&
        !module->usdtPoints.push(at))
      return false;
  }
  return true;
}

static bool describe(Module *module, const FoundModule &found) {
  module->pathBytes = strlen(found.path) + 1;
  module->path = static_cast<char *>(allocateSmall(module->pathBytes));
  if (!module->path ||
      !module->segments.append(found.segments, found.segmentCount) ||
      !module->names.append(found.names, found.namesBytes) ||
      !noteSemaphores(module, found))
    return false;
  memcpy(module->path, found.path, module->pathBytes);
  module->namesAddress = reinterpret_cast<uint64_t>(found.names);
  static_cast<ModuleFacts &>(*module) = found;
  module->guard = found.guard;
  return true;
}

// Checks the records of sleds. Returns false if the table was refused.
static bool checkTable(Module *module) {
  uint32_t bad = 0;
  const char *fault = checkRecords(module->records, module->recordCount,
                                   module->segments, &bad);
  if (fault)
    refuseTable(module, fault, TPRT_STATUS_BAD_TABLE,
                "%s: record %u of its sled table %s; its sleds stay off "
                "(is the file damaged, or built by another version of "
                "tp?)",
                pathEnd(module), bad, fault);
  return !fault;
}

// Checks the table of points, and refuses it if a record is bad.
static void checkPointTable(Module *module) {
  uint32_t bad = 0;
  if (const char *fault = module->pointFault)
    return refusePoints(module, fault,
                        "%s: %s; its points stay off (is the file damaged, "
                        "built by another version of tprt/trace.h, or changed "
                        "by patchelf and without section headers?)",
                        pathEnd(module), fault);
  if (const char *fault =
          checkPoints(PointRecords(*module), module->segments, &bad))
    refusePoints(module, fault,
                 "%s: record %u of its table of points %s; its points stay off "
                 "(is the file damaged, or built by another version of "
                 "tprt/trace.h?)",
                 pathEnd(module), bad, fault);
}

// Gives the module room for `count` sites. Returns false if its table was
// refused, or if there is no memory for the sites of its code.
static bool hasRoom(Module *module, uint64_t count) {
  switch (makeRoom(module, count)) {
  case Room::Made:
    return true;
  case Room::TooManySites:
    refuseTable(module,
                "has more sleds than this runtime supports in one process",
                TPRT_STATUS_UNSUPPORTED,
                "%s: its %llu sled%s, with the %u of other modules, are more "
                "than the %u that this runtime supports in one process; its "
                "sleds stay off (instrument fewer functions: -ftp-filter=, "
                "-ftp-instruction-threshold=)",
                pathEnd(module), static_cast<unsigned long long>(count),
                count == 1 ? "" : "s", siteCount, kMaxSites);
    return false;
  case Room::NoMemory:
    break;
  }
  if (module->isCode)
    return false; // it is read again
  refuseTable(module, "has more sleds than there was memory for",
              TPRT_STATUS_NO_MEMORY,
              "%s: no memory for its %llu sled%s (%llu kB) besides %u of other "
              "modules; "
              "its sleds stay off (is the address space limited, "
              "ulimit -v? instrument fewer functions, or raise the limit)",
              pathEnd(module), static_cast<unsigned long long>(count),
              count == 1 ? "" : "s",
              static_cast<unsigned long long>(count * sizeof(tprt_site) >> 10),
              siteCount);
  return false;
}

static void addSites(Module *module) {
  const uint64_t *patchable = nullptr;
  if (module->patchable &&
      !(module->recordCount = findPatchable(module, &patchable)))
    return;
  if (!module->patchable && module->allRecords() <= kMaxSites) {
    if (!checkTable(module))
      return;
    checkPointTable(module);
  }
  if (!module->allRecords() || !hasRoom(module, module->allRecords()))
    return;
  module->siteCount = makeSites(module, patchable, sites + module->firstSite);
  if (patchable) {
    readSymbols(module);
    finishPatchable(module);
  }
  if (module->branchCount + uint64_t{module->pointCount} &&
      !makePoints(module)) {
    memset(static_cast<void *>(sites + module->firstSite), 0,
           size_t{module->siteCount} * sizeof(tprt_site));
    module->siteCount = 0;
    refuseTable(module, "has more points than there was memory for",
                TPRT_STATUS_NO_MEMORY,
                "%s: no memory for its points; its sleds stay off",
                pathEnd(module));
  }
}

// Notes that a module was loaded, so that pending probes examine the module
// (pending_probes.cpp).
static bool arrive(Module *module, bool again = false) {
  module->adopted = ++epoch;
  module->loaded = true;
  return module->unread || awaited.noteArrival(module, again);
}

void arriveAgain(Module *module) { arrive(module, true); }

static Module *adoptNew(const FoundModule &found) {
  Module *module = takeCleared();
  if (!module)
    return nullptr;
  if (!describe(module, found)) {
    discard(module);
    return nullptr;
  }
  clearOld(module);
  if (found.fault) {
    refuseTable(module, found.fault, TPRT_STATUS_BAD_TABLE,
                "%s: %s; its sleds stay off (is the file damaged, built by "
                "another version of tp, or changed by patchelf and without "
                "section headers?)",
                pathEnd(module), found.fault);
  } else if (!setOrigin(module)) {
    refuseTable(module, "spans more than 4 GiB of addresses",
                TPRT_STATUS_BAD_TABLE,
                "%s: its segments span more than 4 GiB; its sleds stay off",
                pathEnd(module));
  } else if (found.patchable || found.isCode) {
    module->unread = true;
  } else {
    addSites(module);
  }
  return module;
}

Module *adoptModule(const FoundModule &found) {
  Module *module = takeClosed(found);
  if (module)
    revive(module);
  else
    module = adoptNew(found);
  if (module && !arrive(module)) {
    closeModule(module);
    return nullptr;
  }
  return module;
}

bool makeCodeSites(Module *module) {
  const bool any = !module->code.empty();
  const bool hasSites = any && hasRoom(module, module->code.size());
  module->unread = any && !hasSites && !module->fault;
  if (!hasSites)
    return !module->unread;
  module->siteCount = static_cast<uint32_t>(module->code.size());
  populatePages(sites + module->firstSite, module->siteCount * sizeof *sites);
  fillCode(module, sites + module->firstSite);
  arrive(module); // if no memory: present pending probes miss it
  return true;
}

// The facts from the code module's file and segments also hold for the inner
// module.
static bool copyFacts(Module *module, const Module *outer) {
  module->path = static_cast<char *>(allocateSmall(outer->pathBytes));
  if (!module->path ||
      !module->segments.append(outer->segments.begin(), outer->segments.size()))
    return false;
  module->pathBytes = outer->pathBytes;
  memcpy(module->path, outer->path, outer->pathBytes);
  static_cast<ModuleFacts &>(*module) = *outer;
  module->guard = outer->guard;
  module->origin = outer->origin;
  return true;
}

bool adoptInner(Module *outer, InnerCode &inside) {
  Module *module = takeCleared();
  if (!module)
    return false;
  module->code.swap(inside.sites);
  if (!copyFacts(module, outer)) {
    discard(module);
    return false;
  }
  module->isInner = true;
  module->outer = outer;
  module->ready = outer->ready;
  if (!makeCodeSites(module)) {
    discard(module);
    return false;
  }
  module->extents.swap(inside.extents);
  if (!outer->deadKnown)
    outer->dead.swap(inside.dead);
  outer->deadKnown = true;
  readSymbols(module); // a handler cannot
  module->loaded = true;
  return true;
}

void readPatchableSites(Module *module) {
  module->unread = false;
  addSites(module);
  arrive(module); // if no memory: present pending probes miss it
}

void closeModule(Module *module) {
  for (Module *m = modules; m; m = m->next)
    if (m->loaded && m->isInner && m->outer == module)
      closeModule(m);
  module->dead.reset();
  module->strays.reset();
  module->deadKnown = false;
  module->loaded = module->ready = module->passedOver = false;
  badModules -= (module->fault != nullptr) + (module->pointFault != nullptr);
  scarceModules -= module->scarce;
  module->scarce = false;
  ++epoch;
  if (recorder)
    recorder->unloaded(module);
  putAside(module);
}

} // namespace tprt
