// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Landings of puns; see puns.h.
#include "core/puns.h"
#include "core/homes.h"
#include "core/os.h"
#include "core/placed.h"
#include "core/plain/pages.h"
#include "core/plain/search.h"
#include "core/status.h"
#include "core/textwriter.h"

#include <string.h>

namespace tprt {

namespace {
enum class BlockState : uint8_t {
  Writable, // It is to become executable.
  Blank,    // It is executable, and nothing was written to it.
  Shared,   // It is of the file, which is not written yet.
  Final     // It is executable, and has int3 where no landing is.
};
// Pages that were mapped in one call: one page, or of the file kShared bytes.
struct Block {
  uint64_t address;
  uint32_t next;
  uint32_t bytes;
  uint32_t landings; // That begin in it, or end in it.
  uint32_t offset;   // Shared: where it begins in the file.
  uint16_t ownPages; // How many have memory of their own.
  BlockState state;
  bool waits; // makePuns() is to write to it.

  uint64_t end() const { return address + bytes; }
};
enum class PunState : uint8_t {
  Reserved,
  Written, // makePuns() is to write it.
  Made
};
// One landing.
struct Pun {
  uint64_t address;
  uint64_t stub; // Where it leads, unless it is Reserved.
  uint32_t next;
  PunState state;
  bool isShared; // Its bytes in the file are its own, and the file is open.
};
} // namespace

static constinit Placed<Block> blocks;
static constinit Placed<Pun> puns;
// Whether some landing is Written.
static bool anyWritten;

// Blocks of a file are as large and begin at a multiple of that.
constexpr uint32_t kShared = 1 << 16;
// How much memory the file of a batch has at most.
constexpr size_t kMostShared = 1 << 20;
// What files take, in bytes. It counts until the last block of any file goes.
static size_t fileBytes, fileBlocks;
static size_t ownPages;

// How many blocks there may be, and whether it was said that there are as many.
static size_t mostBlocks;
static bool saidSo;
// What was taken when the batch began. Most addresses that have no room are
// there, so that the system need not be asked. And where the program's memory
// may grow to.
static constinit GlobalArray<Mapping> taken;
static GrowthRoom growing;

// Writes to pages that are not writable, between beginPuns() and endPuns().
static constinit UnreachedWriter writer;
// A page as it is before its first landing: int3 throughout.
static constinit GlobalArray<uint8_t> blank;
// The file of a batch with many sites, and what will be written to it: int3
// where nobody has a landing. Addresses share a page of it if their landings
// are at different offsets.
static CodeFile file;
static uint8_t *image;
static size_t imageBytes;   // How much of the image is in use.
static size_t sharedBlocks; // How many blocks are of this file.

static constexpr uint8_t kInt3 = 0xcc;
static void writeFile();

void beginPuns(size_t sites) {
  constexpr size_t kMost = 32768, kMany = 64;
  (*taken).clear();
  MappingCount mappings = countMappings(*taken);
  growing = readGrowthRoom();
  size_t own = blocks.size();
  size_t others = mappings.now > own ? mappings.now - own : 0;
  size_t half = mappings.most > others ? (mappings.most - others) / 2 : 0;
  mostBlocks = half < kMost ? half : kMost;
  saidSo = false;
  if ((*blank).empty() && (*blank).resize(pageBytes()))
    memset(&(*blank)[0], kInt3, pageBytes());
  if ((*blank).empty())
    return;
  writer.open();
  if (sites < kMany || !writer.isOpen())
    return;
  // Far away, as it would take addresses near the code that puns may need.
  image = static_cast<uint8_t *>(startRange(kMostShared));
  if (image)
    file.open(image, kMostShared);
  if (image && !file.isOpen())
    freePages(image, kMostShared);
}

void endPuns() {
  if (file.isOpen())
    writeFile();
  writer.close();
  (*taken).reset();
}

static bool mayTakeBlock() {
  if (blocks.size() < mostBlocks)
    return true;
  if (!saidSo)
    say(1,
        "%zu mappings hold landings of probes in code without sleds; there are "
        "no more, as the program needs mappings (vm.max_map_count), too",
        blocks.size());
  saidSo = true;
  return false;
}

size_t punBytes() { return ownPages * pageBytes() + fileBytes; }

static uint64_t pageOf(uint64_t address) {
  return address & ~(pageBytes() - 1);
}

static uint64_t sharedAt(uint64_t address) {
  return address & ~uint64_t{kShared - 1};
}

// The block that has this address.
static Block *blockAt(uint64_t address) {
  Block *block = blocks.find(sharedAt(address));
  return block && address < block->end() ? block : blocks.find(pageOf(address));
}

static void dropBlock(Block *block) {
  if (--block->landings)
    return;
  freePages(reinterpret_cast<void *>(block->address), block->bytes);
  ownPages -= block->ownPages;
  if (block->bytes > pageBytes() && --fileBlocks == 0 && !file.isOpen())
    fileBytes = 0;
  blocks.remove(block);
}

// Whether something was mapped there, or the program's memory may grow there.
static bool isTaken(uint64_t start, uint64_t end) {
  const Array<Mapping> &all = *taken;
  size_t at = partitionPoint(0, all.size(),
                             [&](size_t i) { return all[i].end <= start; });
  bool is = at < all.size() && all[at].start < end;
  for (uint64_t page = start; page < end && !is; page += pageBytes())
    is = growing.has(page);
  return is;
}

namespace {
// All landings of one pun. The first is that of the code as it is. The others
// are where the jump leads while breakpoints are set at the instructions behind
// it, whose first bytes are then int3.
struct Landings {
  uint64_t at[16];
  unsigned count = 0;

