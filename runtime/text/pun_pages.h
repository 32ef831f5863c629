// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses that islands of puns lie in (pun_islands.h): blocks of pages.
// A block is mapped when an island is expected there or needs it, and goes with
// the last one.
//
// Puns lead to thousands of pages with a few islands each. So a batch with
// many sites makes a file in memory (CodeFile in base/os_text.h), of which each
// page is mapped at many addresses: islands share it, as long as they are at
// different offsets. A block has 256 kB, because many islands lie near others:
// those of sites with equal neighbours are as far apart as the sites are. A
// batch says beforehand which islands it expects. So neighbouring blocks are
// mapped in one call, at the one of some places in the file where the fewest of
// their islands want bytes of others.
//
// Where that is not possible, a block is one page, which is executable from the
// beginning. To change a page's protection would take longer than all else, as
// the kernel then tells all processors. Where the system forbids writes through
// /proc/self/mem, a page is written before it becomes executable. Everything
// here is used under the lock.
#ifndef TPRT_TEXT_PUN_PAGES_H
#define TPRT_TEXT_PUN_PAGES_H

#include "base/page_hash.h"
#include "base/page_size.h"
#include "sites/arch.h"

namespace tprt {

enum class BlockState : uint8_t {
  Writable, // It is to become executable.
  Blank,    // It is executable, and nothing was written to it.
  Shared,   // It is of the file, which is not written yet.
  Final     // It is executable, and has int3 where no island is.
};

// One page, or a part of the file.
struct Block {
  uint64_t address;
  uint32_t next;
  uint32_t bytes;
  uint32_t islands;  // That begin in it, or end in it; 0: some are expected.
  uint32_t offset;   // Shared: where it begins in the file.
  uint16_t ownPages; // How many have memory of their own.
  BlockState state;
  bool waits; // makePuns() is to write to it.

  uint64_t end() const { return address + bytes; }
  // Whether all of the island lies in the block.
  bool contains(const Extent &island) const {
    return island.start >= address && island.end <= end();
  }
  // The part of an island that lies in the block.
  Extent partOf(const Extent &island) const {
    return {island.start > address ? island.start : address,
            island.end < end() ? island.end : end()};
  }
};

// Some islands of one pun: their addresses, and how many bytes each has.
struct IslandList {
  const uint64_t *first;
  unsigned count;
  size_t bytes;
  Extent extentOf(uint64_t one) const { return {one, one + bytes}; }
  const uint64_t *begin() const { return first; }
  const uint64_t *end() const { return first + count; }
};

// What beginPuns() and endPuns() do for blocks. A batch of so many sites may
// get a file; endBlocks() comes after writeFile().
void beginBlocks(size_t sites);
void endBlocks();
// How many more blocks those may have who can do without, so that the others
// find room later: a quarter of all, less what is taken.
size_t spareBlocks();

Placed<Block> &allBlocks();
// The block that has this address, or nullptr.
Block *blockAt(uint64_t address);
// Whether an address that no block has is somebody else's, as far as that is
// known without a system call.
bool isForeign(uint64_t address);
// Maps the block of an address, or counts one more island in it. `all` are the
// islands for which it is taken. nullptr: the address is somebody else's, or
// there are too many blocks. The pointer is valid until the next call.
Block *takeBlock(uint64_t address, IslandList all);
// Notes that takeBlock() will be asked for these islands, and maps the blocks
// of all that were noted. Nothing depends on it but the number of calls. For a
// batch without a file, and where an address is taken, it does nothing.
void expectIslands(IslandList all);
void mapExpected();
// Counts one island less. Without islands, the block is unmapped.
void dropBlock(Block *block);

// Calls `take` with each block in which an island has bytes, and these bytes.
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
// Takes the bytes in the file of an island that begins in the block, if all of
// its blocks are of the file and nobody else's island is there. Otherwise the
// island is to be written to the blocks by itself, which gives their pages
// memory of their own.
bool takeInFile(const Block &block, const Extent &island);
// Sets the bytes that were taken; nullptr gives them back.
void setInFile(const Extent &island, const uint8_t *code);
// Writes the file with all that was set in it, and closes it. False: nothing
// that was set is there.
bool writeFile();

// Writes bytes that no thread can reach to a block by itself. False: that is
// not possible.
bool writeToBlock(Block &block, Extent part, const uint8_t *bytes);
// To be called when all is written to a block that was not Final. False: what
// was written is not there.
bool finishBlock(Block &block);
// Makes blocks executable that are not. False: some are not.
bool makeBlocksExecutable();

// How many bytes all blocks take.
size_t blockBytes();

} // namespace tprt

#endif
