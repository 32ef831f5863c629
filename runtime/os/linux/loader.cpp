// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walking and pinning modules; see loader.h.
#include "os/linux/loader.h"
#include "core/table.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// Weak: a static program need not have a loader, and the linker would warn.
#pragma weak dlopen
#pragma weak dlclose

namespace tprt {

namespace {
struct Walk {
  Array<FoundModule> *found;
  uint64_t generation;
  bool first = true;
  bool memory = true;
};
} // namespace

static void readSegments(const dl_phdr_info *info, FoundModule &module) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD)
      continue;
    if (module.segmentCount == FoundModule::kMaxSegments) {
      module.fault = "it has more load segments than this runtime takes (32)";
      return;
    }
    uint64_t start = info->dlpi_addr + p.p_vaddr;
    module.segments[module.segmentCount++] = {start, start + p.p_memsz, p.p_flags};
  }
}

// Reads the notes that lie inside a readable segment.
static void readNotes(const dl_phdr_info *info, FoundModule &module) {
  Array<Segment> segments;
  for (size_t i = 0; i < module.segmentCount; ++i)
    if (!segments.push(module.segments[i]))
      return;
  for (int i = 0; i < info->dlpi_phnum && !module.fault; ++i) {
    const ElfW(Phdr) &p = info->dlpi_phdr[i];
    if (p.p_type != PT_NOTE)
      continue;
    uint64_t start = info->dlpi_addr + p.p_vaddr;
    for (const Segment &s : segments)
      if ((s.flags & PF_R) && start >= s.start && start <= s.end && p.p_memsz <= s.end - start)
        module.fault = findTable(reinterpret_cast<const uint8_t *>(start), p.p_memsz, segments,
                                 &module.records, &module.recordCount);
  }
}

static void setPath(const char *name, FoundModule &module) {
  if (name && *name) {
    snprintf(module.path, sizeof module.path, "%s", name);
    return;
  }
  ssize_t n = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
  if (n <= 0)
    snprintf(module.path, sizeof module.path, "/proc/self/exe");
}

// A cheap look first: most modules have no note of ours.
static bool hasNotes(const dl_phdr_info *info) {
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      return true;
  return false;
}

static int visitModule(dl_phdr_info *info, size_t size, void *data) {
  auto *walk = static_cast<Walk *>(data);
  if (walk->first && size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    walk->generation = info->dlpi_adds + info->dlpi_subs;
  walk->first = false;
  if (!hasNotes(info))
    return 0;
  static FoundModule module; // under the loader's lock, and large for a stack
  memset(static_cast<void *>(&module), 0, sizeof module);
  module.base = info->dlpi_addr;
  readSegments(info, module);
  readNotes(info, module);
  if (!module.records && !module.fault)
    return 0;
  setPath(info->dlpi_name, module);
  walk->memory = walk->found->push(module);
  return !walk->memory;
}

// The executable's program headers are the kernel's (getauxval(3), AT_PHDR).
static bool isExecutable(const FoundModule &module) {
  uint64_t headers = getauxval(AT_PHDR);
  for (size_t i = 0; i < module.segmentCount; ++i)
    if (headers >= module.segments[i].start && headers < module.segments[i].end)
      return true;
  return false;
}

static bool pinOne(const FoundModule &module, Array<Pin> &pins) {
  void *handle = nullptr;
  if (dlopen && !isExecutable(module)) {
    handle = dlopen(module.path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
      return true; // unloaded meanwhile: the next walk shows it
  }
  return pins.push({module.base, handle});
}

// Held around dl_iterate_phdr alone, and over a fork: glibc (2.36) leaves the
// lock that dl_iterate_phdr takes as it was in the child, where the thread that
// held it does not exist. Taken before the runtime's lock, never with dlopen.
static pthread_mutex_t walkLock = PTHREAD_MUTEX_INITIALIZER;

void lockWalk() { pthread_mutex_lock(&walkLock); }
void unlockWalk() { pthread_mutex_unlock(&walkLock); }

bool walkModules(Array<FoundModule> &found, Array<Pin> &pins, uint64_t *generation) {
  // Pinned means: found in a walk, pinned, and nothing came or went until a
  // second walk. Loading threads may keep us at it for a while, not for ever.
  uint64_t before = 0;
  for (int round = 0; round < 16; ++round) {
    found.clear();
    Walk walk;
    walk.found = &found;
    walk.generation = 0;
    lockWalk();
    dl_iterate_phdr(visitModule, &walk);
    unlockWalk();
    *generation = walk.generation;
    if (!walk.memory)
      return false;
    if (round && walk.generation == before)
      return true;
    before = walk.generation;
    unpin(pins);
    for (size_t i = 0; i < found.size(); ++i)
      if (!pinOne(found[i], pins))
        return false;
  }
  return true;
}

void unpin(Array<Pin> &pins) {
  for (const Pin &pin : pins)
    if (pin.handle)
      dlclose(pin.handle);
  pins.clear();
}

bool isSharedMapping(uint64_t address, bool *shared) {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  // Lines are "start-end rwxp ..."; read in pieces, keep the line's beginning.
  char buffer[8192];
  size_t kept = 0;
  bool found = false;
  for (ssize_t n; !found && (n = read(file, buffer + kept, sizeof buffer - kept - 1)) > 0;) {
    kept += static_cast<size_t>(n);
    buffer[kept] = 0;
    char *line = buffer;
    for (char *end; !found && (end = strchr(line, '\n')); line = end + 1) {
      char *at = nullptr;
      uint64_t low = strtoull(line, &at, 16);
      uint64_t high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
      if (address >= low && address < high && *at == ' ') {
        *shared = at[4] == 's';
        found = true;
      }
    }
    kept = strlen(line);
    memmove(buffer, line, kept);
    if (kept == sizeof buffer - 1)
      break; // no line is this long
  }
  close(file);
  return found;
}

} // namespace tprt