  Landings(uint64_t sled, uint64_t first, uint8_t starts) {
    constexpr uint32_t kBreakpoint = 0xcc;
    auto displacement = static_cast<uint32_t>(first - landingAt(sled, 0));
    at[count++] = displacement;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned shift = i * 8;
      if (!(starts >> i & 1) || (displacement >> shift & 0xff) == kBreakpoint)
        continue;
      for (unsigned j = 0, before = count; j < before; ++j)
        at[count++] = (static_cast<uint32_t>(at[j]) & ~(0xffu << shift)) |
                      kBreakpoint << shift;
    }
    for (uint64_t &one : *this)
      one = landingAt(sled, static_cast<uint32_t>(one));
  }
  uint64_t *begin() { return at; }
  uint64_t *end() { return at + count; }
};
} // namespace

// The part of a landing at `address` that lies in a block.
static Extent partIn(const Block &block, uint64_t address) {
  uint64_t end = address + kLandingBytes;
  return {address > block.address ? address : block.address,
          end < block.end() ? end : block.end()};
}

// Where these bytes of a Shared block are in the file's image.
static uint8_t *imageOf(const Block &block, uint64_t address) {
  return image + block.offset + (address - block.address);
}

static bool isFreeInFile(const Block &block, uint64_t landing) {
  Extent part = partIn(block, landing);
  for (uint64_t at = part.start; at < part.end; ++at)
    if (*imageOf(block, at) != kInt3)
      return false;
  return true;
}

// Chooses a place in the file where those of the landings have room that lie in
// the block, and maps it. The file is so large that most find room at once.
// False: some address is taken, or the file is full.
static bool mapShared(Block &block, Landings all) {
  constexpr size_t kBlocksPerPlace = 24, kTries = 4;
  auto suits = [&](size_t place) {
    block.offset = static_cast<uint32_t>(place * kShared);
    for (uint64_t one : all)
      if (one + kLandingBytes > block.address && one < block.end() &&
          !isFreeInFile(block, one))
        return false;
    return true;
  };
  const size_t places = imageBytes / kShared;
  const bool isFull = places == kMostShared / kShared;
  size_t tries = 0, most = 0;
  if (isFull || places * kBlocksPerPlace > sharedBlocks)
    most = places < kTries ? places : kTries;
  while (tries < most && !suits((sharedBlocks + tries) % places))
    ++tries;
  if (tries == most) {
    if (isFull)
      return false;
    memset(image + imageBytes, kInt3, kShared);
    imageBytes += kShared;
    block.offset = static_cast<uint32_t>(places * kShared);
  }
  if (!file.mapExactly(block.address, block.bytes, block.offset))
    return false;
  block.state = BlockState::Shared;
  ++sharedBlocks;
  ++fileBlocks;
  return true;
}

