// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of islands; see pun_pages.h.
#include "text/pun_pages.h"
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/search.h"
#include "base/sort.h"
#include "text/expected_run.h"
#include "text/text_writer.h"
#include "threads/status.h"

#include <string.h>

namespace tprt {

static constinit Placed<Block> blocks;

// The maximum size of a batch's file.
constexpr size_t kMostShared = 1 << 21;
// The size of all files in bytes. A file counts until its last block is
// unmapped.
static size_t fileBytes, fileBlocks;
static size_t ownPages;

// The maximum number of blocks, and whether the message that this maximum is
// reached was printed.
static size_t mostBlocks;
static bool saidSo;
static bool lacked; // see lackedBlocks()
// The mappings at the beginning of the batch, and the range into which the
// program's memory may grow. Most addresses that are not free are in these
// ranges, so fewer system calls are needed.
static constinit GlobalArray<Mapping> taken;
static GrowthRoom growing;

// Writes to pages that are not writable, between beginBlocks() and endBlocks().
static constinit UnreachedWriter writer;
// A page as it is before its first island: int3 throughout.
static constinit GlobalArray<uint8_t> blank;
// The file of a batch with many sites, and the image that will be written to
// it: islands, and int3 in all other bytes. Several addresses can share a page
// of the file if their islands are at different offsets.
static CodeFile file;
static uint8_t *image;
// The image, then a bit for each of its bytes, and then two more bytes, so that
// reads beyond the last bit are valid.
constexpr size_t kImageAndBits = kMostShared + kMostShared / 8 + 2;
// How many bytes are mapped; enough for one large page.
constexpr size_t kImageRange = 2 * kMostShared;
static_assert(kImageAndBits <= kImageRange);
static size_t imageBytes;   // How much of the image is in use.
static size_t sharedBlocks; // How many blocks belong to this file.
// Expected islands: the key is the address divided by kShared, and the value is
// the remainder.
static constinit GlobalArray<Keyed> expected;

static constexpr uint8_t kInt3 = 0xcc;

void beginBlocks(size_t sites) {
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
  // Far from the code, because puns may need the addresses near the code.
  image = static_cast<uint8_t *>(startRange(kImageRange));
  if (!image)
    return;
  file.open(image, kMostShared);
  if (!file.isOpen())
    freePages(image, kImageRange);
}

void endBlocks() {
  (*expected).reset();
  writer.close();
  (*taken).reset();
}

size_t spareBlocks() {
  const size_t share = mostBlocks / 4, now = blocks.size();
  return now < share ? share - now : 0;
}

size_t blockBytes() { return ownPages * pageBytes() + fileBytes; }

Placed<Block> &allBlocks() { return blocks; }

void beginSearch() { lacked = false; }
bool lackedBlocks() { return lacked; }

// --- addresses --------------------------------------------------------------

static bool mayTakeBlock() {
  if (blocks.size() < mostBlocks)
    return true;
  lacked = true;
  if (!saidSo)
    say(1,
        "%zu mappings hold islands of probes in code without sleds; there are "
        "no more, as the program needs mappings (vm.max_map_count), too",
        blocks.size());
  saidSo = true;
  return false;
}

static uint64_t pageOf(uint64_t address) {
  return address & ~(pageBytes() - 1);
}

static uint64_t sharedAt(uint64_t address) {
  return address & ~uint64_t{kShared - 1};
}

Block *blockAt(uint64_t address) {
  Block *block = blocks.find(sharedAt(address));
  return block && address < block->end() ? block : blocks.find(pageOf(address));
}

void dropBlock(Block *block) {
  if (--block->islands)
    return;
  freePages(reinterpret_cast<void *>(block->address), block->bytes);
  ownPages -= block->ownPages;
  if (block->bytes > pageBytes() && --fileBlocks == 0 && !file.isOpen())
    fileBytes = 0;
  blocks.remove(block);
}

// Whether something was mapped there, or the program's memory may grow there.
static bool isTaken(uint64_t start, uint64_t end) {
  // Most calls concern the same mapping as the previous call.
  static size_t found;
  const Array<Mapping> &all = *taken;
  size_t at = found;
  if (at > all.size() || (at && all[at - 1].end > start) ||
      (at < all.size() && all[at].end <= start))
    at = found = partitionPoint(0, all.size(),
                                [&](size_t i) { return all[i].end <= start; });
  return (at < all.size() && all[at].start < end) || growing.meets(start, end);
}

bool isForeign(uint64_t address) {
  uint64_t page = pageOf(address);
  return !blockAt(address) && isTaken(page, page + pageBytes());
}

// Where these bytes of a Shared block are in the file's image.
static uint8_t *imageOf(const Block &block, uint64_t address) {
  return image + block.offset + (address - block.address);
}

static bool isFreeInFile(const Block &block, const Extent &island) {
  if (block.contains(island) && island.end - island.start == kIslandBytes) {
    uint8_t blank[kIslandBytes];
    memset(blank, kInt3, sizeof blank);
    return memcmp(imageOf(block, island.start), blank, sizeof blank) == 0;
  }
  Extent part = block.partOf(island);
  for (uint64_t at = part.start; at < part.end; ++at)
    if (*imageOf(block, at) != kInt3)
      return false;
  return true;
}

// Chooses a place in the file where the bytes for the block's islands are free,
// and maps the block there. The file is so large that the first place is
// usually free. Returns false if some address is in use, or if the file is
// full.
static bool mapShared(Block &block, IslandList all) {
  constexpr size_t kBlocksPerPlace = 24, kTries = 4;
  auto suits = [&](size_t place) {
    block.offset = static_cast<uint32_t>(place * kShared);
    for (uint64_t one : all)
      if (one + all.bytes > block.address && one < block.end() &&
          !isFreeInFile(block, all.extentOf(one)))
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

// --- expected islands ------------------------------------------------------

void expectIslands(IslandList all) {
  for (uint64_t one : all)
    for (uint64_t at = one; file.isOpen() && at < one + all.bytes;
         at = sharedAt(at) + kShared)
      if (!(*expected).push({static_cast<uint32_t>(at / kShared),
                             static_cast<uint32_t>(at % kShared)}))
        return;
}

// Chooses where the run begins in the file: the best of several places.
static size_t placeOf(const ExpectedRun &run, Promised &promised) {
  constexpr size_t kTries = 8, kOdd = 37; // pages
  static size_t turn;
  const size_t pages = (imageBytes - run.bytes()) / pageBytes() + 1;
  size_t best = 0, least = SIZE_MAX;
  for (size_t i = 0; i < kTries && least; ++i) {
    size_t offset = turn++ * kOdd % pages * pageBytes();
    size_t collisions = run.collisionsAt(offset, promised);
    if (collisions < least) {
      least = collisions;
      best = offset;
    }
  }
  for (const Keyed *one = run.first; one < run.last; ++one)
    promised.add(best + run.inRun(*one));
  return best;
}

static bool addShared(uint64_t address, size_t offset) {
  if (!blocks.insert({address, 0, kShared, 0, static_cast<uint32_t>(offset), 0,
                      BlockState::Shared, false}))
    return false;
  ++sharedBlocks;
  ++fileBlocks;
  return true;
}

static void mapRun(const ExpectedRun &run, Promised &promised) {
  if (blocks.size() + run.blocks > mostBlocks)
    return;
  size_t offset = placeOf(run, promised), done = 0;
  if (!file.mapExactly(run.start(), run.bytes(), offset))
    return;
  while (done < run.bytes() && addShared(run.start() + done, offset + done))
    done += kShared;
  if (done < run.bytes())
    freePages(reinterpret_cast<void *>(run.start() + done), run.bytes() - done);
}

// The run that ends with the island before `last`, and has at most `most`
// blocks.
static ExpectedRun runBefore(const Keyed *begin, const Keyed *last,
                             uint32_t most) {
  ExpectedRun run = {last, last, (last - 1)->key + 1, 0};
  while (run.first > begin && (run.first - 1)->key + 1 >= run.firstBlock) {
    bool isNext = (run.first - 1)->key < run.firstBlock;
    uint64_t address = run.start() - kShared;
    if (isNext && (run.blocks == most || blocks.find(address) ||
                   isTaken(address, address + kShared)))
      break;
    run.blocks += isNext;
    run.firstBlock -= isNext;
    --run.first;
  }
  return run;
}

void mapExpected() {
  constexpr size_t kBlocksPerPlace = 24, kMost = kMostShared / kShared;
  Array<Keyed> &all = *expected;
  Promised promised = {image + kMostShared}; // no bit is set yet
  if (all.empty() || imageBytes || !sortByKey(all))
    return;
  size_t count = 1;
  for (size_t i = 1; i < all.size(); ++i)
    count += all[i].key != all[i - 1].key;
  size_t places = count / kBlocksPerPlace + 1;
  places = places < kMost ? places : kMost;
  imageBytes = places * kShared;
  if (imageBytes > kMostShared / 2) // else clearing takes longer
    preferLargePages(image, kImageRange);
  populatePages(image, imageBytes);
  memset(image, kInt3, imageBytes);
  // A run as long as the file could begin at only one place.
  auto most = static_cast<uint32_t>(places > 1 ? places - 1 : 1);
  // Downwards, because the kernel maps them faster in this order.
  for (const Keyed *end = all.end(); end > all.begin();) {
    const uint32_t key = (end - 1)->key;
    ExpectedRun run = runBefore(all.begin(), end, most);
    if (run.blocks)
      mapRun(run, promised);
    end = run.first;
    while (!run.blocks && end > all.begin() && (end - 1)->key == key)
      --end;
  }
  all.clear();
}

// Unmaps blocks whose expected islands found no place.
static void dropUnused() {
  for (size_t i = blocks.size(); i-- > 0;)
    if (Block *block = blocks.begin() + i; !block->islands) {
      ++block->islands;
      dropBlock(block);
    }
}

// --- taking blocks ----------------------------------------------------------

Block *takeBlock(uint64_t address, IslandList all) {
  if (Block *block = blockAt(address)) {
    ++block->islands;
    return block;
  }
  if (!mayTakeBlock())
    return nullptr;
  Block block = {sharedAt(address), 0,    kShared, 1, 0, 0,
                 BlockState::Blank, false};
  if (!file.isOpen() || isTaken(block.address, block.end()) ||
      !mapShared(block, all)) {
    block.address = pageOf(address);
    block.bytes = static_cast<uint32_t>(pageBytes());
    if (isTaken(block.address, block.end()) || !mapOwn(block))
      return nullptr;
  }
  if (blocks.insert(block))
    return blocks.end() - 1;
  freePages(reinterpret_cast<void *>(block.address), block.bytes);
  ownPages -= block.ownPages;
  fileBlocks -= block.bytes > pageBytes();
  return nullptr;
}

// --- the file ---------------------------------------------------------------

bool hasFile() { return file.isOpen(); }

void setInFile(const Extent &island, const uint8_t *code) {
  if (Block *block = blockAt(island.start); code && block->contains(island)) {
    memcpy(imageOf(*block, island.start), code, island.end - island.start);
    return;
  }
  visitParts(island, [&](const Block &block, Extent part) {
    uint8_t *to = imageOf(block, part.start);
    size_t bytes = part.end - part.start;
    if (code)
      memcpy(to, code + (part.start - island.start), bytes);
    else
      memset(to, kInt3, bytes);
  });
}

bool takeInFile(const Block &block, const Extent &island) {
  constexpr uint8_t kTaken[kWordBytes] = {};
  static_assert(kWordBytes >= kIslandBytes);
  if (block.contains(island)) {
    if (block.state != BlockState::Shared || !isFreeInFile(block, island))
      return false;
    memcpy(imageOf(block, island.start), kTaken, island.end - island.start);
    return true;
  }
  bool shared = true;
  visitParts(island, [&](const Block &block, Extent) {
    shared = shared && block.state == BlockState::Shared &&
             isFreeInFile(block, island);
  });
  if (shared)
    setInFile(island, kTaken);
  return shared;
}

bool writeFile() {
  dropUnused();
  const bool written = !imageBytes || file.write(image, imageBytes);
  for (Block &block : blocks)
    if (block.state == BlockState::Shared)
      block.state = BlockState::Final;
  fileBytes += imageBytes;
  sharedBlocks = imageBytes = 0;
  freePages(image, kImageRange);
  file.close();
  return written;
}

// --- blocks by themselves ---------------------------------------------------

bool writeToBlock(Block &block, Extent part, const uint8_t *bytes) {
  size_t count = part.end - part.start;
  if (block.state != BlockState::Final) {
    const bool isBlank = block.state == BlockState::Blank;
    memcpy(isBlank ? &(*blank)[part.start - block.address]
                   : reinterpret_cast<uint8_t *>(part.start),
           bytes, count);
    return true;
  }
  const bool written = writer.write(part.start, bytes, count) ||
                       writeUnreached(part.start, bytes, count);
  // If the page belonged to a file, it has its own memory from now on.
  bool more = block.ownPages < block.bytes / pageBytes();
  block.ownPages += more;
  ownPages += more;
  return written;
}

// Writes a page for the first time. If the system forbids the write, the page
// is mapped again as a writable page.
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

bool finishBlock(Block &block) {
  if (block.state != BlockState::Blank)
    return true;
  uint8_t *whole = &(*blank)[0];
  bool written = writeWhole(block, whole);
  memset(whole, kInt3, pageBytes());
  return written;
}

bool makeBlocksExecutable() {
  bool all = true;
  for (Block &block : blocks)
    if (block.state == BlockState::Writable) {
      bool made = makeExecutable(block.address, block.bytes);
      block.state = made ? BlockState::Final : BlockState::Writable;
      all &= made;
    }
  return all;
}

} // namespace tprt
