// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks; see small_alloc.h. Called under the lock.
#include "base/small_alloc.h"
#include "base/os_memory.h"
#include "base/page_size.h"

#include <string.h>

namespace tprt {

// Free blocks by size: 32 bytes << class.
static constexpr unsigned kClasses = 8; // up to 4096 bytes
static constexpr size_t kChunk = 64 * 1024;
static void *freeBlocks[kClasses];
// All blocks lie in one range, so mayBeSmallBlock() is cheap.
static char *blocks;
static size_t blockBytes, blocksUsed; // size and used bytes of the range

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