static bool mapOwn(Block &block) {
  if (!writer.isOpen() || !allocateCodeExactly(block.address, block.bytes)) {
    if (!allocateExactly(block.address, block.bytes))
      return false;
    memset(reinterpret_cast<void *>(block.address), kInt3, block.bytes);
    block.state = BlockState::Writable;
  }
  ++ownPages;
  block.ownPages = 1;
  return true;
}

// Reserves the page of an address, or counts one more landing in its block.
// `all` are the landings for which it is reserved. False: it is somebody
// else's, or there are too many.
static bool takeBlock(uint64_t address, const Landings &all) {
  if (Block *block = blockAt(address)) {
    ++block->landings;
    return true;
  }
  if (!mayTakeBlock())
    return false;
  Block block = {sharedAt(address), 0,    kShared, 1, 0, 0,
                 BlockState::Blank, false};
  if (!file.isOpen() || isTaken(block.address, block.end()) ||
      !mapShared(block, all)) {
    block.address = pageOf(address);
    block.bytes = static_cast<uint32_t>(pageBytes());
    if (isTaken(block.address, block.end()) || !mapOwn(block))
      return false;
  }
  if (blocks.insert(block))
    return true;
  freePages(reinterpret_cast<void *>(block.address), block.bytes);
  ownPages -= block.ownPages;
  fileBlocks -= block.bytes > pageBytes();
  return false;
}

// Whether no other landing overlaps one at this address.
static bool isFreeAt(uint64_t address) {
  uint64_t first = address - (kLandingBytes - 1),
           last = address + (kLandingBytes - 1);
  auto overlaps = [&](const Pun &pun) {
    return pun.address >= first && pun.address <= last;
  };
  return !puns.hasNear(first, overlaps) &&
         (pageOf(first) == pageOf(last) || !puns.hasNear(last, overlaps));
}

static bool reaches(uint64_t address, uint64_t stub) {
  auto distance = static_cast<int64_t>(stub - address);
  return distance < kStubReach && distance > -kStubReach;
}

// Calls `take` with each block in which a landing has bytes, and these bytes.
template <class Take>
static void visitParts(uint64_t address, const Take &take) {
  const uint64_t end = address + kLandingBytes;
  for (uint64_t at = address; at < end;) {
    Block *block = blockAt(at);
    uint64_t from = at;
    at = block ? block->end() : pageOf(at) + pageBytes();
    if (block)
      take(*block, Extent{from, at < end ? at : end});
  }
}

// Sets the landing's bytes in the file's image.
static void setInFile(uint64_t address, const uint8_t *code) {
  visitParts(address, [&](const Block &block, Extent part) {
    memcpy(imageOf(block, part.start), code + (part.start - address),
           part.end - part.start);
  });
}

// Takes the landing's bytes in the file, if its pages are of the file and
// nobody else's landing is there. Otherwise the landing is written to the pages
// by itself, which gives them memory of their own.
static bool takeInFile(uint64_t address) {
  constexpr uint8_t kTaken[kLandingBytes] = {};
  bool shared = true;
  visitParts(address, [&](const Block &block, Extent) {
    shared = shared && block.state == BlockState::Shared &&
             isFreeInFile(block, address);
  });
  if (shared)
    setInFile(address, kTaken);
  return shared;
}

