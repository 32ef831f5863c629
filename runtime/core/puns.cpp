// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Landings of puns; see puns.h.
#include "core/puns.h"
#include "core/homes.h"
#include "core/os.h"
#include "core/plain/pages.h"
#include "core/plain/search.h"
#include "core/status.h"
#include "core/textwriter.h"

#include <string.h>

namespace tprt {

namespace {
enum class PageState : uint32_t {
  Writable, // It is to become executable.
  Blank,    // It is executable, and nothing was written to it.
  Final     // It is executable, and has int3 where no landing is.
};
struct PunPage {
  uint64_t address;
  uint32_t landings; // That begin in it, or end in it.
  PageState state;
};
enum class PunState : uint64_t {
  Reserved,
  Written, // makePuns() is to write it.
  Made
};
// One landing.
struct Pun {
  uint64_t address;
  PunState state;
  uint64_t stub; // Where it leads, unless it is Reserved.
};
} // namespace

// Both in order of address.
static constinit GlobalArray<PunPage> pages;
static constinit GlobalArray<Pun> puns;
// Whether some landing is Written.
static bool anyWritten;

// How many pages there may be, and whether it was said that there are as many.
static size_t mostPages;
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

static constexpr int kInt3 = 0xcc;

void beginPuns() {
  constexpr size_t kMost = 32768; // 128 MB
  (*taken).clear();
  MappingCount mappings = countMappings(*taken);
  growing = readGrowthRoom();
  size_t own = (*pages).size();
  size_t others = mappings.now > own ? mappings.now - own : 0;
  size_t half = mappings.most > others ? (mappings.most - others) / 2 : 0;
  mostPages = half < kMost ? half : kMost;
  saidSo = false;
  if ((*blank).empty() && (*blank).resize(pageBytes()))
    memset(&(*blank)[0], kInt3, pageBytes());
  if (!(*blank).empty())
    writer.open();
}

void endPuns() {
  writer.close();
  (*taken).reset();
}

static bool mayTakePage() {
  if ((*pages).size() < mostPages)
    return true;
  if (!saidSo)
    say(1,
        "%zu pages hold landings of probes in code without sleds; there are no "
        "more, as the program needs mappings (vm.max_map_count), too",
        (*pages).size());
  saidSo = true;
  return false;
}

size_t punBytes() { return (*pages).size() * pageBytes(); }

// The first item whose address is not below this one.
template <class T>
static size_t placeOf(const Array<T> &all, uint64_t address) {
  return partitionPoint(0, all.size(),
                        [&](size_t at) { return all[at].address < address; });
}

template <class T> static T *find(Array<T> &all, uint64_t address) {
  size_t at = placeOf(all, address);
  return at < all.size() && all[at].address == address ? &all[at] : nullptr;
}

template <class T> static bool insert(Array<T> &all, const T &item) {
  size_t at = placeOf(all, item.address);
  if (!all.push(item))
    return false;
  memmove(&all[at] + 1, &all[at], (all.size() - 1 - at) * sizeof(T));
  all[at] = item;
  return true;
}

template <class T> static void remove(Array<T> &all, T *item) {
  memmove(item, item + 1,
          static_cast<size_t>(all.end() - item - 1) * sizeof(T));
  all.resize(all.size() - 1);
}

static uint64_t pageOf(uint64_t address) {
  return address & ~(pageBytes() - 1);
}

static void dropPage(uint64_t address) {
  PunPage *page = find(*pages, address);
  if (!page || --page->landings)
    return;
  freePages(reinterpret_cast<void *>(address), pageBytes());
  remove(*pages, page);
}

static bool wasTaken(uint64_t address) {
  const Array<Mapping> &all = *taken;
  size_t at = partitionPoint(0, all.size(),
                             [&](size_t i) { return all[i].end <= address; });
  return at < all.size() && all[at].start <= address;
}

// Reserves a page, or counts one more landing in it. False: it is somebody
// else's, or there are too many.
static bool takePage(uint64_t address) {
  if (PunPage *page = find(*pages, address)) {
    ++page->landings;
    return true;
  }
  if (wasTaken(address) || growing.has(address) || !mayTakePage())
    return false;
  PageState state = PageState::Blank;
  if (!writer.isOpen() || !allocateCodeExactly(address, pageBytes())) {
    if (!allocateExactly(address, pageBytes()))
      return false;
    memset(reinterpret_cast<void *>(address), kInt3, pageBytes());
    state = PageState::Writable;
  }
  if (insert(*pages, PunPage{address, 1, state}))
    return true;
  freePages(reinterpret_cast<void *>(address), pageBytes());
  return false;
}

// Whether no other landing overlaps one at this address.
static bool isFreeAt(uint64_t address) {
  const Array<Pun> &all = *puns;
  size_t at = placeOf(all, address - kLandingBytes + 1);
  return at == all.size() || all[at].address >= address + kLandingBytes;
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

static bool reaches(uint64_t address, uint64_t stub) {
  auto distance = static_cast<int64_t>(stub - address);
  return distance < kStubReach && distance > -kStubReach;
}

static bool takePlace(uint64_t address, uint64_t stub) {
  constexpr uint64_t kLowest = 1 << 16, kHighest = uint64_t{1} << 47;
  if (address < kLowest || address + kLandingBytes > kHighest ||
      !reaches(address, stub) || !isFreeAt(address))
    return false;
  uint64_t first = pageOf(address), last = pageOf(address + kLandingBytes - 1);
  if (!takePage(first))
    return false;
  if ((last == first || takePage(last)) &&
      insert(*puns, Pun{address, PunState::Reserved, 0}))
    return true;
  // What was taken of it.
  if (PunPage *page = last != first ? find(*pages, last) : nullptr;
      page && page->landings == 1 && page->state != PageState::Final)
    dropPage(last);
  dropPage(first);
  return false;
}

static void dropPlace(uint64_t address) {
  Pun *pun = find(*puns, address);
  if (!pun)
    return;
  remove(*puns, pun);
  uint64_t first = pageOf(address), last = pageOf(address + kLandingBytes - 1);
  dropPage(first);
  if (last != first)
    dropPage(last);
}

// Takes places for all landings of a pun, or for none.
static bool takePlaces(Landings all, uint64_t stub) {
  unsigned taken = 0;
  while (taken < all.count && takePlace(all.at[taken], stub))
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

bool isPunMade(uint64_t landing) {
  const Pun *pun = find(*puns, landing);
  return pun && pun->state == PunState::Made;
}

// Writes a page that nobody has written to yet. If the system does not let us
// write there, the page is mapped again as one that can be written.
static bool writeWhole(PunPage &page, const uint8_t *image) {
  if (writer.write(page.address, image, pageBytes())) {
    page.state = PageState::Final;
    return true;
  }
  writer.close();
  if (!makeWritable(page.address, pageBytes()))
    return false;
  page.state = PageState::Writable;
  memcpy(reinterpret_cast<void *>(page.address), image, pageBytes());
  return true;
}

namespace {
// The part of a landing that lies in a page.
struct Piece {
  uint8_t code[kLandingBytes];
  uint64_t from, end;

  Piece(const Pun &pun, uint64_t page) : from(pun.address) {
    writeLanding(code, pun.address, pun.stub);
    end = from + kLandingBytes;
    skipped = page > from ? page - from : 0;
    from += skipped;
    end = end > page + pageBytes() ? page + pageBytes() : end;
  }
  const uint8_t *bytes() const { return code + skipped; }
  size_t count() const { return end - from; }

private:
  uint64_t skipped;
};
} // namespace

// Writes what is to be written of these landings, which all have a part in the
// page. Threads may run other landings of a page that is Final; their bytes
// stay as they are. To these landings no sled leads before makePuns() calls
// them Made and the batch has synchronised the cores (flip.h), so any order
// will do.
static bool writeTo(PunPage &page, const Pun *first, const Pun *last) {
  const bool isBlank = page.state == PageState::Blank;
  uint8_t *image = &(*blank)[0];
  bool any = false, all = true;
  for (const Pun *pun = first; pun != last; ++pun) {
    if (pun->state != PunState::Written)
      continue;
    any = true;
    Piece piece(*pun, page.address);
    if (page.state == PageState::Final)
      all &= writer.write(piece.from, piece.bytes(), piece.count());
    else
      memcpy(isBlank ? image + (piece.from - page.address)
                     : reinterpret_cast<uint8_t *>(piece.from),
             piece.bytes(), piece.count());
  }
  if (any && isBlank) {
    all = writeWhole(page, image);
    memset(image, kInt3, pageBytes());
  }
  return all;
}

// Writes each page once, with all of its new landings: a system call per page
// is most of what puns cost.
static bool writeAll() {
  const Array<Pun> &all = *puns;
  size_t first = 0;
  bool written = true;
  for (PunPage &page : *pages) {
    while (first < all.size() &&
           all[first].address + kLandingBytes <= page.address)
      ++first;
    size_t last = first;
    while (last < all.size() && all[last].address < page.address + pageBytes())
      ++last;
    written &= writeTo(page, all.begin() + first, all.begin() + last);
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
    Pun *pun = find(*puns, one);
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
  for (PunPage &page : *pages)
    if (page.state == PageState::Writable) {
      bool made = makeExecutable(page.address, pageBytes());
      page.state = made ? PageState::Final : PageState::Writable;
      all &= made;
    }
  for (Pun &pun : *puns)
    if (pun.state == PunState::Written)
      pun.state = all ? PunState::Made : PunState::Reserved;
}

void visitPuns(void (*tell)(uint64_t landing, uint64_t stub, void *data),
               void *data) {
  for (const Pun &pun : *puns)
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
