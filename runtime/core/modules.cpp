// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of modules with tables and the array of sites. Called by the entry
// points under the lock, after the loader was walked without it.
#include "core/arch.h"
#include "core/clock.h"
#include "core/foreign.h"
#include "core/sites.h"
#include "core/status.h"
#include "core/stubs.h"
#include "core/table.h"
#include "core/threads.h"

#include <pthread.h>
#include <string.h>

namespace tprt {

Module *modules;
size_t badModules;
tprt_site *sites;
uint32_t siteCount;
Module **moduleAt;
uint64_t adoptedGeneration;

static pthread_mutex_t theLock = PTHREAD_MUTEX_INITIALIZER;

// No part of each entry point, for their size.
[[gnu::noinline]] static void take() { pthread_mutex_lock(&theLock); }
[[gnu::noinline]] static void give() { pthread_mutex_unlock(&theLock); }

static bool isBroken;

Lock::Lock() {
  noticeProcess(true);
  take();
}
Lock::~Lock() { give(); }
void lockForFork() { take(); }
void unlockAfterFork() { give(); }

// A thread that is not here had the lock: whatever it was about to change may
// be half changed.
void renewLock() {
  if (pthread_mutex_trylock(&theLock) == 0) {
    pthread_mutex_unlock(&theLock);
  } else {
    theLock = PTHREAD_MUTEX_INITIALIZER;
    isBroken = true;
  }
}
bool isUsable() { return !isBroken; }

bool reserveSites() {
  constexpr size_t kBytes = kMaxSites * sizeof(tprt_site);
  if (__atomic_load_n(&sites, __ATOMIC_ACQUIRE))
    return true;
  auto *mine = static_cast<tprt_site *>(reservePages(kBytes));
  tprt_site *none = nullptr;
  if (mine && !__atomic_compare_exchange_n(&sites, &none, mine, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    freePages(mine, kBytes);
  return mine != nullptr;
}

bool initialise() {
  Lock lock;
  if (moduleAt)
    return true;
  if (!reserveSites())
    return false;
  initialiseClock();
  initialiseTrampolines();
  moduleAt =
      static_cast<Module **>(reservePages(kMaxModules * sizeof(Module *)));
  return moduleAt != nullptr;
}

// What is there now, of a module that was found.
static uint64_t identityOf(const FoundModule &found) {
  uint64_t segments = checksum(
      found.segments, found.segmentCount * sizeof(Segment), found.noteSum);
  return checksum(found.records,
                  size_t{found.recordCount} * sizeof(tprt_record), segments);
}

// The same build at the same place. Another library, or another build of this
// one, may lie where one was closed since the last look.
static Module *knownAs(const FoundModule &found) {
  for (Module *m = modules; m; m = m->next)
    if (m->path && m->base == found.base && m->identity == found.identity &&
        strcmp(m->path, found.path) == 0 && (m->loaded || !m->fault))
      return m;
  return nullptr;
}

static void setFault(Module *module, const char *fault) {
  module->fault = fault;
  module->recordCount = 0;
  ++badModules;
}

// A module that comes back at the same place keeps its sites and stubs; its
// code is fresh from the file.
static void revive(Module *module) {
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    tprt_site &site = sites[module->firstSite + i];
    site.enabled = false;
    site.refusal = TPRT_REFUSAL_NONE;
  }
  module->mapping = 0;
  module->copied = module->openedWhole = false;
  module->loaded = module->fresh = true;
}

// One that was closed and whose range of sites fits: programs that build and
// load libraries for ever would use up all indexes otherwise.
static Module *findRoom(uint32_t records) {
  Module *best = nullptr;
  for (Module *m = modules; m; m = m->next) {
    if (m->loaded)
      continue;
    bool fits = m->siteRoom >= records && m->siteRoom <= uint64_t{records} * 2;
    bool better = !best || !best->siteRoom || m->siteRoom < best->siteRoom;
    // Without a range, as its table was bad: any will do for it.
    if ((fits && better) || (!best && !m->siteRoom))
      best = m;
  }
  return best;
}

// What belonged to a closed module goes, stubs included: no thread can be on
// its way through one to code that is not there. What is left is its range.
static void clear(Module *module) {
  freeStubs(module);
  memset(static_cast<void *>(sites + module->firstSite), 0,
         size_t{module->siteCount} * sizeof(tprt_site));
  if (module->path)
    freeSmall(module->path, module->pathBytes);
  uint32_t first = module->firstSite, room = module->siteRoom;
  uint16_t number = module->number;
  Module *next = module->next;
  module->~Module();
  memset(static_cast<void *>(module), 0, sizeof *module);
  module->firstSite = first;
  module->siteRoom = room;
  module->number = number;
  module->next = next;
}

static Module *appendModule() {
  static uint16_t count; // number 0 is nobody's
  auto *module = count + 1u < kMaxModules
                     ? static_cast<Module *>(allocateSmall(sizeof(Module)))
                     : nullptr;
  if (!module)
    return nullptr;
  module->number = ++count;
  moduleAt[count] = module;
  static Module **end = &modules;
  *end = module;
  end = &module->next;
  return module;
}

// Sites know their addresses as 32-bit distances from here.
static bool setOrigin(Module *module) {
  uint64_t low = UINT64_MAX, high = 0;
  for (const Segment &s : module->segments) {
    low = s.start < low ? s.start : low;
    high = s.end > high ? s.end : high;
  }
  module->origin = low;
  return high - low <= UINT32_MAX;
}

static bool describe(Module *module, const FoundModule &found) {
  module->pathBytes = strlen(found.path) + 1;
  module->path = static_cast<char *>(allocateSmall(module->pathBytes));
  if (!module->path ||
      !module->segments.append(found.segments, found.segmentCount) ||
      !module->names.append(found.names, found.namesBytes))
    return false;
  memcpy(module->path, found.path, module->pathBytes);
  module->namesAddress = reinterpret_cast<uint64_t>(found.names);
  static_cast<ModuleFacts &>(*module) = found;
  return true;
}

static void addSites(Module *module) {
  uint32_t bad = 0;
  const uint64_t *foreign = nullptr;
  if (module->foreign && !(module->recordCount = findForeign(module, &foreign)))
    return;
  if (const char *fault =
          foreign ? nullptr
                  : checkRecords(module->records, module->recordCount,
                                 module->segments, &bad)) {
    say(1,
        "%s: record %u of its sled table %s; its sleds stay off (is the file "
        "damaged, or built by another "
        "version of tp?)",
        module->path, bad, fault);
    return setFault(module, fault);
  }
  if (!module->siteRoom) {
    if (module->recordCount > kMaxSites - siteCount) {
      say(1,
          "%s: its %u sleds exceed what this runtime takes in one process (%u)",
          module->path, module->recordCount, kMaxSites);
      return setFault(module,
                      "has more sleds than this runtime takes in one process");
    }
    module->firstSite = siteCount;
    module->siteRoom = module->recordCount;
    siteCount += module->siteRoom;
  }
  module->siteCount = makeSites(module, foreign, sites + module->firstSite);
  if (foreign) {
    readSymbols(module);
    finishForeign(module);
  }
}

static bool adoptNew(const FoundModule &found) {
  Module *module = findRoom(found.recordCount);
  if (module)
    clear(module);
  else if (!(module = appendModule()))
    return false;
  if (!describe(module, found)) {
    clear(module);
    return false;
  }
  module->loaded = module->listed = module->fresh = true;
  if (found.fault) {
    say(1,
        "%s: %s; its sleds stay off (is the file damaged, or built by another "
        "version of tp?)",
        module->path, found.fault);
    setFault(module, found.fault);
  } else if (!setOrigin(module)) {
    say(1,
        "%s: its segments are spread over more than 4 GiB; its sleds stay off",
        module->path);
    setFault(module, "is spread over more than 4 GiB");
  } else {
    addSites(module);
  }
  return true;
}

static void unload(Module *module) {
  // A module with sleds that are on is pinned, so it can't come here with any.
  module->loaded = false;
  badModules -= module->fault != nullptr;
}

static bool adoptOne(const FoundModule &found) {
  Module *module = knownAs(found);
  if (!module)
    return adoptNew(found);
  if (!module->loaded)
    revive(module);
  return module->listed = true;
}

bool adoptModules(Array<FoundModule> &found, bool foreign,
                  uint64_t generation) {
  static bool adopted, adoptedForeign;
  // An older walk, or one that left out what others have asked for since.
  if (foreign <= adoptedForeign &&
      (foreign < adoptedForeign ||
       (adopted && generation <= adoptedGeneration)))
    return true;
  // First the ones that left: a new one may lie at an old one's place.
  for (Module *m = modules; m; m = m->next)
    m->listed = false;
  for (FoundModule &one : found) {
    one.identity = identityOf(one);
    if (Module *m = knownAs(one))
      m->listed = true;
  }
  for (Module *m = modules; m; m = m->next)
    if (m->loaded && !m->listed)
      unload(m);
  for (const FoundModule &one : found)
    if (!adoptOne(one))
      return false;
  adopted = true;
  adoptedForeign = foreign;
  __atomic_store_n(&adoptedGeneration, generation,
                   __ATOMIC_RELEASE); // read by arrivals
  return true;
}

} // namespace tprt