static bool takePlace(uint64_t address, uint64_t stub, const Landings &all) {
  constexpr uint64_t kLowest = 1 << 16, kHighest = uint64_t{1} << 47;
  if (address < kLowest || address + kLandingBytes > kHighest ||
      !reaches(address, stub) || !isFreeAt(address))
    return false;
  const uint64_t last = address + kLandingBytes - 1;
  if (!takeBlock(address, all))
    return false;
  bool inOne = last < blockAt(address)->end();
  if ((inOne || takeBlock(last, all)) &&
      puns.insert(Pun{address, 0, 0, PunState::Reserved, false})) {
    puns.find(address)->isShared = takeInFile(address);
    return true;
  }
  // What was taken of it.
  if (Block *block = inOne ? nullptr : blockAt(last);
      block && block->landings == 1 && block->state != BlockState::Final)
    dropBlock(block);
  dropBlock(blockAt(address));
  return false;
}

static void dropPlace(uint64_t address) {
  Pun *pun = puns.find(address);
  if (!pun)
    return;
  if (pun->isShared)
    setInFile(address, &(*blank)[0]);
  puns.remove(pun);
  const uint64_t last = address + kLandingBytes - 1;
  if (last >= blockAt(address)->end())
    dropBlock(blockAt(last));
  dropBlock(blockAt(address));
}

// Takes places for all landings of a pun, or for none.
static bool takePlaces(Landings all, uint64_t stub) {
  unsigned taken = 0;
  while (taken < all.count && takePlace(all.at[taken], stub, all))
    ++taken;
  if (taken == all.count)
    return true;
  while (taken)
    dropPlace(all.at[--taken]);
  return false;
}

uint64_t reservePun(uint64_t sled, FixedBits bits, uint8_t starts,
                    uint64_t stub) {
  constexpr uint32_t kFew = 64;
  const uint32_t own = ~bits.mask; // The bits that may be chosen.
  uint32_t step = own / kFew ? own / kFew : 1;
  for (uint64_t choice = 0; choice <= own; choice += step) {
    auto displacement = bits.value | (static_cast<uint32_t>(choice) & own);
    uint64_t address = landingAt(sled, displacement);
    if (takePlaces(Landings(sled, address, starts), stub))
      return address;
  }
  return 0;
}

bool isPunMade(uint64_t sled, uint64_t landing, uint8_t starts) {
  bool made = true;
  for (uint64_t one : Landings(sled, landing, starts)) {
    const Pun *pun = puns.find(one);
    made = made && pun && pun->state == PunState::Made;
  }
  return made;
}

// Writes a page that nobody has written to yet. If the system does not let us
// write there, the page is mapped again as one that can be written.
static bool writeWhole(Block &block, const uint8_t *whole) {
  if (writer.write(block.address, whole, block.bytes)) {
    block.state = BlockState::Final;
    return true;
  }
  writer.close();
  if (!makeWritable(block.address, block.bytes))
    return false;
  block.state = BlockState::Writable;
  memcpy(reinterpret_cast<void *>(block.address), whole, block.bytes);
  return true;
}

// Writes the file, with all landings that are in it. If that fails, none of
// these is made.
static void writeFile() {
  uint8_t code[kLandingBytes];
  for (Pun &pun : puns) {
    if (!pun.isShared)
      continue;
    memset(code, kInt3, sizeof code);
    if (pun.state == PunState::Written)
      writeLanding(code, pun.address, pun.stub);
    setInFile(pun.address, code);
    pun.isShared = pun.state == PunState::Written;
  }
  const bool written = !imageBytes || file.write(image, imageBytes);
  for (Pun &pun : puns)
    if (pun.isShared && !written)
      pun.state = PunState::Reserved;
  for (Block &block : blocks)
    if (block.state == BlockState::Shared)
      block.state = BlockState::Final;
  fileBytes += imageBytes;
  sharedBlocks = imageBytes = 0;
  freePages(image, kMostShared);
  file.close();
}

