// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inner modules; see overlap.h. Called under the lock, except readInner().
#include "patch/overlap.h"
#include "base/search.h"
#include "base/sort.h"
#include "code/decode_inputs.h"
#include "loader/choose_and_pin.h"
#include "loader/module_list.h"
#include "patch/uprobe_yield.h"
#include "sites/arch.h"
#include "text/pc_map.h"
#include "threads/lock.h"
#include "threads/status.h"

#include <string.h>

namespace tprt {

// Incremented when a site in code is turned on for the first time. If it
// changes while a module's code is read, the read bytes may be the jump of such
// a site.
static uint64_t touches;

// --- what was read ----------------------------------------------------------

static bool isInnerOf(const Module *module, const Module *outer) {
  return module->loaded && module->outer == outer;
}

const CodeExtent *extentAt(const Module *outer, uint32_t offset) {
  for (const Module *m = modules; m; m = m->next) {
    if (!isInnerOf(m, outer))
      continue;
    const Array<CodeExtent> &all = m->extents;
    size_t i = partitionPoint(0, all.size(),
                              [&](size_t at) { return all[at].end <= offset; });
    if (i < all.size() && all[i].start <= offset)
      return &all[i];
  }
  return nullptr;
}

// The first site of the module at this offset or after it.
static size_t firstCode(const Module *module, uint32_t offset) {
  return partitionPoint(0, module->code.size(),
                        [&](size_t i) { return module->code[i].at < offset; });
}

uint64_t nextInstruction(const Module *outer, uint64_t address, uint64_t end) {
  uint64_t next = end;
  for (const Module *m = modules; m; m = m->next) {
    if (m != outer && !isInnerOf(m, outer))
      continue;
    size_t i = firstCode(m, static_cast<uint32_t>(address - outer->origin));
    if (i < m->code.size() && outer->origin + m->code[i].at < next)
      next = outer->origin + m->code[i].at;
  }
  return next < end ? next : 0;
}

// --- reading ----------------------------------------------------------------

// Finds the program's own bytes at all sites in the module's code that were
// ever on. Returns false if there is no memory.
static bool findPatches(const Module *outer, Array<CodePatch> &out) {
  Array<Keyed> order;
  auto add = [&](uint32_t at, const uint8_t *bytes, uint32_t count) {
    bool memory = true;
    for (uint32_t i = 0; i < count && memory; ++i)
      memory = order.push({at + i, bytes[i]});
    return memory;
  };
  for (const Module *m = modules; m; m = m->next) {
    if (m != outer && !isInnerOf(m, outer))
      continue;
    for (const CodeSite &site : m->code) {
      if (!(site.use & kWasUsed))
        continue;
      // A trap may replace a prefix that a jump keeps.
      uint32_t from = changedFrom(site) - site.keepsPrefix,
               bytes = changedBytes(site) + site.keepsPrefix;
      bool isSlotted = site.means == Means::ShortJump,
           isRet = site.means == Means::Return;
      if (!add(from, site.code + (from - site.at), bytes) ||
          (isSlotted && !add(site.slot, site.dead, kDeadBytes)) ||
          (isRet && !add(site.at + 1, site.dead, 4)))
        return false;
    }
  }
  if (!sortByKey(order) || !out.reserve(order.size()))
    return false;
  for (const Keyed &one : order)
    out.push({one.key, static_cast<uint8_t>(one.value)}); // reserved
  return true;
}

// Whether code at the offset is not read yet. An offset outside all functions
// is not looked for again.
static bool isUnread(const Module *outer, uint32_t offset) {
  const Array<uint32_t> &strays = outer->strays;
  const size_t i = partitionPoint(
      0, strays.size(), [&](size_t at) { return strays[at] < offset; });
  return (i == strays.size() || strays[i] != offset) &&
         !extentAt(outer, offset);
}

static bool isReady(const Module *outer) {
  return outer->loaded && outer->isCode && !outer->isInner && !outer->unread &&
         mayPin(outer);
}

bool findAsked(const Pattern &pattern, const FoundNames &names,
               Array<AskedCode> &out) {
  if (!pattern.isPlaced || pattern.sites)
    return true;
  Array<uint32_t> all;
  for (Module *m = modules; m; m = m->next) {
    all.clear();
    if (!isReady(m) || !mayMatch(pattern, m) ||
        !findAskedFunctions(pattern, names, m, all))
      continue;
    for (uint32_t offset : all)
      if (isUnread(m, offset) && !out.push({m, m->adopted, offset}))
        return false;
  }
  return true;
}

// The offsets in this module that were requested and are not read yet.
static bool askedOf(Module *outer, const Array<AskedCode> &asked,
                    Array<uint32_t> &out) {
  out.clear();
  for (const AskedCode &one : asked)
    if (one.outer == outer && one.adopted == outer->adopted && isReady(outer) &&
        isUnread(outer, one.offset) && !out.push(one.offset))
      return false;
  return true;
}

namespace {
// One reading of a module.
struct Reading {
  Module *outer = nullptr;
  Hints hints;
  Array<uint32_t> asked;
  uint64_t touched = 0;
};
} // namespace

// Begins to read the first module from `number` on in which code is requested.
// If there is no such module, `reading.outer` is nullptr. Returns false if
// there is no memory.
static bool beginReading(const Array<AskedCode> &asked, Pins &pins,
                         unsigned number, Reading &reading) {
  Lock lock;
  reading.outer = nullptr;
  for (Module *m = modules; m; m = m->next) {
    if (m->number < number)
      continue;
    if (!askedOf(m, asked, reading.asked))
      return false;
    if (reading.asked.empty() || !pins.holds(m))
      continue;
    reading.hints.patches.clear();
    if (!findPatches(m, reading.hints.patches) || !findHints(m, reading.hints))
      return false;
    reading.touched = touches;
    reading.outer = m;
    ++m->readers;
    return true;
  }
  return true;
}

// Drops instructions outside the functions of the code module, because other
// functions have sleds. Returns false if there is no memory.
static bool dropOthers(const Module *outer, InnerCode &inside) {
  Array<uint32_t> functions;
  for (const CodeSite &site : outer->code)
    if (!functions.push(site.function))
      return false;
  heapSort(functions.begin(), functions.size(),
           [](uint32_t a, uint32_t b) { return a < b; });
  size_t kept = 0;
  for (const CodeSite &site : inside.sites) {
    size_t i = partitionPoint(0, functions.size(), [&](size_t at) {
      return functions[at] < site.function;
    });
    if (i < functions.size() && functions[i] == site.function)
      inside.sites[kept++] = site;
  }
  return inside.sites.resize(kept);
}

// Notes the requested offsets that are in none of the functions. If there is no
// memory, they are looked for again.
static void noteStrays(Module *outer, const Array<uint32_t> &asked) {
  Array<uint32_t> &strays = outer->strays;
  for (uint32_t offset : asked)
    if (!extentAt(outer, offset))
      strays.push(offset);
  heapSort(strays.begin(), strays.size(),
           [](uint32_t a, uint32_t b) { return a < b; });
}

// Ends a reading. Sets `again` if another thread has changed code meanwhile, or
// has read some of these functions. Returns false if there is no memory.
static bool endReading(Reading &reading, InnerCode &inside, const char *fault,
                       bool &again) {
  Lock lock;
  Module *outer = reading.outer;
  --outer->readers;
  again = touches != reading.touched;
  if (!outer->loaded || again)
    return true;
  if (fault)
    say(1, "%s: its instructions can't be probed: %s", outer->path, fault);
  for (uint32_t offset : reading.asked)
    if (extentAt(outer, offset)) {
      again = true;
      return true;
    }
  if (fault)
    return true;
  if (!inside.extents.empty() &&
      (!dropOthers(outer, inside) || !adoptInner(outer, inside)))
    return false;
  noteStrays(outer, reading.asked);
  return true;
}

static bool readOne(Reading &reading, bool &again) {
  InnerCode inside;
  Array<Segment> readable;
  bool known = findReadable(reading.outer, readable);
  CodeView view = reading.hints.view(reading.outer, readable);
  const char *fault =
      known ? codeReader()->readInside(view, reading.asked.begin(),
                                       reading.asked.size(), inside)
            : codeReader()->noMemory;
  return endReading(reading, inside, fault, again) &&
         fault != codeReader()->noMemory;
}

// Reads the requested functions of all modules that are pinned. Returns false
// if there is no memory.
static bool readPinned(const Array<AskedCode> &asked, Pins &pins) {
  constexpr unsigned kMostAttempts = 16;
  unsigned number = 0, attempts = 0;
  Reading reading;
  while (beginReading(asked, pins, number, reading)) {
    if (!reading.outer)
      return true;
    bool again;
    if (!readOne(reading, again))
      return false;
    attempts = again && attempts < kMostAttempts ? attempts + 1 : 0;
    number = reading.outer->number + (attempts == 0);
  }
  return false;
}

bool readInner(const Array<AskedCode> &asked) {
  if (asked.empty() || !readsCode())
    return true;
  Pins pins;
  bool memory = true, chosen = false;
  auto choose = [&](Round round) {
    memory = round.memory;
    if (chosen || !memory)
      return true;
    chosen = true;
    for (Module *m = modules; m && memory; m = m->next) {
      Array<uint32_t> offsets;
      memory = askedOf(m, asked, offsets) &&
               (offsets.empty() || !mayGo(m) || pins.want(m));
    }
    return !memory || !pins.wantsAny();
  };
  chooseAndPin(pins, [] { return true; }, choose);
  return memory && readPinned(asked, pins);
}

bool readInner(const Pattern &pattern, const FoundNames &names) {
  Array<AskedCode> asked;
  bool memory;
  {
    Lock lock;
    memory = findAsked(pattern, names, asked);
  }
  return memory && readInner(asked);
}

// --- neighbours -------------------------------------------------------------

namespace {
struct Range {
  uint32_t start, end;
  bool meets(const Range &other) const {
    return start < other.end && other.start < end;
  }
};

// Which bytes a site changes, and which bytes its jump ends in.
struct Needs {
  Range own, slot, tail;

