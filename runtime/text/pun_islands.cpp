// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands of puns; see pun_islands.h.
#include "text/pun_islands.h"
#include "base/page_hash.h"
#include "base/page_size.h"
#include "text/pc_map.h"
#include "text/pun_pages.h"

#include <string.h>

namespace tprt {

OneByte oneByte = OneByte::Preferred;

namespace {
enum class PunState : uint8_t {
  Reserved,
  Written, // makePuns() has to write it.
  Made
};
// One island.
struct Pun {
  uint64_t address;
  uint64_t stub; // Where it leads, unless it is Reserved.
  uint32_t next;
  PunState state;
  bool isShared; // The island has bytes in the open file.
  bool isWord;

  Extent extent() const {
    return {address, address + (isWord ? kWordBytes : kIslandBytes)};
  }
};
} // namespace

static constinit Placed<Pun> puns;
// Whether some island is Written.
static bool anyWritten;

static void writeShared();

void beginPuns(size_t sites) { beginBlocks(sites); }

void endPuns() {
  if (hasFile())
    writeShared();
  endBlocks();
}

size_t sparePuns() { return spareBlocks(); }

size_t punBytes() { return blockBytes(); }

namespace {
// All islands of one pun. The jump leads to the first island while there are no
// breakpoints. The jump leads to the other islands while breakpoints are set at
// the instructions after the site, whose first bytes are then int3.
struct Islands {
  uint64_t at[16];
  unsigned count = 0;
  bool areWords;

  Islands(const PunJump &jump, uint64_t first) : areWords(jump.isByWord) {
    constexpr uint32_t kBreakpoint = 0xcc;
    auto displacement = static_cast<uint32_t>(first - punAt(jump, 0));
    at[count++] = displacement;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned shift = i * 8;
      if (!(jump.starts >> i & 1) ||
          (displacement >> shift & 0xff) == kBreakpoint)
        continue;
      for (unsigned j = 0, before = count; j < before; ++j)
        at[count++] = (static_cast<uint32_t>(at[j]) & ~(0xffu << shift)) |
                      kBreakpoint << shift;
    }
    for (uint64_t &one : *this)
      one = punAt(jump, static_cast<uint32_t>(one));
  }
  uint64_t *begin() { return at; }
  uint64_t *end() { return at + count; }
  operator IslandList() const {
    return {at, count, areWords ? kWordBytes : kIslandBytes};
  }
};
} // namespace

// Whether no other island overlaps this one.
static bool isFree(const Extent &island) {
  const uint64_t first = island.start - (kWordBytes - 1), last = island.end - 1;
  auto overlaps = [&](const Pun &pun) {
    const Extent other = pun.extent();
    return other.start < island.end && island.start < other.end;
  };
  return !puns.hasNear(first, overlaps) &&
         (first / pageBytes() == last / pageBytes() ||
          !puns.hasNear(last, overlaps));
}

static bool reaches(uint64_t address, uint64_t stub) {
  auto distance = static_cast<int64_t>(stub - address);
  return distance < kStubReach && distance > -kStubReach;
}

// `stubs` is empty if the island is a word, because a word reaches any address.
static bool isPossible(const Extent &island, const Extent &stubs) {
  constexpr uint64_t kLowest = 1 << 16, kHighest = uint64_t{1} << 47;
  return island.start >= kLowest && island.end <= kHighest &&
         (!stubs.end || (reaches(island.start, stubs.start) &&
                         reaches(island.start, stubs.end))) &&
         isFree(island);
}

static bool takePlace(const Extent &island, const Extent &stubs,
                      IslandList all) {
  if (!isPossible(island, stubs))
    return false;
  const uint64_t address = island.start, last = island.end - 1;
  const Block *block = takeBlock(address, all);
  if (!block)
    return false;
  bool inOne = block->contains(island);
  if ((inOne || takeBlock(last, all)) &&
      puns.insert(Pun{address, 0, 0, PunState::Reserved, false, !stubs.end})) {
    block = inOne ? block : blockAt(address);
    (puns.end() - 1)->isShared = takeInFile(*block, island);
    return true;
  }
  // Release what was reserved for the island.
  if (Block *block = inOne ? nullptr : blockAt(last);
      block && block->islands == 1 && block->state != BlockState::Final)
    dropBlock(block);
  dropBlock(blockAt(address));
  return false;
}

