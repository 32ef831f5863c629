// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code; see reader.h.
//
// First all functions are decoded once, from their beginning to their end. That
// gives every instruction that leaves a function, every address that a direct
// jump leads to, and the padding behind instructions that never go on. Only
// then is it known what may be changed: a site is refused where a jump leads
// into its bytes, and padding that a jump leads to is not dead. Indirect jumps
// are not followed. They lead to the beginning of instructions, and only the
// bytes of one instruction are changed, so they lead to no byte that changes
// its meaning.
#include "code/reader.h"
#include "code/dead.h"
#include "code/frames.h"
#include "code/instruction.h"
#include "core/sort.h"
#include "tprt/tprt.h"

#include <elf.h>
#include <string.h>

namespace tprt {

static const char *const kNoMemory =
    "there is no memory for a list of its sites";

namespace {
struct Exit {
  uint32_t at;
  uint32_t function; // An index.
};
struct Jump {
  uint32_t to;
  uint32_t from; // The index of the function that has the jump.
  bool conditional;
};

class Reader {
public:
  Reader(const CodeView &view, Array<CodeSite> &out) : view(view), out(out) {}
  const char *read();

private:
  const uint8_t *at(uint32_t offset) const {
    return reinterpret_cast<const uint8_t *>(view.origin + offset);
  }
  // How many bytes may be read from an offset on, at most as many as are asked.
  size_t room(uint32_t offset, size_t most) const {
    while (most && !isIn(view, view.origin + offset,
                         view.origin + offset + most, PF_R | PF_X))
      --most;
    return most;
  }
  bool decodeAt(uint32_t offset, uint32_t end, Instruction &code) const {
    return decode(at(offset), end - offset, code);
  }
  size_t functionAt(uint32_t offset) const;

  bool decodeFunction(uint32_t index);
  bool addGap(uint32_t index, bool reached);
  bool noteJump(uint32_t index, uint32_t next, const Instruction &code);
  bool finishJumps();
  void findParents();
  bool isImports(uint32_t index) const;
  bool isTarget(uint32_t from, uint32_t to) const;
  bool leadsInto(uint32_t offset, uint32_t from) const;
  bool leavesTo(uint32_t function, uint32_t target) const;
  bool addEntry(uint32_t index);
  bool addExit(const Exit &exit);
  void describe(CodeSite &site, const Instruction &code) const;
  void choose(CodeSite &site, const Instruction &code);
  bool keepOnePerPlace();
  bool dropDependentPuns();

