// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes a module's functions; see decoded.h.
//
// All functions are decoded once, from their beginning to their end. This finds
// every instruction that leaves a function, every target of a direct jump, and
// the padding after instructions that never continue. The target of a jump is
// not padding, so padding is only certain after all functions are decoded.
// Indirect jumps are not followed. switches.cpp determines which of them leave
// their function.
#include "decode/decoded.h"
#include "base/search.h"
#include "base/sort.h"
#include "decode/instruction.h"
#include "decode/mcount_entries.h"

#include <string.h>

namespace tprt {

size_t DecodedCode::functionAt(uint32_t offset) const {
  uint32_t from = offset - functions[0].start;
  if (offset < functions[0].start || from / kIndexed >= firstFunctions.size())
    return functions.size();
  size_t i = firstFunctions[from / kIndexed];
  while (i < functions.size() && functions[i].end <= offset)
    ++i;
  return i < functions.size() && functions[i].start <= offset
             ? i
             : functions.size();
}

bool DecodedCode::indexFunctions() {
  uint32_t first = functions[0].start,
           last = functions[functions.size() - 1].end;
  if (!firstFunctions.reserve((last - first) / kIndexed + 1))
    return false;
  uint32_t i = 0;
  for (uint64_t at = first; at < last; at += kIndexed) {
    while (functions[i].end <= at)
      ++i;
    firstFunctions.push(i); // reserved
  }
  return true;
}

// The bytes as they were before libtprt changed some of them.
const uint8_t *DecodedCode::unpatched(uint32_t offset,
                                      const uint8_t *code) const {
  size_t i = partitionPoint(0, view.patchCount, [&](size_t at) {
    return view.patches[at].at < offset;
  });
  if (i == view.patchCount || view.patches[i].at - offset >= kMostRead)
    return code;
  uint8_t *copy = copies[copied++ % 4];
  memcpy(copy, code, room(offset, kMostRead));
  for (; i < view.patchCount && view.patches[i].at - offset < kMostRead; ++i)
    copy[view.patches[i].at - offset] = view.patches[i].value;
  return copy;
}

// --- decoding ---------------------------------------------------------------

static bool isInside(const Function &f, uint64_t offset) {
  return offset >= f.start && offset < f.end;
}

// A jump inside its function matters only as a target, unless the target is the
// function's entry.
bool DecodedCode::noteJump(uint32_t index, uint64_t to, Flow flow) {
  constexpr uint32_t kMostBeforeEntry = 16;
  if (to > UINT32_MAX)
    return true; // the target is outside of the module, as in code that was not
                 // linked
  const Function &f = functions[index];
  const bool isOwn = isInside(f, to);
  auto offset = static_cast<uint32_t>(to);
  targets.set(offset);
  if (flow == Flow::Call) {
    if (!isOwn)
      called.set(offset);
    else if (offset != f.start && room(offset, 2) == 2 &&
             takesAddress(at(offset)))
      signs[index] |= kUnclear; // the data may be at this address
    return true;
  }
  return (isOwn && offset - f.start > kMostBeforeEntry) ||
         jumps.push({offset, index, flow != Flow::Jump});
}

// Records the address of an operand relative to the program counter. An address
// inside a function is data, or a label that is reached in an unknown manner.
// Returns false if there is no memory.
bool DecodedCode::noteOperand(uint32_t index, uint64_t address) {
  uint64_t to = address - view.origin;
  auto offset = static_cast<uint32_t>(to);
  if (to > UINT32_MAX)
    return true; // the address is outside of the module
  size_t i = functionAt(offset);
  if (i == functions.size()) {
    targets.set(offset);
    return !isReadOnly(address, sizeof(int32_t)) ||
           references.push({offset, index});
  }
  if (functions[i].start == offset)
    signs[i] |= kLoaded;
  else
    signs[i] |= kUnclear;
  return true;
}

// Records a number that may be an address. The number can be an address of code
// only if the module has a fixed address.
bool DecodedCode::noteConstant(uint32_t index, uint64_t address) {
  return !view.isFixed || !isIn(view, address, address, PF_R) ||
         noteOperand(index, address);
}

// Whether the offset belongs to a sled or its slot.
bool DecodedCode::isKept(uint32_t offset) const {
  size_t i = partitionPoint(0, view.keptCount,
                            [&](size_t at) { return view.kept[at] < offset; });
  return i < view.keptCount && view.kept[i] == offset;
}

// Returns false if there is no memory.
bool DecodedCode::findProfilerTargets() {
  for (size_t i = 0; i < view.symbolCount; ++i)
    if (view.symbols[i].profiler != Profiler::None &&
        !profilerTargets.push(view.symbols[i].at))
      return false;
  return true;
}

// If a profiler is called through a word, or if the compiler has listed the
// calls, ProfilerCalls must check each call.
bool DecodedCode::mayLeadToProfiler(uint64_t to) const {
  bool may = view.profilerWordCount || view.profilerCallCount;
  for (size_t i = 0; i < profilerTargets.size() && !may; ++i)
    may = profilerTargets[i] == to;
  return may;
}

// Records the target of the instruction at `offset`, and whether the
// instruction leaves its function. Returns false if there is no memory.
bool DecodedCode::noteInstruction(uint32_t index, uint32_t offset,
                                  const Instruction &code) {
  uint32_t next = offset + code.length;
  uint64_t target = next + static_cast<uint64_t>(code.distance);
  if (code.isDirect() && !noteJump(index, target, code.flow))
    return false;
  if (!code.isDirect() && code.fieldBytes) {
    uint64_t address = operandOf(index, offset, code);
    if (address && !noteOperand(index, address))
      return false;
  }
  if (code.constant && !noteConstant(index, code.constant))
    return false;
  if (code.flow == Flow::Call)
    signs[index] |= kCalls;
  if (code.flow == Flow::JumpMemory)
    signs[index] |= kJumpsByWord;
  if (code.isIndirect())
    signs[index] |= kIndirect;
  if (mayLeadToProfiler(target) && mayCallProfiler(at(offset), code) &&
      !calls.push({offset, index}))
    return false;
  bool isJump = code.flow == Flow::Jump || code.flow == Flow::Branch;
  bool leaves = code.flow == Flow::Return ||
                (isJump && !isInside(functions[index], target)) ||
                code.flow == Flow::JumpMemory || code.isIndirect();
  if (code.flow == Flow::Return)
    signs[index] |= kReturns;
  return !leaves || exits.push({offset, index});
}

// Records the target of a plain instruction at `offset`, and whether the
// instruction leaves its function. Returns false if there is no memory.
bool DecodedCode::noteLink(uint32_t index, uint32_t offset, uint64_t to,
                           PlainLink::Kind kind) {
  if (kind == PlainLink::Operand)
    return noteOperand(index, view.origin + to);
  if (kind == PlainLink::Return) {
    signs[index] |= kReturns;
    return exits.push({offset, index});
  }
  if (kind == PlainLink::Call) {
    signs[index] |= kCalls;
    return noteJump(index, to, Flow::Call) &&
           (!mayLeadToProfiler(to) || calls.push({offset, index}));
  }
  bool isJump = kind == PlainLink::Jump;
  return noteJump(index, to, isJump ? Flow::Jump : Flow::Branch) &&
         (isInside(functions[index], to) || exits.push({offset, index}));
}

// If `padding` is not 0, records padding from `padding` to `end`. Returns false
// if there is no memory.
bool DecodedCode::endPadding(uint32_t &padding, uint32_t end) {
  const uint32_t start = padding;
  padding = 0;
  return !start || dead.add(start, end);
}

// Reads plain instructions of a function from `offset` on. `ended` says that
// the previous instruction never continues. `padding` is the beginning of the
// padding before `offset`, or 0. Returns false if there is no memory.
bool DecodedCode::readPlainRun(uint32_t index, uint32_t offset, bool ended,
                               uint32_t &padding, PlainRun &run) {
  constexpr uint32_t kAfter = 16; // enough for any instruction
  PlainLink links[kMostLinks];
  const uint32_t left = functions[index].end - offset;
  const uint64_t start = view.origin + offset;
  const bool goesOn = isIn(view, start, start + left + kAfter, PF_R | PF_X);
  const PlainCode from = {at(offset),
                          left,
                          left + (goesOn ? kAfter : 0),
                          offset,
                          ended || padding,
                          view.isFixed,
                          view.keptCount || view.profilerCallCount};
  run = readPlain(from, starts, links);
  uint32_t paddingEnd = offset;
  for (size_t i = 0; i < run.links; ++i) {
    const PlainLink &link = links[i];
    if (link.kind == PlainLink::Padding) {
      if (paddingEnd != offset + link.start && !endPadding(padding, paddingEnd))
        return false;
      padding = padding ? padding : offset + link.start;
      paddingEnd = offset + link.end;
      signs[index] |= kPadded;
      continue;
    }
    uint64_t to =
        offset + link.end + static_cast<uint64_t>(int64_t{link.distance});
    if (!noteLink(index, offset + link.start, to, link.kind))
      return false;
  }
  return paddingEnd == offset + run.bytes || endPadding(padding, paddingEnd);
}

// Decodes one function. Returns false if there is no memory.
bool DecodedCode::decodeFunction(uint32_t index) {
  const Function &f = functions[index];
  uint32_t offset = f.start, padding = 0;
  bool ended = false; // The previous instruction never continues.
  Instruction code = {};
  const bool hasRuns = !view.patchCount; // A run is read without undoing
                                         // libtprt's changes.
  while (offset < f.end) {
    PlainRun run = {};
    if (hasRuns && !readPlainRun(index, offset, ended, padding, run))
      return false;
    if (run.bytes) {
      code.flow = run.last;
      ended = code.ends();
      offset += static_cast<uint32_t>(run.bytes);
      if (offset == f.end || run.links == kMostLinks)
        continue;
    }
    if (!decodeAt(offset, f.end, code))
      return true;
    uint32_t next = offset + code.length;
    // An enabled sled looks like a jump. A disabled sled is a nop or a ret.
    // After a ret only the sled's own bytes are dead.
    if (code.flow == Flow::Jump && isKept(offset))
      code.flow = Flow::Next;
    // At a breakpoint, the original instruction is unknown.
    if (!ended && code.flow == Flow::Stop && isBreakpoint(at(offset)))
      return true;
    starts.set(offset);
    // One-byte nops and int3 do not count as padding here. They may belong to
    // the program, and be the target of an indirect jump. Assemblers pad with
    // longer nops, except for a last byte.
    bool dies = (ended || padding) && code.isPadding && code.length > 1;
    if (dies && !padding)
      padding = offset;
    if (!dies && !endPadding(padding, offset))
      return false;
    if (dies)
      signs[index] |= kPadded;
    if (code.setsDirection)
      signs[index] |= kReversed;
    if (!noteInstruction(index, offset, code))
      return false;
    ended = code.ends();
    offset = next;
  }
  if (offset == f.end)
    signs[index] |= kDecoded;
  // Padding at the function's end belongs to the padding after the function.
  bool reached = !ended && !padding && code.flow != Flow::Call;
  // If a block is a separate part, it may have no jump to it at all.
  const bool fallsOn = reached && offset == f.end &&
                       index + 1 < functions.size() &&
                       functions[index + 1].start == f.end;
  if (fallsOn && !jumps.push({f.end, index, true}))
    return false;
  if (!endPadding(padding, f.end) ||
      (code.flow == Flow::Call && !endCalls.push(index)))
    return false;
  return addGap(index, reached || !(signs[index] & kDecoded));
}

// Adds the bytes between this function and the next one, if all of them are
// padding. `reached` says that threads continue from the function into these
// bytes.
bool DecodedCode::addGap(uint32_t index, bool reached) {
  uint32_t start = functions[index].end;
  if (index + 1 == functions.size() || reached)
    return true;
  uint32_t end = functions[index + 1].start;
  constexpr uint32_t kLongest = 4096; // longest padding
  if (end - start > kLongest || room(start, end - start) < end - start)
    return true;
  for (uint32_t offset = start; offset < end;) {
    Instruction code;
    if (isBreakpoint(at(offset))) {
      offset += kBreakpointBytes;
      continue;
    }
    if (!decodeAt(offset, end, code) || !code.isPadding)
      return true;
    offset += code.length;
  }
  return dead.add(start, end);
}

bool DecodedCode::finishJumps() {
  Array<Keyed> order;
  Array<Jump> sorted;
  if (!order.reserve(jumps.size()) || !sorted.reserve(jumps.size()))
    return false;
  for (uint32_t i = 0; i < jumps.size(); ++i)
    order.push({jumps[i].to, i}); // reserved
  if (!sortByKey(order))
    return false;
  for (const Keyed &one : order)
    sorted.push(jumps[one.value]); // reserved
  jumps.swap(sorted);
  return findOwners();
}

bool DecodedCode::findOwners() {
  if (!owners.reserve(jumps.size()))
    return false;
  uint32_t next = 0;
  auto none = static_cast<uint32_t>(functions.size());
  for (const Jump &jump : jumps) {
    while (next < none && functions[next].end <= jump.to)
      ++next;
    bool isIn = next < none && functions[next].start <= jump.to;
    owners.push(isIn ? next : none); // reserved
  }
  return true;
}

// If a jump has its target between the decoded instructions of a function, for
// example because the function contains data, the function is not understood.
// An instruction may also begin after a lock prefix: the C library jumps over
// that prefix.
void DecodedCode::refuseSkewed() {
  constexpr uint8_t kLock = 0xf0;
  targets.visitWithout(starts, [&](uint32_t to) {
    size_t i = functionAt(to);
    bool isInFunction = i < functions.size() && to != functions[i].start;
    if (isInFunction && !(startsAt(to - 1) && *at(to - 1) == kLock))
      signs[i] |= kUnclear;
  });
}

// Whether these bytes are read-only after the module was relocated.
bool DecodedCode::isReadOnly(uint64_t address, size_t bytes) const {
  if (address >= view.relocated.start && address + bytes <= view.relocated.end)
    return true;
  for (size_t i = 0; i < view.segmentCount; ++i) {
    const Segment &s = view.segments[i];
    if (address >= s.start && address + bytes <= s.end)
      return !(s.flags & PF_W);
  }
  return false;
}

// --- the targets of jumps ---------------------------------------------------

bool DecodedCode::leadsInto(uint32_t offset, uint32_t from) const {
  if (!targets.has(offset))
    return false;
  for (size_t i = partitionPoint(
           0, jumps.size(), [&](size_t at) { return jumps[at].to < offset; });
       i < jumps.size() && jumps[i].to == offset; ++i)
    if (parents[jumps[i].from] == from)
      return true;
  return false;
}

bool DecodedCode::isUsed(uint32_t from, uint32_t to) const {
  uint32_t first = targets.firstFrom(from, to);
  if (first == to)
    return false;
  size_t i = partitionPoint(0, jumps.size(),
                            [&](size_t at) { return jumps[at].to < first; });
  bool isJumpedTo = i < jumps.size() && jumps[i].to == first;
  return isJumpedTo || called.has(first) || isTarget(first + 1, to);
}

bool DecodedCode::leavesTo(uint32_t function, uint32_t target) const {
  size_t to = functionAt(target);
  if (to == functions.size() || functions[to].isSignalFrame)
    return true; // a table of imports, which has no unwind entry in some files
  return functions[to].start == target && !functions[to].isFragment &&
         parents[to] != parents[function];
}

bool DecodedCode::mayKeepBelow(uint32_t function, uint32_t offset,
                               const Instruction &code) const {
  if (!kHasRedZone || signs[function] & kCalls)
    return false;
  const uint32_t target =
      offset + code.length + static_cast<uint32_t>(code.distance);
  if (code.flow == Flow::JumpMemory)
    return !isReadOnlyWord(view.origin + target);
  if (code.flow != Flow::Jump)
    return code.isIndirect();
  size_t to = functionAt(target);
  if (to == functions.size())
    return !isImport(target);
  return !functions[to].isSignalFrame && mayKeepBelow(to);
}

// --- all --------------------------------------------------------------------

const char *DecodedCode::decodeAll() {
  if (const char *fault = findFunctions(view, functions))
    return fault;
  if (!indexFunctions())
    return kNoMemory;
  takeNopsBefore();
  size_t count = functions.size();
  uint32_t start = functions[0].start, end = functions[count - 1].end;
  if (!signs.resize(count) || !parents.resize(count) ||
      !jumpers.resize(count) || !starts.make(start, end) ||
      !targets.make(start, end) || !called.make(start, end))
    return kNoMemory;
  for (uint32_t i = 0; i < count; ++i)
    jumpers[i] = i;
  if (!findProfilerTargets())
    return kNoMemory;
  for (uint32_t i = 0; i < count; ++i)
    if (!decodeFunction(i))
      return kNoMemory;
  if (!readAllWords() || !finishJumps())
    return kNoMemory;
  refuseSkewed();
  followAllOutside();
  if (!findParts() || !findTables() || !spareAfterCalls())
    return kNoMemory;
  heapSort(labels.begin(), labels.size(),
           [](uint32_t a, uint32_t b) { return a < b; });
  dead.cut(labels.begin(), labels.size());
  dead.cut(
      [&](uint32_t from, uint32_t to) { return targets.firstFrom(from, to); });
  dead.cut(view.kept, view.keptCount);
  // This memory is reused for the sites.
  called.reset();
  references.reset();
  return nullptr;
}

} // namespace tprt