static void dropPlace(uint64_t address) {
  Pun *pun = puns.find(address);
  if (!pun)
    return;
  const Extent island = pun->extent();
  if (pun->isShared)
    setInFile(island, nullptr);
  puns.remove(pun);
  const uint64_t last = island.end - 1;
  if (last >= blockAt(address)->end())
    dropBlock(blockAt(last));
  dropBlock(blockAt(address));
}

// Reserves places for all islands of a pun, or for none.
static bool takePlaces(Islands all, const PunReach &stubs) {
  const IslandList list = all;
  unsigned taken = 0;
  while (taken < all.count &&
         takePlace(list.extentOf(all.at[taken]), stubs.of(taken), list))
    ++taken;
  if (taken == all.count)
    return true;
  while (taken)
    dropPlace(all.at[--taken]);
  return false;
}

// Whether takePlaces() may find a place for each of the islands. This is
// checked first, because takePlaces() would map memory for some islands before
// it finds that another island has no place.
static bool mayTakePlaces(IslandList all, const PunReach &stubs) {
  unsigned i = 0;
  for (uint64_t one : all)
    if (const Extent island = all.extentOf(one);
        !isPossible(island, stubs.of(i++)) || isForeign(one) ||
        isForeign(island.end - 1))
      return false;
  return true;
}

static unsigned countOf(unsigned starts) {
  unsigned count = 0;
  for (; starts; starts &= starts - 1)
    ++count;
  return count;
}

// Calls attempt(jump) until it returns true: first for the pun with all of its
// islands, then without the islands for breakpoints at one start, at two
// starts, and so on. The first start is omitted last, because a stepping
// debugger sets most of its breakpoints there.
template <class Attempt>
static bool tryStarts(const PunJump &jump, const Attempt &attempt) {
  constexpr unsigned kAll = 0xf;
  for (unsigned without = 0; without <= 4; ++without)
    for (unsigned left = kAll + 1; left-- > 0;) {
      const unsigned dropped = left & jump.starts;
      if (left != dropped || countOf(dropped) != without)
        continue;
      PunJump fewer = jump;
      fewer.starts = static_cast<uint8_t>(jump.starts & ~dropped);
      if (attempt(fewer))
        return true;
    }
  return false;
}

// The stubs that the islands of a pun must reach: none, if a word leads there.
static PunReach reachedBy(const PunJump &jump, const PunReach &stubs) {
  return jump.isByWord ? PunReach{} : stubs;
}

// reservePun() tries this choice first.
void expectPun(const PunJump &jump, const PunReach &stubs) {
  if (hasFile())
    tryStarts(jump, [&](const PunJump &one) {
      Islands all(one, punAt(one, one.bits.value));
      const bool may = mayTakePlaces(all, reachedBy(one, stubs));
      if (may)
        expectIslands(all);
      return may;
    });
}

void mapExpectedPuns() { mapExpected(); }

static uint64_t reserveAll(const PunJump &jump, const PunReach &stubs) {
  constexpr uint32_t kFew = 64;
  const uint32_t own = ~jump.bits.mask; // The bits that may be chosen.
  const PunReach reached = reachedBy(jump, stubs);
  uint32_t step = own / kFew ? own / kFew : 1;
  for (uint64_t choice = 0; choice <= own; choice += step) {
    uint64_t address =
        punAt(jump, jump.bits.value | (static_cast<uint32_t>(choice) & own));
    Islands all(jump, address);
    if ((!choice || mayTakePlaces(all, reached)) && takePlaces(all, reached))
      return address;
  }
  return 0;
}

uint64_t reservePun(PunJump &jump, const PunReach &stubs, bool needsAll) {
  beginSearch();
  uint64_t island = reserveAll(jump, stubs);
  if (!island && !needsAll)
    tryStarts(jump, [&](const PunJump &one) {
      island = one.starts == jump.starts ? 0 : reserveAll(one, stubs);
      jump.starts = island ? one.starts : jump.starts;
      return island != 0;
    });
  return island;
}

bool lackedMappings() { return lackedBlocks(); }

bool isPunMade(const PunJump &jump, uint64_t island) {
  for (uint64_t one : Islands(jump, island)) {
    const Pun *pun = puns.find(one);
    if (!pun || pun->state != PunState::Made)
      return false;
  }
  return true;
}

