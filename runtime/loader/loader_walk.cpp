// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the loader's list; see loader_walk.h.
//
// The problem: a walk must distinguish known modules from other modules at the
// same place. The loader lists modules in the order in which they were loaded.
// The loader also counts all modules that were ever loaded (dlpi_adds) and
// unloaded (dlpi_subs). If N modules were loaded since the last walk, the first
// L - N modules of a list of L are old, and need no examination. If no module
// was unloaded, all modules of the last walk are old.
#include "loader/loader_walk.h"
#include "base/checksum.h"
#include "base/os_loader.h"
#include "elf/moved_notes.h"
#include "elf/symbols.h"
#include "loader/module_list.h"
#include "modules/sled_table.h"
#include "names/path_glob.h"
#include "sites/arch.h"
#include "threads/lock.h"

#include <stdio.h>
#include <string.h>

namespace tprt {

static uint64_t startOf(const LoadedModule &info, const Elf64_Phdr &p) {
  return info.base + p.p_vaddr;
}

// Returns the number of load segments. Keeps as many of them as fit.
static size_t readSegments(const LoadedModule &info, FoundModule &module) {
  size_t loads = 0;
  for (uint32_t i = 0; i < info.headerCount; ++i) {
    const Elf64_Phdr &p = info.headers[i];
    uint64_t start = startOf(info, p);
    if (p.p_type != PT_LOAD || ++loads > FoundModule::kMaxSegments)
      continue;
    module.segments[module.segmentCount++] = {start, start + p.p_memsz,
                                              p.p_flags};
    if (p.p_flags & PF_W)
      module.data = {start, start + p.p_filesz};
  }
  return loads;
}

// Reads one note with the name "GNU". After the name come the type, size and
// value of each property.
static void readProperties(const uint8_t *note, size_t bytes,
                           FoundModule &module) {
  uint32_t entry[3];
  for (uint64_t at = 16; at + sizeof entry <= bytes;) {
    memcpy(entry, note + at, sizeof entry);
    if (entry[1] == 4)
      module.guard |= protectionByProperty(entry[0], entry[2]);
    at += (uint64_t{entry[1]} + 8 + 7) & ~uint64_t{7};
  }
}

// Reads the program headers whose contents lie inside a readable segment.
static void readHeaders(const LoadedModule &info, FoundModule &module) {
  constexpr uint32_t kGnuProperty = 0x6474e553; // PT_GNU_PROPERTY, Linux 5.8
  for (uint32_t i = 0; i < info.headerCount; ++i) {
    const Elf64_Phdr &p = info.headers[i];
    const auto *start = reinterpret_cast<const uint8_t *>(startOf(info, p));
    if (!inSegment(module.kept(), startOf(info, p), p.p_memsz, PF_R))
      continue;
    if (p.p_type == PT_GNU_EH_FRAME)
      module.frames = startOf(info, p);
    if (p.p_type == PT_GNU_RELRO)
      module.relocated = {startOf(info, p), startOf(info, p) + p.p_memsz};
    if (p.p_type == PT_NOTE)
      module.noteSum = checksum(start, p.p_memsz, module.noteSum);
    if (p.p_type == kGnuProperty)
      readProperties(start, p.p_memsz, module);
  }
}

// Reads tp's notes, and finds the tables.
static void readTables(const LoadedModule &info, FoundModule &module,
                       const TableExtents *known) {
  for (uint32_t i = 0; i < info.headerCount && !module.fault; ++i) {
    const Elf64_Phdr &p = info.headers[i];
    uint64_t start = startOf(info, p);
    if (p.p_type == PT_NOTE && inSegment(module.kept(), start, p.p_memsz, PF_R))
      module.fault = readNotes(reinterpret_cast<const uint8_t *>(start),
                               p.p_memsz, module, known);
  }
}

static void setPath(const LoadedModule &info, FoundModule &module) {
  module.executable = !info.name || !*info.name;
  if (module.executable)
    programPath(module.path, sizeof module.path);
  else
    snprintf(module.path, sizeof module.path, "%s", info.name);
}

namespace {
// A module as the last walk found it.
struct Known {
  uint64_t base;
  const void *headers;
  Module *module; // nullptr if it has no table
  Module *code;   // The code module (code/code_modules.h), or nullptr.
  bool listed;    // see startTail()