  explicit Needs(const CodeSite &site) : slot{}, tail{} {
    constexpr uint32_t kJumpBytes = 5;
    own.start = changedFrom(site) - site.keepsPrefix;
    own.end = changedFrom(site) + changedBytes(site);
    if (site.means == Means::ShortJump)
      slot = {site.slot, site.slot + kDeadBytes};
    if (site.means == Means::Return)
      own.end = site.at + kJumpBytes;
    if (site.means == Means::Pun)
      tail = {own.end, changedFrom(site) + jumpBytes(site)};
  }
  bool changes(const Range &bytes) const {
    return own.meets(bytes) || slot.meets(bytes);
  }
  bool isInTheWayOf(const Needs &other) const {
    return changes(other.own) || changes(other.slot) || changes(other.tail) ||
           other.changes(tail);
  }
};
} // namespace

// More than the sum of a short jump's distance and an instruction's length.
constexpr uint32_t kNeighbourhood = 160;

// The end of the bytes that a site may change or that its jump may end in. Only
// the slot of a short jump may lie after this end.
static uint32_t endOf(const CodeSite &site) {
  return site.at + kMostInstructionBytes + 5;
}

// Calls visit(other, needs of the other) for each nearby site that was ever on,
// until visit() returns false. Returns true if visit() never returned false.
// Sites far before this site's bytes are skipped, except for short jumps.
template <class Visit>
static bool visitNeighbours(const tprt_site &site, const Visit &visit) {
  const CodeSite &own = codeOf(site);
  const Module *module = site.module(),
               *outer = module->isInner ? module->outer : module;
  uint32_t from = own.at, to = own.at;
  if (own.means == Means::ShortJump) {
    from = own.slot < from ? own.slot : from;
    to = own.slot > to ? own.slot : to;
  }
  const uint32_t lowest = from;
  from = from > kNeighbourhood ? from - kNeighbourhood : 0;
  auto visitIn = [&](const Module *m) {
    // The site's place in its own module is known.
    size_t first = m == module ? placeOf(site) : firstCode(m, from);
    while (m == module && first && m->code[first - 1].at >= from)
      --first;
    for (size_t i = first;
         i < m->code.size() && m->code[i].at < to + kNeighbourhood; ++i) {
      const CodeSite &other = m->code[i];
      bool isNear = other.means == Means::ShortJump || endOf(other) > lowest;
      if (other.use && isNear && &other != &own && !visit(other, Needs(other)))
        return false;
    }
    return true;
  };
  if (!outer->deadKnown) // such a module has no inner modules
    return visitIn(outer);
  for (const Module *m = modules; m; m = m->next)
    if ((m == outer || isInnerOf(m, outer)) && !visitIn(m))
      return false;
  return true;
}

// Whether no site that is on overlaps this site's bytes. The reader has made
// sure that the entries and exits of a module do not overlap
// (decode/instruction_sites.h). Other sites may overlap them.
static bool hasRoomAround(const tprt_site &site) {
  const Module *module = site.module();
  if (!module->isInner && !module->deadKnown && !module->hasCallsInside)
    return true;
  const Needs needs(codeOf(site));
  return visitNeighbours(site, [&](const CodeSite &other, const Needs &its) {
    return !(other.use & kInUse) || !its.isInTheWayOf(needs);
  });
}

// Whether a pun would end in dead bytes that a site has filled in, even if that
// site is off now. Such bytes are not restored, because a thread may be about
// to execute them.
static bool endsInOldSlot(const tprt_site &site) {
  const Needs needs(codeOf(site));
  return !visitNeighbours(site, [&](const CodeSite &other, const Needs &its) {
    bool isRet = other.means == Means::Return;
    return !(other.use & kWasUsed) ||
           !(isRet ? its.own : its.slot).meets(needs.tail);
  });
}

bool endsInTrap(const tprt_site &site) {
  if (!isPun(site))
    return false;
  const Module *module = site.module(),
               *outer = module->isInner ? module->outer : module;
  const Range tail = Needs(codeOf(site)).tail;
  for (const Module *m = modules; m; m = m->next)
    if (m == outer || isInnerOf(m, outer))
      for (size_t i = firstCode(m, tail.start);
           i < m->code.size() && m->code[i].at < tail.end; ++i)
        if (isTrapped(sites[m->firstSite + i]))
          return true;
  return false;
}

static CodeSite &codeAt(const tprt_site &site) {
  return site.module()->code[placeOf(site)];
}

// If an entry's jump ends in an exit's bytes, the exit can only have a trap.
// The trap is possible even while that jump is on, because an island exists for
// this case. But the same instruction may also be a second site, and only one
// of the two sites can be on.
static tprt_refusal takeForTrap(const tprt_site &site) {
  CodeSite &code = codeAt(site);
  if (!visitNeighbours(site, [&](const CodeSite &other, const Needs &) {
        return !(other.use & kInUse) || other.at != code.at;
      }))
    return TPRT_REFUSAL_ROOM;
  touches += !(code.use & kWasUsed);
  code.use |= kInUse | kWasUsed;
  return TPRT_REFUSAL_NONE;
}

tprt_refusal takeCode(const tprt_site &site) {
  CodeSite &code = codeAt(site);
  if (code.use & kInUse)
    return TPRT_REFUSAL_NONE;
  if (code.refusal != TPRT_REFUSAL_NONE)
    return kHasTraps && code.refusal == TPRT_REFUSAL_ROOM ? takeForTrap(site)
                                                          : TPRT_REFUSAL_NONE;
  if (site.isInstruction() && code.means == Means::ShortJump &&
      !(code.use & kSlotChosen)) {
    uint32_t from = changedFrom(code) + 2, low = from > 128 ? from - 128 : 1;
    code.slot =
        site.module()->outer->dead.takeNear(low, from + 127, kDeadBytes, 0);
    if (!code.slot)
      chooseOtherMeans(code, site.module()->origin);
    else
      memcpy(code.dead,
             reinterpret_cast<const void *>(site.module()->origin + code.slot),
             kDeadBytes);
    code.use |= kSlotChosen;
  }
  const bool mayMeetSlots = site.isInstruction() || site.module()->deadKnown;
  if (mayMeetSlots && code.means == Means::Pun && endsInOldSlot(site))
    code.means = Means::Trap;
  if (!hasRoomAround(site))
    return TPRT_REFUSAL_ROOM;
  touches += !(code.use & kWasUsed);
  if (code.means == Means::ShortJump && !(code.use & kWasUsed))
    noteChangedPcMap();
  code.use |= kInUse | kWasUsed;
  if (needsFirstByte(code))
    noteFirstByte();
  return TPRT_REFUSAL_NONE;
}

// For a site that was never on, so nothing refers to the site's previous form
// yet. A short jump lies within its instruction; a pun's jump ends in bytes
// after the instruction.
bool takeOneByte(const tprt_site &site, CodeSite &before) {
  CodeSite &code = codeAt(site);
  const Array<uint64_t> &puns = site.module()->puns;
  if (code.use || code.refusal != TPRT_REFUSAL_NONE ||
      code.profiler != Profiler::None || !needsFirstByte(code) ||
      code.isByWord || code.starts == kNoPun ||
      (!puns.empty() && puns[placeOf(site)]))
    return false;
  before = code;
  code.means = Means::Pun;
  code.own = 1;
  code.slot = 0;
  if (hasRoomAround(site) && !endsInOldSlot(site))
    return true;
  code = before;
  return false;
}

void leaveOneByte(const tprt_site &site, const CodeSite &before) {
  codeAt(site) = before;
}

void leaveCode(const tprt_site &site) {
  codeAt(site).use &= static_cast<uint8_t>(~kInUse);
}

} // namespace tprt
