// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walking and pinning modules; see loader.h.
//
// How a walk tells the modules it knows from others at the same place: the
// loader lists modules in the order in which they were loaded, and counts all
// that it ever loaded (dlpi_adds) and unloaded (dlpi_subs). So of a list of L
// modules, when N were loaded since the last walk, the first L - N have been
// there all the time, and none of them has to be looked at. Where none was
// unloaded, as many as were known before have been.
#include "os/linux/loader.h"
#include "core/arch.h"
#include "core/table.h"
#include "os/linux/walk.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// Weak: a static program need not have a loader, and the linker would warn.
#pragma weak dlopen
#pragma weak dlclose
#pragma weak dlerror
#pragma weak dlinfo

namespace tprt {

static uint64_t startOf(const dl_phdr_info *info, const ElfW(Phdr) & p) {
  return info->dlpi_addr + p.p_vaddr;
}

// Returns how many there are, of which no more are kept than there is room for.
static size_t readSegments(const dl_phdr_info *info, FoundModule &module) {
  size_t loads = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    uint64_t start = startOf(info, p);
    if (p.p_type != PT_LOAD || ++loads > FoundModule::kMaxSegments)
      continue;
    module.segments[module.segmentCount++] = {start, start + p.p_memsz,
                                              p.p_flags};
  }
  return loads;
}

// One note with the name "GNU", then type, size and value of each.
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

// What lies inside a readable segment.
static void readHeaders(const dl_phdr_info *info, FoundModule &module) {
  constexpr uint32_t kGnuProperty = 0x6474e553; // PT_GNU_PROPERTY, Linux 5.8
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    const auto *start = reinterpret_cast<const uint8_t *>(startOf(info, p));
    if (!inSegment(module.kept(), startOf(info, p), p.p_memsz, PF_R))
      continue;
    if (p.p_type == PT_NOTE && !module.fault) {
      module.noteSum = checksum(start, p.p_memsz, module.noteSum);
      module.fault = readNotes(start, p.p_memsz, module);
    }
    if (p.p_type == kGnuProperty)
      readProperties(start, p.p_memsz, module);
  }
}

static void setPath(const char *name, FoundModule &module) {
  module.executable = !name || !*name;
  if (module.executable) {
    if (readlink("/proc/self/exe", module.path, sizeof module.path - 1) > 0)
      return;
    // Without /proc: as it was given to execve.
    name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  }
  snprintf(module.path, sizeof module.path, "%s",
           name ? name : "/proc/self/exe");
}

// --- the walk

namespace {
// A module as the last walk found it.
struct Known {
  uint64_t base;
  const void *headers;
  Module *module; // nullptr: it has no table
  bool listed;    // see startTail()

  bool is(const dl_phdr_info *info) const {
    return base == info->dlpi_addr && headers == info->dlpi_phdr;
  }
};

struct Walk {
  bool foreign;
  bool memory = true;
  bool begun = false;              // the runtime's lock is held
  bool nothingNew = false;         // no need to walk on
  bool inTail = false;             // beyond the first `old` modules
  uint64_t loads = 0, unloads = 0; // the loader's counts
  size_t position = 0;             // in the loader's list
  size_t old = 0;          // this many modules of the list were there before
  size_t next = 0;         // the first of `known` that was not met again yet
  size_t kept = 0;         // the first of `known` were, in their new places
  Array<Known> doubtful{}; // known ones that may have been replaced

  bool begin(const dl_phdr_info *info, size_t size);
  bool keepOld(const dl_phdr_info *info);
  bool startTail();
  bool lookAt(const dl_phdr_info *info);
  void end();
};
} // namespace

// What the last walk found, in the loader's order, and the loader's counts
// then. Under the runtime's lock.
static constinit GlobalArray<Known> knownModules;
static Array<Known> &known() { return *knownModules; }
static struct {
  uint64_t loads, unloads;
  bool valid, foreign;
} lastWalk;

static void close(Known &one) {
  if (one.module && one.module->loaded)
    closeModule(one.module);
  one.module = nullptr;
}

static size_t listLength() {
  size_t length = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *, size_t, void *count) {
        ++*static_cast<size_t *>(count);
        return 0;
      },
      &length);
  return length;
}

