// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mmap-backed memory of the runtime; see memory.h.
#include "core/memory.h"

#include <string.h>
#include <sys/mman.h>

namespace tprt {

static void *mapAnonymous(size_t bytes, int extra) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | extra, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void *allocatePages(size_t bytes) { return mapAnonymous(bytes, 0); }

void *reservePages(size_t bytes) { return mapAnonymous(bytes, MAP_NORESERVE); }

void populatePages(void *memory, size_t bytes) {
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14
#endif
  size_t page = pageBytes();
  auto start = reinterpret_cast<uintptr_t>(memory) & ~(page - 1);
  if (bytes >= 16 * page)
    madvise(reinterpret_cast<void *>(start),
            roundToPages(reinterpret_cast<uintptr_t>(memory) + bytes - start),
            MADV_POPULATE_WRITE);
}

void freePages(void *memory, size_t bytes) { munmap(memory, bytes); }

// The kernel maps downwards from where it put the last mapping, into the first
// gap that is large enough. So what lies far below comes last, and what grows
// upwards from there is in nobody's way. The kernel takes an address without
// MAP_FIXED for a wish, and puts the mapping elsewhere if it is taken.
void *startRange(size_t bytes) {
  constexpr uint64_t kFar = uint64_t{64} << 30, kStep = uint64_t{1} << 30;
  constexpr unsigned kTries = 64, kTriesAStep = 4;
  bytes = roundToPages(bytes);
  void *memory = mapAnonymous(bytes, 0);
  if (!memory)
    return nullptr;
  auto here = reinterpret_cast<uint64_t>(memory);
  uint64_t wish = (here > 3 * kFar ? here - kFar : here / 2) & ~(kStep - 1);
  // By ever larger steps: there are programs that have terabytes reserved in
  // one piece, those of AddressSanitizer among them.
  uint64_t step = kStep;
  for (unsigned i = 1; i <= kTries && wish > step; ++i) {
    munmap(memory, bytes);
    memory = mmap(reinterpret_cast<void *>(wish), bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    if (reinterpret_cast<uint64_t>(memory) == wish)
      break;
    wish -= step;
    if (i % kTriesAStep == 0)
      step *= 2;
  }
  return memory; // where nothing was free that far, it grows as far as it can
}

bool growRange(void *start, size_t &bytes, size_t wanted) {
  wanted = roundToPages(wanted);
  if (wanted <= bytes)
    return true;
  if (mremap(start, bytes, wanted, 0) == MAP_FAILED)
    return false;
  bytes = wanted;
  return true;
}

// What arrays lie in. What is given back is kept for the next one, up to 4.7
// MB: to map and unmap an array in every operation costs page faults, and an
// interrupt of every core that runs this program. Runs of 8, 32, 128 and 512
// kB, a few of each, and one of 2 MB, taken and given by atomic exchange: no
// lock that a fork could find held.
static constexpr unsigned kRunClasses = 5, kRunsKept = 4;
static void *keptRuns[(kRunClasses - 1) * kRunsKept + 1];

static size_t bytesOfClass(unsigned cls) {
  return roundToPages(8192) << 2 * cls;
}

// kRunClasses or more for more than the largest.
static unsigned runClassOf(size_t bytes) {
  size_t times = (bytes - 1) / bytesOfClass(0); // the smallest, less one
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
    grown = mremap(items, bytes, size, MREMAP_MAYMOVE);
  } else if (!grown) {
    grown = mapAnonymous(size, 0);
  }
  if (!grown || grown == MAP_FAILED)
    return false;
  items = grown;
  bytes = size;
  return true;
}

bool Run::reserve(size_t count, size_t itemBytes) {
  return count * itemBytes <= bytes ||
         grow(used * itemBytes, count * itemBytes);
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

// Free blocks by size: 32 bytes << class.
static constexpr unsigned kClasses = 8; // up to 4096 bytes
static constexpr size_t kChunk = 64 * 1024;
static void *freeBlocks[kClasses];
// All blocks lie in one range, so that it is cheap to say what may be one.
static char *blocks;
static size_t blockBytes, blocksUsed; // of the range

static unsigned classOf(size_t bytes) {
  unsigned cls = 0;
  while ((size_t{32} << cls) < bytes)
    ++cls;
  return cls;
}

void *allocateSmall(size_t bytes) {
  unsigned cls = classOf(bytes);
  if (cls >= kClasses)
    return allocatePages(roundToPages(bytes));
  size_t size = size_t{32} << cls;
  void *block = freeBlocks[cls];
  if (block) {
    memcpy(&freeBlocks[cls], block, sizeof(void *));
  } else {
    if (!blocks && (blocks = static_cast<char *>(startRange(kChunk))))
      blockBytes = roundToPages(kChunk);
    if (!blocks || (blockBytes - blocksUsed < size &&
                    !growRange(blocks, blockBytes, blockBytes + kChunk)))
      return nullptr;
    block = blocks + blocksUsed;
    blocksUsed += size;
  }
  memset(block, 0, size);
  return block;
}

bool mayBeSmallBlock(const void *memory, size_t bytes) {
  uint64_t at =
      reinterpret_cast<uint64_t>(memory) - reinterpret_cast<uint64_t>(blocks);
  return at < blocksUsed && bytes <= blocksUsed - at && at % 32 == 0;
}

void freeSmall(void *memory, size_t bytes) {
  unsigned cls = classOf(bytes);
  if (cls >= kClasses)
    return freePages(memory, roundToPages(bytes));
  memcpy(memory, &freeBlocks[cls], sizeof(void *));
  freeBlocks[cls] = memory;
}

} // namespace tprt
