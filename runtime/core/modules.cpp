// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of modules with tables and the array of sites. Called by the entry
// points in attach.cpp under the lock, after the loader was walked without it.
#include "core/arch.h"
#include "core/sites.h"
#include "core/status.h"
#include "core/table.h"
#include "core/threads.h"

#include <pthread.h>
#include <string.h>

namespace tprt {

Module *modules;
size_t badModules;
tprt_site *sites;
uint32_t siteCount;
static uint64_t adoptedGeneration;

static pthread_mutex_t theLock = PTHREAD_MUTEX_INITIALIZER;

Lock::Lock() { pthread_mutex_lock(&theLock); }
Lock::~Lock() { pthread_mutex_unlock(&theLock); }
void lockForFork() { pthread_mutex_lock(&theLock); }
void unlockAfterFork() { pthread_mutex_unlock(&theLock); }

bool initialise() {
  Lock lock;
  if (sites)
    return true;
  if (!initialiseThreads())
    return false;
  initialiseVectors();
  sites = static_cast<tprt_site *>(reservePages(kMaxSites * sizeof(tprt_site)));
  return sites != nullptr;
}

static bool sameTable(const Module &module, const FoundModule &found) {
  return module.base == found.base && module.records == found.records &&
         module.recordCount == found.recordCount && strcmp(module.path, found.path) == 0;
}

static bool bySled(const tprt_site &a, const tprt_site &b) { return a.sled < b.sled; }

static void fillSite(tprt_site &site, Module *module, const tprt_record &record) {
  site.sled = reinterpret_cast<const uint8_t *>(sledOf(record));
  site.function = reinterpret_cast<const uint8_t *>(functionOf(record));
  site.module = module;
  site.record = record;
}

// Sites from the table, sorted, one a sled (identical code folding leaves two
// records for one). Returns how many.
static uint32_t makeSites(Module *module, tprt_site *out) {
  uint32_t count = module->recordCount;
  populatePages(out, count * sizeof *out);
  for (uint32_t i = 0; i < count; ++i)
    fillSite(out[i], module, module->records[i]);
  sortIfNeeded(out, count, bySled);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (i == 0 || out[i].sled != out[kept - 1].sled)
      out[kept++] = out[i];
  for (uint32_t i = kept; i < count; ++i)
    memset(static_cast<void *>(&out[i]), 0, sizeof out[i]);
  return kept;
}

static void setFault(Module *module, const char *fault) {
  module->fault = fault;
  module->recordCount = 0;
  ++badModules;
}

// A module that comes back at the same place with the same table keeps its
// sites and stubs; its code is fresh from the file. The records are compared,
// not trusted: another build of the library may lie there.
static bool revive(Module *module) {
  for (uint32_t i = 0; i < module->recordCount; ++i) {
    const tprt_record &r = module->records[i];
    bool known = false;
    // Sorted by sled: find it by halves.
    uint32_t low = module->firstSite, high = module->firstSite + module->siteCount;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      auto sled = reinterpret_cast<uint64_t>(sites[middle].sled);
      if (sled == sledOf(r)) {
        known = reinterpret_cast<uint64_t>(sites[middle].function) == functionOf(r) &&
                sites[middle].record.kind == r.kind && sites[middle].record.slot == r.slot &&
                sites[middle].record.needs == r.needs;
        break;
      }
      if (sled < sledOf(r))
        low = middle + 1;
      else
        high = middle;
    }
    if (!known)
      return false;
  }
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    tprt_site &site = sites[module->firstSite + i];
    site.enabled = false;
    site.refusal = TPRT_REFUSAL_NONE;
  }
  module->mapping = 0;
  module->copied = false;
  module->loaded = true;
  return true;
}

static Module *newModule(const FoundModule &found) {
  auto *module = static_cast<Module *>(allocateSmall(sizeof(Module)));
  size_t bytes = strlen(found.path) + 1;
  auto *path = module ? static_cast<char *>(allocateSmall(bytes)) : nullptr;
  if (!path)
    return nullptr;
  memcpy(path, found.path, bytes);
  module->path = path;
  module->base = found.base;
  module->records = found.records;
  module->recordCount = found.recordCount;
  for (size_t i = 0; i < found.segmentCount; ++i)
    if (!module->segments.push(found.segments[i]))
      return nullptr;
  return module;
}

static bool adoptNew(const FoundModule &found) {
  Module *module = newModule(found);
  if (!module)
    return false;
  module->loaded = module->listed = true;
  uint32_t bad = 0;
  if (found.fault) {
    setFault(module, found.fault);
    say(1, "%s: %s; its sleds stay off (is the file damaged, or built by another version of tp?)", module->path,
        found.fault);
  } else if (const char *fault = checkRecords(module->records, module->recordCount, module->segments, &bad)) {
    say(1, "%s: record %u of its sled table %s; its sleds stay off (is the file damaged, or built by another "
           "version of tp?)", module->path, bad, fault);
    setFault(module, fault);
  } else if (module->recordCount > kMaxSites - siteCount) {
    say(1, "%s: its %u sleds exceed what this runtime takes in one process (%u)", module->path,
        module->recordCount, kMaxSites);
    setFault(module, "has more sleds than this runtime takes in one process");
  } else {
    module->firstSite = siteCount;
    module->siteCount = makeSites(module, sites + siteCount);
    siteCount += module->siteCount;
  }
  Module **end = &modules;
  while (*end)
    end = &(*end)->next;
  *end = module;
  return true;
}

static void unload(Module *module) {
  // A module with sleds that are on is pinned, so it can't come here with any.
  module->loaded = false;
  if (module->fault) {
    --badModules;
    module->path[0] = 0; // never matches again
  }
}

static bool adoptOne(const FoundModule &found) {
  for (Module *m = modules; m; m = m->next)
    if (m->loaded && m->base == found.base && strcmp(m->path, found.path) == 0 &&
        (m->fault || m->records == found.records)) {
      m->listed = true;
      return true;
    }
  if (!found.fault)
    for (Module *m = modules; m; m = m->next)
      if (!m->loaded && !m->fault && sameTable(*m, found) && revive(m))
        return m->listed = true;
  return adoptNew(found);
}

bool adoptModules(Array<FoundModule> &found, uint64_t generation) {
  if (generation < adoptedGeneration)
    return true;
  adoptedGeneration = generation;
  for (Module *m = modules; m; m = m->next)
    m->listed = false;
  // First the ones that left: a new one may lie at an old one's place.
  for (const FoundModule &f : found)
    for (Module *m = modules; m; m = m->next)
      if (m->loaded && m->base == f.base && strcmp(m->path, f.path) == 0 && (m->fault || m->records == f.records))
        m->listed = true;
  for (Module *m = modules; m; m = m->next)
    if (m->loaded && !m->listed)
      unload(m);
  for (const FoundModule &f : found)
    if ((f.records || f.fault) && !adoptOne(f))
      return false;
  return true;
}

} // namespace tprt