bool Walk::begin(const dl_phdr_info *info, size_t size) {
  bool counts =
      size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
  if (counts)
    loads = info->dlpi_adds, unloads = info->dlpi_subs;
  // Once asked for, always: what was found that way stays in the list.
  foreign |= lastWalk.foreign;
  if (!counts || !lastWalk.valid || foreign != lastWalk.foreign)
    return true; // each module is looked at
  nothingNew = loads == lastWalk.loads && unloads == lastWalk.unloads;
  if (unloads == lastWalk.unloads) {
    old = known().size();
  } else {
    size_t length = listLength(), came = loads - lastWalk.loads;
    old = length > came ? length - came : 0;
  }
  return !nothingNew;
}

// For a module that was there before. Those that were listed in front of it,
// and no longer are, have been closed.
bool Walk::keepOld(const dl_phdr_info *info) {
  size_t at = next;
  while (at < known().size() && !known()[at].is(info))
    ++at;
  if (at == known().size())
    return false; // not what we take the loader to do: it is looked at
  while (next < at)
    close(known()[next++]);
  known()[kept++] = known()[next++];
  return true;
}

// What is known and was not met among the old ones is either in the rest of the
// loader's list, or closed, or another module has taken its place. First those
// are closed that are in it no more: others may take over their sites.
bool Walk::startTail() {
  if (!doubtful.append(known().begin() + next, known().size() - next))
    return false;
  known().resize(kept);
  inTail = true;
  if (doubtful.empty())
    return true;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *all) {
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

bool Walk::lookAt(const dl_phdr_info *info) {
  static FoundModule found; // under the locks, and large for a stack
  memset(static_cast<void *>(&found), 0, sizeof found);
  found.base = info->dlpi_addr;
  size_t segments = readSegments(info, found);
  readHeaders(info, found);
  found.foreign = !found.records && !found.fault;
  bool wanted = !found.foreign || foreign;
  if (segments > FoundModule::kMaxSegments)
    found.fault = "it has more load segments than this runtime takes (32)";
  if (wanted) {
    setPath(info->dlpi_name, found);
    found.identity = identityOf(found);
  }
  if (!known().reserve(known().size() + 1))
    return false;
  Known now{info->dlpi_addr, info->dlpi_phdr, nullptr, false};
  for (Known &one : doubtful)
    if (one.base == found.base && one.module) {
      if (wanted && isStill(one.module, found))
        now.module = one.module, one.module = nullptr;
      else
        close(one);
    }
  if (wanted && !now.module && !(now.module = adoptModule(found)))
    return false;
  return known().push(now);
}

// Without memory, what was not looked at is left for the next walk.
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
    else if (one.module)
      known().push(one); // there was room for it before
  if (memory)
    lastWalk = {loads, unloads, true, foreign};
}

static int visitModule(dl_phdr_info *info, size_t size, void *data) {
  auto *walk = static_cast<Walk *>(data);
  if (!walk->begun) {
    takeLock();
    walk->begun = true;
    if (!walk->begin(info, size))
      return 1;
  }
  if (!walk->inTail && walk->position++ < walk->old && walk->keepOld(info))
    return 0;
  walk->memory = (walk->inTail || walk->startTail()) && walk->lookAt(info);
  return !walk->memory;
}

// Our lock is taken inside of the loader's, and given when that is free again:
// nobody sees the list between the two, and nothing can wait for both.
bool walkModules(bool foreign) {
  Walk walk{.foreign = foreign};
  walkLoader(visitModule, &walk);
  if (walk.begun) {
    walk.end();
    giveLock();
  }
  return walk.memory;
}

// --- pins

bool mayGo(const Module *module) { return dlopen && !module->executable; }

// By the loader's own name of it. The loader compares that with the names of
// what is loaded, before it looks for a file: so the module is found though its
// file was moved, replaced or removed, or the path is relative and the folder
// was changed. The base tells whether it is the right one all the same.
Pin pinModule(const Module *module) {
  Pin pin{module->base, dlopen(module->path, RTLD_LAZY | RTLD_NOLOAD)};
  link_map *map = nullptr;
  if (!pin.handle)
    dlerror(); // ours, not the program's
  else if (dlinfo(pin.handle, RTLD_DI_LINKMAP, &map) != 0 ||
           map->l_addr != module->base) {
    dlclose(pin.handle);
    pin.handle = nullptr;
  }
  return pin;
}

void unpin(const Pin &pin) {
  if (pin.handle)
    dlclose(pin.handle);
}

void unpin(Array<Pin> &pins) {
  for (const Pin &pin : pins)
    unpin(pin);
  pins.clear();
}

} // namespace tprt
