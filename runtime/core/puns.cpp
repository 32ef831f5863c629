// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Landings of puns; see puns.h.
#include "core/puns.h"
#include "core/homes.h"
#include "core/placed.h"
#include "core/plain/pages.h"
#include "core/punblocks.h"

#include <string.h>

namespace tprt {

namespace {
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

static constinit Placed<Pun> puns;
// Whether some landing is Written.
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
  operator LandingList() const { return {at, count}; }
};
} // namespace

// Whether no other landing overlaps one at this address.
static bool isFreeAt(uint64_t address) {
  uint64_t first = address - (kLandingBytes - 1),
           last = address + (kLandingBytes - 1);
  auto overlaps = [&](const Pun &pun) {
    return pun.address >= first && pun.address <= last;
  };
  return !puns.hasNear(first, overlaps) &&
         (first / pageBytes() == last / pageBytes() ||
          !puns.hasNear(last, overlaps));
}

static bool reaches(uint64_t address, uint64_t stub) {
  auto distance = static_cast<int64_t>(stub - address);
  return distance < kStubReach && distance > -kStubReach;
}

static bool isPossible(uint64_t address, uint64_t stub) {
  constexpr uint64_t kLowest = 1 << 16, kHighest = uint64_t{1} << 47;
  return address >= kLowest && address + kLandingBytes <= kHighest &&
         reaches(address, stub) && isFreeAt(address);
}

static bool takePlace(uint64_t address, uint64_t stub, LandingList all) {
  if (!isPossible(address, stub))
    return false;
  const uint64_t last = address + kLandingBytes - 1;
  const Block *block = takeBlock(address, all);
  if (!block)
    return false;
  bool inOne = block->contains(address);
  if ((inOne || takeBlock(last, all)) &&
      puns.insert(Pun{address, 0, 0, PunState::Reserved, false})) {
    block = inOne ? block : blockAt(address);
    (puns.end() - 1)->isShared = takeInFile(*block, address);
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
    setInFile(address, nullptr);
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

// Whether takePlaces() may find a place for each of the landings. Asked first,
// because it would map memory for some of them before it finds that another has
// no place.
static bool mayTakePlaces(LandingList all, uint64_t stub) {
  for (uint64_t one : all)
    if (!isPossible(one, stub) || isForeign(one) ||
        isForeign(one + kLandingBytes - 1))
      return false;
  return true;
}

// reservePun() tries this choice first.
void expectPun(uint64_t sled, FixedBits bits, uint8_t starts, uint64_t stub) {
  Landings all(sled, landingAt(sled, bits.value), starts);
  if (hasFile() && mayTakePlaces(all, stub))
    expectLandings(all);
}

void mapExpectedPuns() { mapExpected(); }

uint64_t reservePun(uint64_t sled, FixedBits bits, uint8_t starts,
                    uint64_t stub) {
  constexpr uint32_t kFew = 64;
  const uint32_t own = ~bits.mask; // The bits that may be chosen.
  uint32_t step = own / kFew ? own / kFew : 1;
  for (uint64_t choice = 0; choice <= own; choice += step) {
    auto displacement = bits.value | (static_cast<uint32_t>(choice) & own);
    uint64_t address = landingAt(sled, displacement);
    Landings all(sled, address, starts);
    if ((!choice || mayTakePlaces(all, stub)) && takePlaces(all, stub))
      return address;
  }
  return 0;
}

bool isPunMade(uint64_t sled, uint64_t landing, uint8_t starts) {
  for (uint64_t one : Landings(sled, landing, starts)) {
    const Pun *pun = puns.find(one);
    if (!pun || pun->state != PunState::Made)
      return false;
  }
  return true;
}

// Writes the file, with all landings that are in it. If that fails, none of
// these is made.
static void writeShared() {
  uint8_t code[kLandingBytes];
  for (Pun &pun : puns) {
    if (!pun.isShared)
      continue;
    pun.isShared = pun.state == PunState::Written;
    if (pun.isShared)
      writeLanding(code, pun.address, pun.stub);
    setInFile(pun.address, pun.isShared ? code : nullptr);
  }
  const bool written = writeFile();
  for (Pun &pun : puns)
    if (pun.isShared && !written)
      pun.state = PunState::Reserved;
}

// Writes what is to be written to a block by itself. Threads may run other
// landings of a block that is Final; their bytes stay as they are. To these
// landings no sled leads before makePuns() calls them Made and the batch has
// synchronised the cores (flip.h), so any order will do. A landing that cannot
// be written to a Final block is not made.
static bool writeTo(Block &block) {
  auto write = [&](Pun &pun) {
    if (pun.state != PunState::Written || pun.isShared)
      return false;
    Extent part = block.partOf(pun.address);
    if (part.start >= part.end)
      return false; // it is in another block
    uint8_t code[kLandingBytes];
    writeLanding(code, pun.address, pun.stub);
    if (!writeToBlock(block, part, code + (part.start - pun.address)))
      pun.state = PunState::Reserved;
    return false; // go on
  };
  for (uint64_t at = block.address; at < block.end(); at += pageBytes())
    puns.hasNear(at, write);
  puns.hasNear(block.address - 1, write);
  return finishBlock(block);
}

// Writes each page once, with all of its new landings: a system call per page
// is most of what puns cost without a file.
static bool writeAll() {
  bool written = true;
  if (hasFile())
    writeShared();
  for (const Pun &pun : puns)
    if (pun.state == PunState::Written && !pun.isShared)
      visitParts(pun.address, [](Block &block, Extent) { block.waits = true; });
  for (Block &block : allBlocks())
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
  all &= makeBlocksExecutable();
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
           Landings(module->origin + changedFrom(code), landing, code.starts))
        dropPlace(one);
  }
  module->puns.reset();
}

} // namespace tprt
