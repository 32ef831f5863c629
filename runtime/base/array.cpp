// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of arrays; see base/array.h. Called on any thread, not in hits.
#include "base/array.h"
#include "base/os_memory.h"
#include "base/page_size.h"

#include <string.h>

namespace tprt {

// An array occupies a run of pages. A freed run is kept for the next array, up
// to 4.7 MB in total. Mapping and unmapping memory in every operation would
// cost page faults, and an interrupt on every core that runs this program. The
// cache holds a few runs each of 8, 32, 128 and 512 kB, and one of 2 MB. Runs
// enter and leave the cache by atomic exchange. So the cache needs no lock. A
// fork could happen while a lock is held.
static constexpr unsigned kRunClasses = 5, kRunsKept = 4;
static void *keptRuns[(kRunClasses - 1) * kRunsKept + 1];

static size_t bytesOfClass(unsigned cls) {
  return roundToPages(8192) << 2 * cls;
}

// Returns kRunClasses or more if `bytes` is more than the largest class.
static unsigned runClassOf(size_t bytes) {
  size_t times = (bytes - 1) / bytesOfClass(0); // in units of the smallest
                                                // class, less one
  unsigned bits =
      times ? 64 - static_cast<unsigned>(__builtin_clzll(times)) : 0;
  return (bits + 1) / 2;
}

struct KeptRuns {
  void **first;
  explicit KeptRuns(unsigned cls) : first(keptRuns + cls * kRunsKept) {}
  void **begin() const { return first; }
  void **end() const {
    void **all = keptRuns + sizeof keptRuns / sizeof *keptRuns;
    return first + kRunsKept < all ? first + kRunsKept : all;
  }
};

static void *takeKept(unsigned cls) {
  for (void *&kept : KeptRuns(cls))
    if (__atomic_load_n(&kept, __ATOMIC_RELAXED))
      if (void *run = __atomic_exchange_n(&kept, nullptr, __ATOMIC_ACQUIRE))
        return run;
  return nullptr;
}

static void giveRun(void *run, size_t bytes) {
  unsigned cls = runClassOf(bytes);
  if (cls < kRunClasses && bytes == bytesOfClass(cls))
    for (void *&kept : KeptRuns(cls)) {
      void *none = nullptr;
      if (__atomic_compare_exchange_n(&kept, &none, run, false,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        return;
    }
  freePages(run, bytes);
}

bool Run::grow(size_t usedBytes, size_t wanted) {
  wanted = wanted > 2 * bytes ? wanted : 2 * bytes;
  unsigned cls = runClassOf(wanted);
  size_t size = cls < kRunClasses ? bytesOfClass(cls) : roundToPages(wanted);
  void *grown = cls < kRunClasses ? takeKept(cls) : nullptr;
  if (grown && items) {
    memcpy(grown, items, usedBytes);
    giveRun(items, bytes);
  } else if (!grown && items) {
    grown = resizePages(items, bytes, size);
  } else if (!grown) {
    grown = allocatePages(size);
  }
  if (!grown)
    return false;
  items = grown;
  bytes = size;
  return true;
}

// The caller will write all of this memory. So all pages of a large run are
// populated in one step, instead of by one page fault each.

bool Run::reserve(size_t count, size_t itemBytes) {
  size_t wanted = count * itemBytes, before = bytes;
  if (wanted <= bytes)
    return true;
  if (!grow(used * itemBytes, wanted))
    return false;
  if (count > used + 1)
    populatePages(static_cast<char *>(items) + before, wanted - before);
  return true;
}

bool Run::resize(size_t count, size_t itemBytes) {
  if (!reserve(count, itemBytes))
    return false;
  if (count > used)
    memset(at(used, itemBytes), 0, (count - used) * itemBytes);
  used = count;
  return true;
}

void *Run::add(size_t itemBytes) {
  return reserve(used + 1, itemBytes) ? at(used++, itemBytes) : nullptr;
}

bool Run::append(const void *from, size_t count, size_t itemBytes) {
  size_t before = used;
  if (!resize(before + count, itemBytes))
    return false;
  if (count)
    memcpy(at(before, itemBytes), from, count * itemBytes);
  return true;
}

void Run::reset() {
  if (items)
    giveRun(items, bytes);
  items = nullptr;
  used = bytes = 0;
}

void Run::swap(Run &other) {
  char kept[sizeof(Run)];
  memcpy(kept, this, sizeof(Run));
  memcpy(static_cast<void *>(this), &other, sizeof(Run));
  memcpy(static_cast<void *>(&other), kept, sizeof(Run));
}

} // namespace tprt