// Writes what is to be written to a block by itself. Threads may run other
// landings of a block that is Final; their bytes stay as they are. To these
// landings no sled leads before makePuns() calls them Made and the batch has
// synchronised the cores (flip.h), so any order will do. A landing that cannot
// be written to a Final block is not made.
static bool writeTo(Block &block) {
  const bool isBlank = block.state == BlockState::Blank;
  uint8_t *whole = &(*blank)[0];
  bool all = true;
  auto write = [&](Pun &pun) {
    if (pun.state != PunState::Written || pun.isShared)
      return false;
    uint8_t code[kLandingBytes];
    writeLanding(code, pun.address, pun.stub);
    Extent part = partIn(block, pun.address);
    if (part.start >= part.end)
      return false; // it is in another block
    const uint8_t *bytes = code + (part.start - pun.address);
    size_t count = part.end - part.start;
    if (block.state == BlockState::Final) {
      if (!writer.write(part.start, bytes, count))
        pun.state = PunState::Reserved;
      // If the page was of a file, it has memory of its own from now on.
      bool more = block.ownPages < block.bytes / pageBytes();
      block.ownPages += more;
      ownPages += more;
    } else {
      memcpy(isBlank ? whole + (part.start - block.address)
                     : reinterpret_cast<uint8_t *>(part.start),
             bytes, count);
    }
    return false; // go on
  };
  for (uint64_t at = block.address; at < block.end(); at += pageBytes())
    puns.hasNear(at, write);
  puns.hasNear(block.address - 1, write);
  if (isBlank) {
    all = writeWhole(block, whole);
    memset(whole, kInt3, pageBytes());
  }
  return all;
}

// Writes each page once, with all of its new landings: a system call per page
// is most of what puns cost without a file.
static bool writeAll() {
  bool written = true;
  if (file.isOpen())
    writeFile();
  for (const Pun &pun : puns)
    if (pun.state == PunState::Written && !pun.isShared)
      visitParts(pun.address, [](Block &block, Extent) { block.waits = true; });
  for (Block &block : blocks)
    if (block.waits) {
      block.waits = false;
      written &= writeTo(block);
    }
  return written;
}

void leadPun(uint64_t sled, uint64_t landing, uint8_t starts, uint64_t wanted,
             uint64_t stub) {
  Landings all(sled, landing, starts);
  bool reach = wanted != 0;
  for (uint64_t one : all)
    reach = reach && reaches(one, wanted);
  for (uint64_t one : all) {
    Pun *pun = puns.find(one);
    pun->stub = reach ? wanted : stub;
    pun->state = PunState::Written;
  }
  anyWritten = true;
}

void makePuns() {
  if (!anyWritten)
    return;
  anyWritten = false;
  noteChangedHomes();
  bool all = writeAll();
  for (Block &block : blocks)
    if (block.state == BlockState::Writable) {
      bool made = makeExecutable(block.address, block.bytes);
      block.state = made ? BlockState::Final : BlockState::Writable;
      all &= made;
    }
  for (Pun &pun : puns)
    pun.isShared = false;
  for (Pun &pun : puns)
    if (pun.state == PunState::Written)
      pun.state = all ? PunState::Made : PunState::Reserved;
}

void visitPuns(void (*tell)(uint64_t landing, uint64_t stub, void *data),
               void *data) {
  for (const Pun &pun : puns)
    if (pun.state == PunState::Made)
      tell(pun.address, pun.stub, data);
}

void freePuns(Module *module) {
  if (!module->puns.empty())
    noteChangedHomes();
  for (uint32_t i = 0; i < module->puns.size(); ++i) {
    const CodeSite &code = module->code[i];
    if (uint64_t landing = module->puns[i])
      for (uint64_t one :
           Landings(module->origin + code.at, landing, code.starts))
        dropPlace(one);
  }
  module->puns.reset();
}

} // namespace tprt
