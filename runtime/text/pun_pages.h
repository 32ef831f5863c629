// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of pages, which are the memory of the islands of puns (pun_islands.h).
// A block is mapped when an island is expected or placed in it, and is unmapped
// with its last island.
//
// Puns lead to thousands of pages with a few islands each. So a batch with many
// sites makes a file in memory (CodeFile in base/os_text.h). Each page of the
// file is mapped at many addresses. Islands can share a page if their offsets
// in the page differ. A block has 256 kB, because many islands lie near each
// other: if sites are followed by equal bytes, their islands are as far apart
// as the sites. A batch announces the islands that it expects, so neighboring
// blocks are mapped in one call. Of several places in the file, the place with
// the fewest overlapping islands is used.
//
// Without a file, a block is one page, which is executable from the beginning.
// A change of a page's protection would take longer than everything else,
// because the kernel then interrupts all processors. If the system forbids
// writes through /proc/self/mem, a page is written before it becomes
// executable. Everything here is used under the lock.
#ifndef TPRT_TEXT_PUN_PAGES_H
#define TPRT_TEXT_PUN_PAGES_H

#include "base/page_hash.h"
#include "base/page_size.h"
#include "sites/arch.h"

namespace tprt {

enum class BlockState : uint8_t {
  Writable, // The block will become executable.
  Blank,    // The block is executable, and nothing was written to it.
  Shared,   // The block is a part of the file, which is not written yet.
  Final     // The block is executable, with int3 outside islands.
};

// One page, or a part of the file.
struct Block {
  uint64_t address;
  uint32_t next;
  uint32_t bytes;
  uint32_t islands;  // How many begin or end in the block; 0 if islands are
                     // only expected.
  uint32_t offset;   // If Shared: where the block begins in the file.
  uint16_t ownPages; // How many of its pages have their own memory.
  BlockState state;
  bool waits; // makePuns() has to write to it.

  uint64_t end() const { return address + bytes; }
  // Whether the whole island lies in the block.
  bool contains(const Extent &island) const {
    return island.start >= address && island.end <= end();
  }
  // The part of an island that lies in the block.
  Extent partOf(const Extent &island) const {
    return {island.start > address ? island.start : address,
            island.end < end() ? island.end : end()};
  }
};

// Some islands of one pun: their addresses, and the size of each island.
struct IslandList {
  const uint64_t *first;
  unsigned count;
  size_t bytes;
  Extent extentOf(uint64_t one) const { return {one, one + bytes}; }
  const uint64_t *begin() const { return first; }
  const uint64_t *end() const { return first + count; }
};

// The part of beginPuns() and endPuns() that concerns blocks. If `sites` is
// large, the batch may get a file. endBlocks() is called after writeFile().
void beginBlocks(size_t sites);
void endBlocks();
// How many more blocks may be used for sites that can do without a pun: a
// quarter of all blocks, less those in use. The rest is kept for other sites.
size_t spareBlocks();

Placed<Block> &allBlocks();
// The block that contains this address, or nullptr.
Block *blockAt(uint64_t address);
// Whether an address outside all blocks is already used by other memory, as far
// as that is known without a system call.
bool isForeign(uint64_t address);
// Maps the block of an address, or counts one more island in it. `all` are the
// pun's islands. Returns nullptr if the address is already used by other
// memory, or if there are too many blocks. The pointer is valid until the next
// call.
Block *takeBlock(uint64_t address, IslandList all);
// Whether takeBlock() has returned nullptr since the last call of
// beginSearch() because there are too many blocks.
void beginSearch();
bool lackedBlocks();
// expectIslands() announces calls of takeBlock() for these islands.
// mapExpected() maps the blocks of all announced islands. Both only reduce the
// number of system calls. For a batch without a file, or if an address is in
// use, they do nothing.
void expectIslands(IslandList all);
void mapExpected();
// Counts one island less, and unmaps the block after its last island.
void dropBlock(Block *block);

// Calls `take` with each block that contains bytes of the island, and with
// these bytes.
template <class Take> void visitParts(const Extent &island, const Take &take) {
  const uint64_t end = island.end;
  for (uint64_t at = island.start; at < end;) {
    Block *block = blockAt(at);
    uint64_t from = at;
    at = block ? block->end() : (at & ~(pageBytes() - 1)) + pageBytes();
    if (block)
      take(*block, Extent{from, at < end ? at : end});
  }
}

// Whether the batch has a file that is not written yet.
bool hasFile();
// Reserves the bytes in the file for an island that begins in the block.
// Returns false if a block of the island is not a part of the file, or if
// another island uses the bytes. The island must then be written to the blocks
// directly, which gives their pages their own memory.
bool takeInFile(const Block &block, const Extent &island);
// Sets the bytes that takeInFile() reserved; nullptr frees them.
void setInFile(const Extent &island, const uint8_t *code);
// Writes all bytes that were set to the file, and closes it. Returns false if
// none of them could be written.
bool writeFile();

// Writes bytes that no thread can reach to a single block. Returns false if
// that is not possible.
bool writeToBlock(Block &block, Extent part, const uint8_t *bytes);
// Must be called after all writes to a block that was not Final. Returns false
// if the written bytes were lost.
bool finishBlock(Block &block);
// Makes all other blocks executable. Returns false if some could not be made
// executable.
bool makeBlocksExecutable();

// How many bytes of memory all blocks use.
size_t blockBytes();

} // namespace tprt

#endif
