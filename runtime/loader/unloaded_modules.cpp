// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of unloaded modules, and the reuse of their structures and ranges of
// sites; see unloaded_modules.h.
#include "loader/unloaded_modules.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "loader/module_list.h"
#include "modules/point_groups.h"
#include "text/pc_map.h"
#include "text/pun_islands.h"
#include "text/stub_regions.h"

#include <string.h>

namespace tprt {

// The unloaded modules; the module that was closed last comes first.
static Module *closed;

// The place of a newly loaded module in the list of closed modules, or nullptr
// if the module is not in the list. If a module's file was missing, the module
// is not reused, because the file may exist again and must then be read.
static Module **closedAs(const FoundModule &found) {
  for (Module **at = &closed; *at; at = &(*at)->nextClosed)
    if (isStill(*at, found) && !(*at)->fault && !(*at)->pointFault &&
        !(*at)->fileMissed)
      return at;
  return nullptr;
}

void putAside(Module *module) {
  module->nextClosed = closed;
  closed = module;
}

static Module *takeFrom(Module **at) {
  Module *module = *at;
  *at = module->nextClosed;
  module->nextClosed = nullptr;
  return module;
}

Module *takeClosed(const FoundModule &found) {
  Module **back = closedAs(found);
  return back ? takeFrom(back) : nullptr;
}

// Finds the closed module with the smallest range that fits `count` sites, and
// returns its place in the list of closed modules. If `count` is 0, finds a
// module without a range. Without this reuse, a program that keeps building and
// loading libraries would use up all indexes.
static Module **findRoom(uint64_t count) {
  Module **best = nullptr;
  for (Module **at = &closed; *at; at = &(*at)->nextClosed) {
    const Module *m = *at;
    if (!m->readers && m->siteRoom >= count && m->siteRoom <= count * 2 &&
        (!best || m->siteRoom < (*best)->siteRoom))
      best = at;
  }
  return best;
}

// Frees everything of a closed module except its range of sites. The stubs can
// also be freed, because no thread can be in the stubs of code that is no
// longer loaded.
static void clear(Module *module) {
  for (Module *m = modules; m; m = m->next)
    if (m->outer == module)
      m->outer = nullptr; // it is closed as well
  freeStubs(module);
  freePuns(module);
  tellOfPcMap();
  freePoints(module);
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
  static uint16_t count; // number 0 is never used
  static size_t bytes;
  if (!bytes)
    bytes = pageBytes();
  auto *module =
      count + 1u < kMaxModules &&
              growRange(moduleAt, bytes, (count + 2u) * sizeof(ModulePlace *))
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

Module *takeCleared() {
  Module **unused = findRoom(0);
  Module *module = unused ? takeFrom(unused) : appendModule();
  if (module)
    clear(module);
  return module;
}

void discard(Module *module) {
  clear(module);
  putAside(module);
}

// Whether the closed module has the same file, or was at the same address.
static bool isOld(const Module *a, const Module *b) {
  if (a->path && strcmp(a->path, b->path) == 0)
    return true;
  for (const Segment &one : a->segments)
    for (const Segment &other : b->segments)
      if (one.start < other.end && other.start < one.end)
        return true;
  return false;
}

void clearOld(const Module *module) {
  for (Module **at = &closed; *at;)
    if (!(*at)->readers && isOld(*at, module))
      discard(takeFrom(at)); // The module no longer has a path or segments.
    else
      at = &(*at)->nextClosed;
}

// Gives the module the range of sites of the closed module at this place in the
// list. The closed module is then removed; its structure can be reused for
// another module.
static void takeRange(Module *module, Module **at) {
  Module *from = takeFrom(at);
  clear(from);
  module->firstSite = from->firstSite;
  module->siteRoom = from->siteRoom;
  from->firstSite = from->siteRoom = 0;
  putAside(from);
}

// Makes room for `more` sites after the present sites. Called under the lock.
static bool growSites(uint32_t more) {
  static size_t bytes;
  if (!bytes)
    bytes = pageBytes();
  return growRange(sites, bytes, (size_t{siteCount} + more) * sizeof *sites);
}

Room makeRoom(Module *module, uint64_t count) {
  if (Module **room = findRoom(count)) {
    takeRange(module, room);
    return Room::Made;
  }
  if (count > kMaxSites - siteCount)
    return Room::TooManySites;
  auto room = static_cast<uint32_t>(count);
  if (!growSites(room))
    return Room::NoMemory;
  module->firstSite = siteCount;
  module->siteRoom = room;
  __atomic_store_n(&siteCount, siteCount + room, // read by isSite()
                   __ATOMIC_RELEASE);
  return Room::Made;
}

} // namespace tprt
