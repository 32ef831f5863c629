// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines which code with an unwind entry is a function; see decoded.h.
//
// The problem: a compiler may move a part of a function elsewhere, and such a
// part has a separate unwind entry. Such a part may begin while the function
// keeps data below the stack pointer, which a hit would overwrite (psABI,
// 3.2.2).
//
// The solution: an entry needs a sign that the code is called, or that no data
// can lie below the stack pointer at this address. Code without such a sign is
// a part of the function that jumps to it.
#include "base/sort.h"
#include "decode/decoded.h"

#include <stddef.h>
#include <string.h>

namespace tprt {

void DecodedCode::readSymbols() {
  for (size_t i = 0; i < view.symbolCount; ++i) {
    const CodeSymbol &symbol = view.symbols[i];
    size_t of = functionAt(symbol.at);
    if (of < functions.size())
      signs[of] |= functions[of].start != symbol.at ? kNamedInside
                   : symbol.isCold                  ? kCold
                                                    : kNamed;
    // The function may begin before its unwind entry.
    if (of == functions.size())
      targets.set(symbol.at);
  }
}

// Tables of functions, for example of virtual functions, contain their
// addresses. If a word contains an address between functions, the bytes at this
// address are not padding: they may be nops for another patcher
// (-fpatchable-function-entry). Returns false if there is no memory.
bool DecodedCode::readWords(Extent words) {
  constexpr uint64_t kBytes = sizeof(uint64_t);
  if (!isIn(view, words.start, words.end, PF_R))
    return true;
  uint64_t first = view.origin + functions[0].start,
           last = view.origin + functions[functions.size() - 1].end;
  for (uint64_t at = (words.start + kBytes - 1) & ~(kBytes - 1);
       at + kBytes <= words.end; at += kBytes) {
    uint64_t word;
    memcpy(&word, reinterpret_cast<const void *>(at), sizeof word);
    if (word < first || word >= last)
      continue;
    auto offset = static_cast<uint32_t>(word - view.origin);
    size_t i = functionAt(offset);
    if (i == functions.size()) {
      targets.set(offset);
      continue;
    }
    bool isStart = functions[i].start == offset;
    signs[i] |= isStart ? kListed : kLabelled;
    if ((!isStart && !noteLabel(offset)) || !noteSequence(words, at))
      return false;
  }
  return true;
}

// If an indirect jump can reach nops after an instruction that never continues,
// these nops are not padding. Returns false if there is no memory.
bool DecodedCode::noteLabel(uint32_t offset) {
  return !dead.hasAt(offset, 1) || labels.push(offset);
}

// If a preemption or a signal interrupts a thread inside a sequence, the kernel
// restarts the sequence (rseq(2)). The kernel does not restart a sequence for a
// thread in a stub. So a site in a sequence could let two threads run the
// sequence at once, and updates of per-processor data, such as an allocator's
// lists, would be lost.
//
// A sequence is recognised by its descriptor, which the kernel reads: struct
// rseq_cs in linux/rseq.h. `at` is the address of the word that may contain the
// beginning's address. The four bytes before the restart address are a
// signature. Returns false if there is no memory.
bool DecodedCode::noteSequence(Extent words, uint64_t at) {
  struct Descriptor {
    uint32_t version, flags;
    uint64_t start, bytes, restart;
  } found;
  constexpr size_t kBefore = offsetof(Descriptor, start);
  constexpr uint64_t kLongest = 1 << 16;
  uint64_t from = at - kBefore;
  uint32_t signature = 0;
  if (from % sizeof found || from < words.start ||
      from + sizeof found > words.end)
    return true;
  memcpy(&found, reinterpret_cast<const void *>(from), sizeof found);
  uint64_t signedAt = found.restart - sizeof signature;
  if (found.version || !found.bytes || found.bytes > kLongest ||
      !isIn(view, signedAt, found.restart, PF_R | PF_X))
    return true;
  memcpy(&signature, reinterpret_cast<const void *>(signedAt),
         sizeof signature);
  auto start = static_cast<uint32_t>(found.start - view.origin);
  auto end = static_cast<uint32_t>(start + found.bytes);
  return signature != kSequenceSignature || sequences.push({start, end});
}

bool DecodedCode::isInSequence(uint32_t offset) const {
  bool is = false;
  for (size_t i = 0; i < sequences.size() && !is; ++i)
    is = offset >= sequences[i].start && offset < sequences[i].end;
  return is;
}

// In a module at a fixed address, words that were never relocated may be
// addresses, too.
bool DecodedCode::readAllWords() {
  if (!readWords(view.relocated) || !readWords(view.data))
    return false;
  for (size_t i = 0; view.isFixed && i < view.segmentCount; ++i) {
    const Segment &s = view.segments[i];
    if (!(s.flags & (PF_W | PF_X)) && !readWords({s.start, s.end}))
      return false;
  }
  return true;
}

void DecodedCode::findSigns() {
  for (size_t i = 0; i < functions.size(); ++i)
    if (called.has(functions[i].start))
      signs[i] |= kCalled;
  for (size_t j = 0; j < jumps.size(); ++j) {
    const Jump &jump = jumps[j];
    size_t to = owners[j];
    if (to == functions.size() || to == jump.from)
      continue;
    if (jump.to == functions[to].start && !jump.isConditional)
      signs[to] |= kJumped;
    if (jumpers[to] == to)
      jumpers[to] = jump.from;
  }
  while (findShared())
    ;
  for (size_t j = 0; j < jumps.size(); ++j) {
    const Jump &jump = jumps[j];
    size_t to = owners[j];
    if (to != functions.size() && to != jump.from &&
        jump.to != functions[to].start &&
        !isOwnPart(jump.from, static_cast<uint32_t>(to)))
      signs[to] |= kEntered;
  }
}

// The function to which this code belongs as a part. That is the function that
// jumps to the code. If the jumping code is itself a part, the search continues
// with the code that jumps to it. Returns functions.size() if the function is
// unknown.
size_t DecodedCode::rootOf(size_t index) const {
  constexpr unsigned kMostSteps = 64;
  for (unsigned n = 0; n < kMostSteps; ++n) {
    unsigned all = signs[index];
    bool isFunction = all & (kCalled | kNamed | kLoaded | kListed | kShared) ||
                      (all & kJumped && all & kCalls);
    if (isFunction)
      return index;
    if (jumpers[index] == index) // possibly the part of a switch's table
      break;
    index = jumpers[index];
  }
  return functions.size();
}

// Records code to which several functions jump. Several parts of one function
// may jump to another part of the same function, as in llvm-bolt's code. Such
// jumps do not count. Code with other signs is skipped. Returns whether any
// such code was found, because further code may then be shared.
bool DecodedCode::findShared() {
  constexpr unsigned kKnown = kCalled | kNamed | kLoaded | kListed | kShared;
  const size_t none = functions.size();
  bool any = false;
  for (size_t j = 0; j < jumps.size();) {
    const size_t to = owners[j]; // Jumps to one function are neighbours.
    const bool isKnown = to == none || signs[to] & kKnown;
    size_t root = none;
    bool several = false;
    for (; j < jumps.size() && owners[j] == to; ++j) {
      const size_t from =
          isKnown || jumps[j].from == to ? none : rootOf(jumps[j].from);
      several |= from != none && root != none && from != root;
      root = from != none ? from : root;
    }
    if (several)
      signs[to] |= kShared;
    any |= several;
  }
  return any;
}

// Whether only jumps of one function reach this code. If so, the code is a part
// of that function, and may jump back into it.
bool DecodedCode::isOwnPart(uint32_t index, uint32_t of) const {
  constexpr unsigned kOther = kCalled | kNamed | kLoaded | kListed | kShared;
  return jumpers[index] == of && !(signs[index] & kOther);
}

bool DecodedCode::isFunction(uint32_t index) const {
  unsigned all = signs[index];
  auto has = [&](unsigned sign) { return (all & sign) != 0; };
  if (functions[index].isFragment || has(kCold))
    return false;
  if (has(kCalled | kNamed | kLoaded))
    return true;
  if (has(kEntered))
    return false;
  return has(kListed | kShared) || (has(kJumped) && has(kCalls));
}

// The exits of a part belong to the function that jumps to it. If no code jumps
// to a part, its function is unknown, and the part has no sites. Returns false
// if there is no memory.
bool DecodedCode::findParts() {
  readSymbols();
  findSigns();
  for (uint32_t i = 0; i < functions.size(); ++i) {
    Function &f = functions[i];
    parents[i] = i;
    if (f.isFragment)
      signs[i] |= kMoved;
    // As for a signal frame, no site lies in such code.
    if (isImports(i))
      f.isFragment = f.isSignalFrame = true;
    else if (!isFunction(i))
      f.isFragment = true;
  }
  for (uint32_t i = 0; i < functions.size(); ++i) {
    constexpr unsigned kMostSteps = 8; // a part of a part, and so on
    uint32_t of = i;
    for (unsigned n = 0; n < kMostSteps && functions[of].isFragment; ++n)
      of = jumpers[of];
    parents[i] = of;
  }
  if (hasLost() && !findLost())
    return false;
  for (uint32_t i = 0; i < functions.size(); ++i)
    functions[i].isSignalFrame |= functions[parents[i]].isFragment;
  return true;
}

// Whether the code is a part whose function is unknown.
bool DecodedCode::isLost(size_t index) const {
  return functions[index].isFragment && !functions[index].isSignalFrame &&
         functions[parents[index]].isFragment;
}

bool DecodedCode::hasLost() const {
  for (size_t i = 0; i < functions.size(); ++i)
    if (isLost(i))
      return true;
  return false;
}

// If each block of a function is a part (clang's -fbasic-block-sections), a
// part may be reached only through many other parts, or only by the table of a
// switch. So the function of a part is propagated from part to part.
//
// llvm-bolt keeps the old code before the new code. Both refer to the same
// tables, but only the new code is executed. So the parts in a table belong to
// the last function that refers to the table. The table ends at the next
// address to which some instruction refers. The remaining parts may belong to
// the other functions. Returns false if there is no memory.
bool DecodedCode::findLost() {
  if (!sortReferences())
    return false;
  do
    followJumps();
  while (followTables(true) || followTables(false));
  for (size_t i = 0; i < functions.size(); ++i)
    hidesLabels |= isLost(i) && signs[i] & (kListed | kLoaded);
  return true;
}

// Sorts by target, and then by function.
bool DecodedCode::sortReferences() {
  Array<Keyed> order;
  if (!order.reserve(references.size()))
    return false;
  for (const Reference &one : references)
    order.push({one.to, one.from}); // reserved
  if (!sortByKey(order))
    return false;
  for (size_t i = 0; i < order.size(); ++i)
    references[i] = {order[i].key, order[i].value};
  return true;
}

void DecodedCode::followJumps() {
  bool any;
  do {
    any = false;
    for (size_t j = 0; j < jumps.size(); ++j)
      any |= owners[j] < functions.size() && followJump(jumps[j], owners[j]);
  } while (any);
}

// If `isLast` is true, each table belongs to the last function that refers to
// it, and ends where the next table may begin. Returns whether the function of
// any part was still unknown.
bool DecodedCode::followTables(bool isLast) {
  bool any = false;
  uint32_t next = 0; // 0 means that no table follows
  for (size_t i = 0; i < functions.size(); ++i)
    signs[parents[i]] |= signs[i] & kIndirect;
  for (size_t i = references.size(); i-- > 0;) {
    const Reference &one = references[i];
    const bool isEarlier =
        i + 1 < references.size() && references[i + 1].to == one.to;
    if (!isEarlier)
      next = isLast && i + 1 < references.size() ? references[i + 1].to : 0;
    const uint32_t of = parents[one.from];
    if (signs[of] & kIndirect && !functions[of].isFragment &&
        !(isLast && isEarlier))
      any |= followRows<int32_t>(one.to, next, of) |
             followRows<uint64_t>(one.to, next, of);
  }
  return any;
}

// Handles a jump to a part, or from a part into a function. Returns whether it
// has found the function of a part.
bool DecodedCode::followJump(const Jump &jump, uint32_t to) {
  const uint32_t from = jump.from;
  if (functions[to].isSignalFrame) // also a table of imports
    return false;
  const bool isInto =
      jump.to != functions[to].start || functions[to].isFragment;
  if (isLost(to) && !functions[parents[from]].isFragment)
    parents[to] = parents[from];
  else if (isLost(from) && isInto && !functions[parents[to]].isFragment)
    parents[from] = parents[to];
  else
    return false;
  return true;
}

// Whether a function ends at the offset. Rows for impossible values refer to
// such an address.
bool DecodedCode::isEnd(uint32_t offset) const {
  size_t i = functionAt(offset - 1);
  return i < functions.size() && functions[i].end == offset;
}

// Follows the rows of a switch's table, as long as they are distances from the
// table to parts or to instructions of the function, or addresses of these. The
// table of another function may follow. The parameters are offsets. If
// `end` is 0, the length of the table is not known. Returns whether the table
// led to a part whose function was not known before.
template <class Row>
bool DecodedCode::followRows(uint32_t start, uint32_t end, uint32_t function) {
  constexpr bool isAddress = sizeof(Row) == sizeof(uint64_t);
  bool any = false;
  const uint64_t table = view.origin + start,
                 last = end ? view.origin + end : UINT64_MAX;
  for (uint64_t at = table; at < last && isIn(view, at, at + sizeof(Row), PF_R);
       at += sizeof(Row)) {
    Row row;
    memcpy(&row, reinterpret_cast<const void *>(at), sizeof row);
    uint64_t to = (isAddress ? 0 : table) +
                  static_cast<uint64_t>(static_cast<int64_t>(row)) -
                  view.origin;
    if (to > UINT32_MAX)
      break;
    const auto offset = static_cast<uint32_t>(to);
    const size_t i = startsAt(offset) ? functionAt(offset) : functions.size();
    if (i == functions.size() ||
        (functions[i].start != to
             ? parents[i] != function
             : !functions[i].isFragment || functions[i].isSignalFrame)) {
      if (!isEnd(offset))
        break;
    } else if (functions[i].start == to && isLost(i)) {
      any = true;
      parents[i] = function;
    }
  }
  return any;
}

// Whether the code is a table of imports, whose entries jump through words of
// memory. Linkers give such a table one unwind entry or none, but no symbol.
bool DecodedCode::isImports(uint32_t index) const {
  const Function &f = functions[index];
  Instruction code = {};
  uint32_t offset = f.start;
  if (signs[index] & kNamed || !(signs[index] & kJumpsByWord))
    return false;
  bool any = decodeAt(offset, f.end, code);
  if (any && code.flow == Flow::LandingPad)
    any = decodeAt(offset += code.length, f.end, code);
  constexpr uint8_t kPushMemory[] = {0xff, 0x35};
  if (any && code.flow != Flow::JumpMemory &&
      memcmp(at(offset), kPushMemory, sizeof kPushMemory) == 0)
    any = decodeAt(offset += code.length, f.end, code);
  return any && code.flow == Flow::JumpMemory;
}

} // namespace tprt