static void writePun(uint8_t *out, const Pun &pun) {
  if (pun.isWord)
    memcpy(out, &pun.stub, sizeof pun.stub);
  else
    writeIsland(out, pun.address, pun.stub);
}

// Writes the file with all of its islands. If that fails, none of these islands
// is made.
static void writeShared() {
  uint8_t code[kWordBytes];
  for (Pun &pun : puns) {
    if (!pun.isShared)
      continue;
    pun.isShared = pun.state == PunState::Written;
    if (pun.isShared)
      writePun(code, pun);
    setInFile(pun.extent(), pun.isShared ? code : nullptr);
  }
  const bool written = writeFile();
  for (Pun &pun : puns)
    if (pun.isShared && !written)
      pun.state = PunState::Reserved;
}

// Writes the islands of a block that are not written through the file. Threads
// may run other islands of a Final block; the bytes of those are not changed.
// No sled leads to the new islands until makePuns() has marked them as Made and
// the batch has synchronized the cores (batch.h). So the order of the writes
// does not matter. An island that cannot be written to a Final block is not
// made.
static bool writeTo(Block &block) {
  auto write = [&](Pun &pun) {
    if (pun.state != PunState::Written || pun.isShared)
      return false;
    Extent part = block.partOf(pun.extent());
    if (part.start >= part.end)
      return false; // it is in another block
    uint8_t code[kWordBytes];
    writePun(code, pun);
    if (!writeToBlock(block, part, code + (part.start - pun.address)))
      pun.state = PunState::Reserved;
    return false; // go on
  };
  for (uint64_t at = block.address; at < block.end(); at += pageBytes())
    puns.hasNear(at, write);
  puns.hasNear(block.address - 1, write);
  return finishBlock(block);
}

// Writes each page once, with all of its new islands. Without a file, the
// system call for each page is most of the cost of puns.
static bool writeAll() {
  bool written = true;
  if (hasFile())
    writeShared();
  for (const Pun &pun : puns)
    if (pun.state == PunState::Written && !pun.isShared)
      visitParts(pun.extent(),
                 [](Block &block, Extent) { block.waits = true; });
  for (Block &block : allBlocks())
    if (block.waits) {
      block.waits = false;
      written &= writeTo(block);
    }
  return written;
}

void leadPun(const PunJump &jump, uint64_t island, const PunStubs &first,
             const PunStubs &forBreakpoints) {
  Islands all(jump, island);
  auto stubFor = [&](const uint64_t &one) -> uint64_t {
    const PunStubs &to = &one == all.begin() ? first : forBreakpoints;
    const uint64_t stubs[] = {to.wanted, to.general};
    for (uint64_t stub : stubs)
      if (stub && (jump.isByWord || reaches(one, stub)))
        return stub;
    return 0;
  };
  for (const uint64_t &one : all)
    if (!stubFor(one))
      return;
  for (const uint64_t &one : all) {
    Pun *pun = puns.find(one);
    pun->stub = stubFor(one);
    pun->state = PunState::Written;
  }
  anyWritten = true;
}

void makePuns() {
  if (!anyWritten)
    return;
  anyWritten = false;
  noteChangedPcMap();
  bool all = writeAll();
  all &= makeBlocksExecutable();
  for (Pun &pun : puns)
    pun.isShared = false;
  for (Pun &pun : puns)
    if (pun.state == PunState::Written)
      pun.state = all ? PunState::Made : PunState::Reserved;
}

void visitPuns(void (*tell)(uint64_t island, uint64_t stub, void *data),
               void *data) {
  for (const Pun &pun : puns)
    if (pun.state == PunState::Made && !pun.isWord)
      tell(pun.address, pun.stub, data);
}

void freePuns(Module *module) {
  if (!module->puns.empty())
    noteChangedPcMap();
  for (uint32_t i = 0; i < module->puns.size(); ++i) {
    const CodeSite &code = module->code[i];
    const PunJump jump = {
        module->origin + changedFrom(code), {}, code.starts, code.isByWord};
    if (uint64_t island = module->puns[i])
      for (uint64_t one : Islands(jump, island))
        dropPlace(one);
  }
  module->puns.reset();
}

} // namespace tprt