  const CodeView &view;
  Array<CodeSite> &out;
  Array<Function> functions;
  // By function: whether it was decoded to its end; and the function that it is
  // a part of, or itself.
  Array<uint8_t> whole;
  Array<uint32_t> parents;
  Array<Exit> exits;
  Array<Jump> jumps;
  Array<uint32_t> targets; // Where all jumps lead, in order.
  DeadBytes dead;
};
} // namespace

// The index of the function that contains the offset; functions.size(): none.
size_t Reader::functionAt(uint32_t offset) const {
  size_t low = 0, high = functions.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (functions[middle].end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < functions.size() && functions[low].start <= offset
             ? low
             : functions.size();
}

// --- decoding ---------------------------------------------------------------

bool Reader::noteJump(uint32_t index, uint32_t next, const Instruction &code) {
  uint64_t to = next + static_cast<uint64_t>(code.distance);
  if (to > UINT32_MAX)
    return true; // it leads out of the module, as in a program without a linker
  return jumps.push(
      {static_cast<uint32_t>(to), index,
       code.flow == Flow::Branch || code.flow == Flow::ShortBranch});
}

// Decodes one function. False: no memory.
bool Reader::decodeFunction(uint32_t index) {
  const Function &f = functions[index];
  uint32_t offset = f.start, padding = 0;
  bool ended = false; // The instruction before never goes on.
  Instruction code = {};
  while (offset < f.end) {
    if (!decodeAt(offset, f.end, code))
      return true;
    uint32_t next = offset + code.length;
    bool dies =
        (ended || padding) && (code.flow == Flow::Nop || *at(offset) == 0xcc);
    if (dies && !padding)
      padding = offset;
    if (!dies && padding && !dead.add(padding, offset))
      return false;
    padding = dies ? padding : 0;
    if (code.isDirect() && !noteJump(index, next, code))
      return false;
    bool leaves = code.flow == Flow::Return || code.flow == Flow::Jump ||
                  code.flow == Flow::JumpMemory;
    if (leaves && !exits.push({offset, index}))
      return false;
    ended = code.ends();
    offset = next;
  }
  whole[index] = offset == f.end;
  // Padding at the function's end belongs to that behind it.
  bool reached = !ended && !padding && code.flow != Flow::Call;
  if (padding && !dead.add(padding, f.end))
    return false;
  return addGap(index, reached || !whole[index]);
}

// Adds what lies between this function and the next one, if it is all padding.
// `reached`: threads run on from the function into it.
bool Reader::addGap(uint32_t index, bool reached) {
  uint32_t start = functions[index].end;
  if (index + 1 == functions.size() || reached)
    return true;
  uint32_t end = functions[index + 1].start;
  constexpr uint32_t kLongest = 4096; // of padding
  if (end - start > kLongest || room(start, end - start) < end - start)
    return true;
  for (uint32_t offset = start; offset < end;) {
    Instruction code;
    const uint8_t byte = *at(offset);
    if (byte == 0xcc || byte == 0x00) {
      ++offset;
      continue;
    }
    if (!decodeAt(offset, end, code) || code.flow != Flow::Nop)
      return true;
    offset += code.length;
  }
  return dead.add(start, end);
}

bool Reader::finishJumps() {
  Array<Keyed> order;
  Array<Jump> sorted;
  if (!order.reserve(jumps.size()) || !sorted.reserve(jumps.size()) ||
      !targets.reserve(jumps.size()))
    return false;
  for (uint32_t i = 0; i < jumps.size(); ++i)
    order.push({jumps[i].to, i}); // reserved
  if (!sortByKey(order))
    return false;
  for (const Keyed &one : order) {
    sorted.push(jumps[one.value]);
    targets.push(one.key);
  }
  jumps.swap(sorted);
  return true;
}

// The part of a function that a compiler moved away is reached by conditional
// jumps out of that function. Its exits are the function's.
void Reader::findParents() {
  for (uint32_t i = 0; i < functions.size(); ++i) {
    parents[i] = i;
    // As for a signal frame: no site lies in such code.
    if (isImports(i))
      functions[i].isFragment = functions[i].isSignalFrame = true;
  }
  for (const Jump &jump : jumps) {
    size_t to = functionAt(jump.to);
    if (to == functions.size() || to == jump.from)
      continue;
    Function &part = functions[to];
    bool atStart = jump.to == part.start;
    if (atStart && jump.conditional && !functions[jump.from].isFragment)
      part.isFragment = true;
    if (part.isFragment && parents[to] == to)
      parents[to] = jump.from;
  }
}

// Whether the code is a table of imports, each of which jumps through a word of
// memory. Linkers give such a table one unwind entry, or none.
bool Reader::isImports(uint32_t index) const {
  const Function &f = functions[index];
  Instruction code = {};
  uint32_t offset = f.start;
  bool any = decodeAt(offset, f.end, code);
  if (any && code.flow == Flow::LandingPad)
    any = decodeAt(offset += code.length, f.end, code);
  constexpr uint8_t kPushMemory[] = {0xff, 0x35};
  if (any && code.flow != Flow::JumpMemory &&
      memcmp(at(offset), kPushMemory, sizeof kPushMemory) == 0)
    any = decodeAt(offset += code.length, f.end, code);
  return any && code.flow == Flow::JumpMemory;
}

// --- what jumps lead to -----------------------------------------------------

// Whether a jump leads to some offset from `from` up to `to`, without `to`.
bool Reader::isTarget(uint32_t from, uint32_t to) const {
  size_t low = 0, high = targets.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (targets[middle] < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < targets.size() && targets[low] < to;
}

// Whether the function, or a part of it, has a jump to this offset.
bool Reader::leadsInto(uint32_t offset, uint32_t from) const {
  size_t low = 0, high = targets.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (targets[middle] < offset)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < jumps.size() && jumps[low].to == offset; ++low)
    if (parents[jumps[low].from] == from)
      return true;
  return false;
}

// Whether a jump of this function to `target` leaves it for another function.
bool Reader::leavesTo(uint32_t function, uint32_t target) const {
  size_t to = functionAt(target);
  return to == functions.size()
             ? true // a table of imports has no unwind entry in some files
             : functions[to].start == target && !functions[to].isFragment &&
                   parents[to] != parents[function];
}

// --- sites ------------------------------------------------------------------

void Reader::describe(CodeSite &site, const Instruction &code) const {
  site.length = code.length;
  site.field = code.field;
  site.fieldBytes = code.fieldBytes;
  memcpy(site.code, at(site.at), room(site.at, sizeof site.code));
}

// Chooses how the instruction becomes a jump. Every store is of bytes in one
// aligned word of eight bytes (docs/safety.md).
void Reader::choose(CodeSite &site, const Instruction &code) {
  uint32_t inWord = (view.origin + site.at) % 8;
  auto refuse = [&](tprt_refusal reason) {
    site.refusal = static_cast<uint8_t>(reason);
  };
  if (code.flow == Flow::Bound || code.flow == Flow::Call ||
      code.flow == Flow::ShortBranch || code.flow == Flow::Stop ||
      (code.flow == Flow::Branch && site.kind != TPRT_KIND_ENTRY))
    return refuse(TPRT_REFUSAL_INSTRUCTION);
  if (isTarget(site.at + 1, site.at + site.length))
    return refuse(TPRT_REFUSAL_BRANCH);
  constexpr uint32_t kRetDead = 4;
  if (site.length >= 5 && inWord <= 3) {
    site.means = Means::Jump;
    return;
  }
  if (code.flow == Flow::Return && site.length == 1 &&
      dead.takeAt(site.at + 1, kRetDead)) {
    memcpy(site.dead, at(site.at + 1), kRetDead);
    site.means = Means::Return;
    return;
  }
  if (site.length >= 2 && inWord <= 6) {
    uint32_t from = site.at + 2, low = from > 128 ? from - 128 : 1;
    if ((site.slot = dead.takeNear(low, from + 127, kDeadBytes, kRetDead))) {
      memcpy(site.dead, at(site.slot), kDeadBytes);
      site.means = Means::Hop;
      return;
    }
  }
  bool inOneWord = inWord + changedBytes(site) <= 8;
  site.means = site.length < 5 && inOneWord && room(site.at, 5) == 5
                   ? Means::Pun
                   : Means::Trap;
}

// Adds the site where a function begins, behind its landing pad.
bool Reader::addEntry(uint32_t index) {
  const Function &f = functions[index];
  Instruction code;
  if (f.isFragment || !decodeAt(f.start, f.end, code))
    return true;
  CodeSite site = {};
  site.at = site.function = f.start;
  site.kind = TPRT_KIND_ENTRY;
  if (code.flow == Flow::LandingPad) {
    site.at += code.length;
    if (site.at >= f.end || !decodeAt(site.at, f.end, code))
      return true;
  }
  describe(site, code);
  if (!whole[index])
    site.refusal = TPRT_REFUSAL_DECODE;
  else if (leadsInto(site.at, index) || leadsInto(f.start, index))
    site.refusal = TPRT_REFUSAL_BRANCH;
  else
    choose(site, code);
  return out.push(site);
}

bool Reader::addExit(const Exit &exit) {
  const Function &f = functions[exit.function];
  const Function &of = functions[parents[exit.function]];
  Instruction code;
  if (f.isSignalFrame || of.isSignalFrame || !decodeAt(exit.at, f.end, code))
    return true;
  uint32_t next = exit.at + code.length;
  if (code.flow == Flow::Jump &&
      !leavesTo(exit.function, next + static_cast<uint32_t>(code.distance)))
    return true;
  CodeSite site = {};
  site.at = exit.at;
  site.function = of.start;
  site.kind = code.flow == Flow::Return ? TPRT_KIND_EXIT : TPRT_KIND_TAIL_EXIT;
  describe(site, code);
  if (!whole[exit.function])
    site.refusal = TPRT_REFUSAL_DECODE;
  else
    choose(site, code);
  return out.push(site);
}

// A function of one instruction is entered and left at the same place. It keeps
// its entry.
bool Reader::keepOnePerPlace() {
  size_t kept = 0;
  for (const CodeSite &site : out) {
    if (!kept || out[kept - 1].at != site.at)
      out[kept++] = site;
    else if (site.kind == TPRT_KIND_ENTRY)
      out[kept - 1] = site;
  }
  return out.resize(kept);
}

// Where a pun's jump leads depends on the bytes behind its instruction. If some
// other site changes one of these, the instruction gets no pun.
bool Reader::dropDependentPuns() {
  constexpr uint32_t kJumpBytes = 5;
  Array<Keyed> changed; // starts and ends, in order
  auto add = [&](uint32_t start, uint32_t bytes) {
    return changed.push({start, start + bytes});
  };
  for (const CodeSite &site : out) {
    uint32_t bytes = site.means == Means::Hop    ? 2
                     : site.means == Means::Trap ? 1
                     : site.means == Means::Pun  ? changedBytes(site)
                                                 : kJumpBytes;
    if (site.means != Means::None && !add(site.at, bytes))
      return false;
    if (site.means == Means::Hop && !add(site.slot, kDeadBytes))
      return false;
  }
  for (size_t i = 0; i < view.keptCount; ++i)
    if (!add(view.kept[i], kJumpBytes))
      return false;
  if (!sortByKey(changed))
    return false;
  size_t first = 0;
  for (CodeSite &site : out) {
    uint32_t from = site.at + site.length, to = site.at + kJumpBytes;
    // No range is longer than a jump.
    while (first < changed.size() && changed[first].key + kJumpBytes <= from)
      ++first;
    for (size_t i = first; i < changed.size() && changed[i].key < to; ++i)
      if (site.means == Means::Pun && changed[i].value > from)
        site.means = Means::Trap;
  }
  return true;
}

const char *Reader::read() {
  if (const char *fault = findFunctions(view, functions))
    return fault;
  size_t count = functions.size();
  if (!whole.resize(count) || !parents.resize(count))
    return kNoMemory;
  for (uint32_t i = 0; i < count; ++i)
    if (!decodeFunction(i))
      return kNoMemory;
  if (!finishJumps())
    return kNoMemory;
  findParents();
  dead.cut(targets.begin(), targets.size());
  dead.cut(view.kept, view.keptCount);
  // Entries first: a function without its entry is of less use than one without
  // one of its exits.
  for (uint32_t i = 0; i < count; ++i)
    if (!addEntry(i))
      return kNoMemory;
  for (const Exit &exit : exits)
    if (!addExit(exit))
      return kNoMemory;
  heapSort(out.begin(), out.size(),
           [](const CodeSite &a, const CodeSite &b) { return a.at < b.at; });
  return keepOnePerPlace() && dropDependentPuns() ? nullptr : kNoMemory;
}

const char *readSites(const CodeView &view, Array<CodeSite> &out) {
  return Reader(view, out).read();
}

} // namespace tprt