  bool is(const LoadedModule &info) const {
    return base == info.base && headers == info.headers;
  }
};

struct Walk {
  bool patchable;
  bool code;
  bool memory = true;
  bool begun = false;              // the runtime's lock is held
  bool nothingNew = false;         // the walk can end
  bool inTail = false;             // beyond the first `old` modules
  uint64_t loads = 0, unloads = 0; // the loader's counts
  size_t position = 0;             // the position in the loader's list
  size_t old = 0;                  // how many of the list's modules are old
  size_t next = 0;         // the first item of `known` that was not found again
                           // yet
  size_t kept = 0;         // how many of `known` were found, in their new
                           // places
  Array<Known> doubtful{}; // known modules that may have been replaced

  bool begin(const LoadedModule &info);
  bool keepOld(const LoadedModule &info);
  bool startTail();
  bool lookAt(const LoadedModule &info);
  bool keepOrAdopt(const FoundModule &found, Module *Known::*which, Known &now);
  void end();
};
} // namespace

// The modules of the last walk, in the loader's order, and the loader's counts
// at that time. Under the runtime's lock.
static constinit GlobalArray<Known> knownModules;
static Array<Known> &known() { return *knownModules; }
static struct {
  uint64_t loads, unloads;
  bool valid, patchable, code;
} lastWalk;

static void close(Module *&module) {
  if (module && module->loaded)
    closeModule(module);
  module = nullptr;
}

static void close(Known &one) {
  close(one.module);
  close(one.code);
}

static size_t listLength() {
  size_t length = 0;
  walkLoaderWithin(
      [](const LoadedModule &, void *count) {
        ++*static_cast<size_t *>(count);
        return 0;
      },
      &length);
  return length;
}

bool Walk::begin(const LoadedModule &info) {
  loads = info.loads, unloads = info.unloads;
  // After one walk with `patchable`, all later walks also have `patchable`,
  // because the modules from that walk stay in the list.
  patchable |= lastWalk.patchable;
  code |= lastWalk.code;
  if (!info.counts || !lastWalk.valid || patchable != lastWalk.patchable ||
      code != lastWalk.code || scarceModules)
    return true; // each module is examined
  nothingNew = loads == lastWalk.loads && unloads == lastWalk.unloads;
  if (unloads == lastWalk.unloads) {
    old = known().size();
  } else {
    size_t length = listLength(), came = loads - lastWalk.loads;
    old = length > came ? length - came : 0;
  }
  return !nothingNew;
}

// Keeps an old module. Earlier modules of the last walk that are no longer
// listed were unloaded, so they are closed.
bool Walk::keepOld(const LoadedModule &info) {
  size_t at = next;
  while (at < known().size() && !known()[at].is(info))
    ++at;
  if (at == known().size())
    return false; // unexpected by the loader's rules: examine the module
  while (next < at)
    close(known()[next++]);
  known()[kept++] = known()[next++];
  return true;
}

// If a known module was not found among the old modules, there are three cases:
// the module is in the rest of the loader's list, the module was unloaded, or
// another module has replaced it. Modules that are no longer in the list are
// closed first, because new modules may reuse their sites.
bool Walk::startTail() {
  if (!doubtful.append(known().begin() + next, known().size() - next))
    return false;
  known().resize(kept);
  inTail = true;
  if (doubtful.empty())
    return true;
  walkLoaderWithin(
      [](const LoadedModule &info, void *all) {
        for (Known &one : *static_cast<Array<Known> *>(all))
          one.listed |= one.is(info);
        return 0;
      },
      &doubtful);
  for (Known &one : doubtful) {
    if (!one.listed)
      close(one);
    one.listed = false;
  }
  return true;
}

// Whether this module's code may be probed. The loader's code runs while the
// loader's locks are held, and this library's code runs inside hits. So these
// two must not be probed.
static bool mayHaveCode(const FoundModule &found) {
  auto own = reinterpret_cast<uint64_t>(&mayHaveCode);
  return found.frames && !isSystemsOwn(found.base) &&
         !inSegment(found.kept(), own, 1, PF_X) &&
         !globMatchesPath("libtprt*", found.path);
}

static void clearTables(FoundModule &found) {
  found.records = nullptr;
  found.recordCount = found.branchCount = found.pointCount = found.usdtCount =
      0;
  found.fault = found.pointFault = nullptr;
  found.names = nullptr;
  found.namesBytes = 0;
}

// Removes the tables from a found module, which then describes its code module.
static const FoundModule &withoutTables(FoundModule &found) {
  found.isCode = true;
  found.patchable = false;
  clearTables(found);
  return found;
}

// If the notes do not lead to the tables, the file may contain the addresses of
// the tables.
static void findTables(const LoadedModule &info, FoundModule &found) {
  readTables(info, found, nullptr);
  if (!leadsAstray(found))
    return;
  setPath(info, found);
  TableExtents known = tablesInFile(found);
  clearTables(found);
  readTables(info, found, &known);
}

// Finds the module of this kind among the known modules, or adopts it. A module
// whose table was refused for lack of memory is adopted anew. Returns false if
// there is no memory.
bool Walk::keepOrAdopt(const FoundModule &found, Module *Known::*which,
                       Known &now) {
  for (Known &one : doubtful)
    if (one.base == found.base && one.*which) {
      if (isStill(one.*which, found) && !(one.*which)->scarce) {
        now.*which = one.*which, one.*which = nullptr;
        retryNames(now.*which);
      } else {
        close(one.*which);
      }
    }
  return now.*which || (now.*which = adoptModule(found));
}

bool Walk::lookAt(const LoadedModule &info) {
  static FoundModule found; // used under the locks, and too large for a stack
  memset(static_cast<void *>(&found), 0, sizeof found);
  found.base = info.base;
  size_t segments = readSegments(info, found);
  readHeaders(info, found);
  findTables(info, found);
  found.patchable = !found.allRecords() && !found.fault && !found.pointFault;
  bool wanted = !found.patchable || patchable;
  if (segments > FoundModule::kMaxSegments)
    found.fault = "it has more load segments than this runtime supports (32)";
  if (wanted || code) {
    setPath(info, found);
    found.identity = identityOf(found);
  }
  if (!known().reserve(known().size() + 1))
    return false;
  Known now{info.base, info.headers, nullptr, nullptr, false};
  if (wanted && !keepOrAdopt(found, &Known::module, now))
    return false;
  if (code && mayHaveCode(found) &&
      !keepOrAdopt(withoutTables(found), &Known::code, now))
    return false;
  for (Known &one : doubtful) // replaced by this module
    if (one.base == found.base)
      close(one);
  return known().push(now);
}

// If there is no memory, the next walk examines the remaining modules.
void Walk::end() {
  if (nothingNew)
    return;
  if (!inTail) {
    while (memory && next < known().size())
      close(known()[next++]);
    while (next < known().size())
      known()[kept++] = known()[next++];
    known().resize(kept);
  }
  for (Known &one : doubtful)
    if (memory)
      close(one);
    else if (one.module || one.code)
      known().push(one); // cannot fail: the list had this item before
  if (memory)
    lastWalk = {loads, unloads, true, patchable, code};
}

static int visitModule(const LoadedModule &info, void *data) {
  auto *walk = static_cast<Walk *>(data);
  if (!walk->begun) {
    takeLock();
    walk->begun = true;
    if (!walk->begin(info))
      return 1;
  }
  if (!walk->inTail && walk->position++ < walk->old && walk->keepOld(info))
    return 0;
  walk->memory = (walk->inTail || walk->startTail()) && walk->lookAt(info);
  return !walk->memory;
}

// Stored before `reader` in code_modules.cpp. So a thread that sees the reader
// also sees this value.
static bool walksForCode;

void walkForCode() { __atomic_store_n(&walksForCode, true, __ATOMIC_RELAXED); }

// The runtime's lock is taken inside the loader's lock, and is released after
// the loader's lock. So no thread sees a half-updated list, and the two locks
// cannot deadlock.
bool walkModules(bool patchable) {
  Walk walk{.patchable = patchable,
            .code = __atomic_load_n(&walksForCode, __ATOMIC_RELAXED)};
  walkLoader(visitModule, &walk);
  if (walk.begun) {
    walk.end();
    giveLock();
  }
  return walk.memory;
}

} // namespace tprt
