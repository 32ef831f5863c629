// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walking and pinning modules; see loader.h.
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

namespace tprt {

namespace {
struct Walk {
  Array<FoundModule> *found;
  uint64_t generation; // when it began
  bool memory;
  bool foreign;
};
} // namespace

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

static uint64_t generationOf(const dl_phdr_info *info, size_t size) {
  bool has = size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
  return has ? info->dlpi_adds + info->dlpi_subs : 0;
}

static int visitModule(dl_phdr_info *info, size_t size, void *data) {
  auto *walk = static_cast<Walk *>(data);
  if (!walk->generation)
    walk->generation = generationOf(info, size);
  static FoundModule module; // under the loader's lock, and large for a stack
  memset(static_cast<void *>(&module), 0, sizeof module);
  module.base = info->dlpi_addr;
  size_t loads = readSegments(info, module);
  readHeaders(info, module);
  module.foreign = !module.records && !module.fault;
  if (module.foreign && !walk->foreign)
    return 0;
  if (loads > FoundModule::kMaxSegments)
    module.fault = "it has more load segments than this runtime takes (32)";
  setPath(info->dlpi_name, module);
  walk->memory = walk->found->push(module);
  return !walk->memory;
}

static bool pinOne(const FoundModule &module, Array<Pin> &pins) {
  void *handle = nullptr;
  if (dlopen && !module.executable) {
    handle = dlopen(module.path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) {
      dlerror(); // ours, not the program's
      return true;
    }
  }
  return pins.push({module.base, handle});
}

// What can't be pinned is on its way out: its destructors may be what called.
static void dropUnpinned(Array<FoundModule> &found, const Array<Pin> &pins) {
  size_t kept = 0;
  for (const FoundModule &module : found)
    for (const Pin &pin : pins)
      if (pin.base == module.base) {
        memmove(static_cast<void *>(&found[kept++]), &module, sizeof module);
        break;
      }
  found.resize(kept);
}

bool walkModules(Array<FoundModule> &found, Array<Pin> &pins, bool foreign,
                 uint64_t *generation) {
  // Pinned means: found in a walk, pinned, and nothing came or went until a
  // second walk. Loading threads may keep us at it for a while, not for ever.
  uint64_t before = 0;
  for (int round = 0; round < 16; ++round) {
    found.clear();
    Walk walk{&found, 0, true, foreign};
    walkLoader(visitModule, &walk);
    *generation = walk.generation;
    if (!walk.memory)
      return false;
    if (round && walk.generation == before)
      break;
    before = walk.generation;
    unpin(pins);
    for (const FoundModule &module : found)
      if (!pinOne(module, pins))
        return false;
  }
  dropUnpinned(found, pins);
  return true;
}

uint64_t moduleGeneration() {
  uint64_t generation = 0;
  walkLoader(
      [](dl_phdr_info *info, size_t size, void *data) {
        *static_cast<uint64_t *>(data) = generationOf(info, size);
        return 1;
      },
      &generation);
  return generation;
}

void unpin(Array<Pin> &pins) {
  for (const Pin &pin : pins)
    if (pin.handle)
      dlclose(pin.handle);
  pins.clear();
}

} // namespace tprt
