// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the indirect jumps that leave their function; see decoded.h.
//
// The problem: `jmp *%rax` may be a call through a pointer at the end of a
// function, or a switch's jump. At a switch's jump, a function may keep data
// below the stack pointer, which a hit would overwrite.
//
// The solution: a jump can remain in its function only if some data or
// instruction contains an address inside that function. The source is a word of
// data, a table of 32-bit distances, or an instruction that loads the address.
// Functions with such an instruction are refused completely. If neither a word
// nor a table is found, the jump leaves the function. If a word or table is
// found, the instructions before the jump decide. In doubt, the result is
// Unknown.
#include "decode/decoded.h"

#include <string.h>

namespace tprt {

uint64_t DecodedCode::operandOf(uint32_t, uint32_t offset,
                                const Instruction &code) const {
  return view.origin + offset + code.length +
         static_cast<uint64_t>(code.distance);
}

// GCC and clang begin a function's unwind entry before its nops.
void DecodedCode::takeNopsBefore() {}

// --- tables -----------------------------------------------------------------

bool DecodedCode::leadsToInstruction(uint64_t address) const {
  uint64_t to = address - view.origin;
  return to <= UINT32_MAX && startsAt(static_cast<uint32_t>(to));
}

// Whether the address is of an instruction of this function or of a part of it.
bool DecodedCode::leadsToPart(uint64_t address, uint32_t function) const {
  // Most words that are not distances do not point to an instruction. So this
  // check comes before the search.
  if (!leadsToInstruction(address))
    return false;
  auto offset = static_cast<uint32_t>(address - view.origin);
  size_t i = functionAt(offset);
  return i < functions.size() && parents[i] == parents[function] &&
         offset != functions[parents[function]].start;
}

// Whether one of the first rows of a table of distances from its own beginning
// refers to an address for which is() is true. Some of these rows may refer to
// other addresses, because the compiler may let the table begin before its
// first used row.
template <class Is>
bool DecodedCode::hasRow(uint64_t address, const Is &is) const {
  constexpr unsigned kRows = 16;
  int32_t distance;
  const bool isWhole =
      isIn(view, address, address + kRows * sizeof distance, PF_R);
  for (unsigned i = 0; i < kRows; ++i) {
    uint64_t row = address + i * sizeof distance;
    if (!isWhole && !isIn(view, row, row + sizeof distance, PF_R))
      return false;
    memcpy(&distance, reinterpret_cast<const void *>(row), sizeof distance);
    if (is(address + static_cast<uint64_t>(int64_t{distance})))
      return true;
  }
  return false;
}

// Whether a table of some function may lie at this address.
bool DecodedCode::mayBeTable(uint64_t address) const {
  return hasRow(address, [&](uint64_t to) { return leadsToInstruction(to); });
}

// Whether there is a table at this address that a compiler has made for a
// switch in the function.
bool DecodedCode::isTable(uint64_t address, uint32_t function) const {
  return hasRow(address,
                [&](uint64_t to) { return leadsToPart(to, function); });
}

// Records the targets of a table's rows. A table does not contain its length,
// so the scan continues until many rows refer to addresses outside the
// function. Returns false if there is no memory.
bool DecodedCode::noteRows(uint64_t address, uint32_t function) {
  constexpr unsigned kMost = 65536, kMostElsewhere = 16;
  unsigned elsewhere = 0;
  for (unsigned i = 0; i < kMost && elsewhere < kMostElsewhere; ++i) {
    int32_t distance;
    uint64_t row = address + i * sizeof distance;
    if (!isIn(view, row, row + sizeof distance, PF_R))
      return true;
    memcpy(&distance, reinterpret_cast<const void *>(row), sizeof distance);
    uint64_t to = address + static_cast<uint64_t>(int64_t{distance});
    bool isRow = leadsToPart(to, function);
    elsewhere = isRow ? 0 : elsewhere + 1;
    if (isRow && !noteLabel(static_cast<uint32_t>(to - view.origin)))
      return false;
  }
  return true;
}

namespace {
// Caches addresses without a table, for all functions: functions refer to the
// same words repeatedly, for example in the GOT. Old addresses may be dropped.
// There is no table at offset 0, which is the address of the file's header.
class NoTables {
public:
  bool has(uint32_t offset) const { return known[placeOf(offset)] == offset; }
  void add(uint32_t offset) { known[placeOf(offset)] = offset; }

private:
  static constexpr size_t kMost = 1024;
  static size_t placeOf(uint32_t offset) { return offset / 4 % kMost; }
  uint32_t known[kMost] = {};
};
} // namespace

// The signs of a part (decoded.h) also apply to the function that the part
// belongs to. The rows of tables matter only if a function has bytes that look
// like padding. Returns false if there is no memory.
bool DecodedCode::findTables() {
  NoTables none;
  for (uint32_t i = 0; i < functions.size(); ++i) {
    signs[parents[i]] |= signs[i] & (kLabelled | kPadded | kReversed);
    if (functions[i].isFragment && signs[i] & (kListed | kLoaded))
      signs[parents[i]] |= kLabelled;
  }
  for (const Reference &one : references) {
    uint32_t of = parents[one.from];
    if ((signs[of] & kTabled && !(signs[of] & kPadded)) || none.has(one.to))
      continue;
    uint64_t address = view.origin + one.to;
    if (!mayBeTable(address)) {
      none.add(one.to);
      continue;
    }
    if (!isTable(address, one.from))
      continue;
    signs[of] |= kTabled;
    if (signs[of] & kPadded && !noteRows(address, one.from))
      return false;
  }
  return true;
}

// --- jumps ------------------------------------------------------------------

// The effect of the last instruction before `offset` that changes the register,
// or the register from which it was copied. The result is None if it is
// unknown, because jumps have targets in between or the instruction is far
// away.
Effect DecodedCode::lastEffect(uint32_t function, uint32_t offset,
                               unsigned target) const {
  constexpr unsigned kMost = 16; // instructions
  const Function &f = functions[function];
  uint32_t at = offset;
  for (unsigned n = 0; n < kMost; ++n) {
    if (isTarget(at, at + 1))
      return Effect::None;
    do
      if (at-- == f.start)
        return Effect::None;
    while (!startsAt(at));
    Instruction code;
    if (!decodeAt(at, f.end, code) || code.ends() || code.flow == Flow::Call)
      return Effect::None;
    Effect effect = effectOn(target, this->at(at), f.end - at);
    if (effect != Effect::None && effect != Effect::Copies)
      return effect;
  }
  return Effect::None;
}

// GCC's __builtin_eh_return ends in: movq %rcx, %rsp; popq %rcx; jmp *%rcx. The
// C library's longjmp ends in: movq %r8, %rsp; movq %r9, %rbp; jmp *%rdx. A
// frame pointer is a former value of this function's stack pointer.
bool DecodedCode::isStackChanged(uint32_t function, uint32_t offset,
                                 unsigned target) const {
  constexpr uint8_t kRexW = 0x48, kRexR = 4, kRexB = 0x41, kPop = 0x58,
                    kMove = 0x89, kToStack = 0xc4, kFrameToStack = 0xec;
  constexpr unsigned kMost = 3; // instructions
  const uint32_t start = functions[function].start;
  for (unsigned n = 0; n < kMost; ++n) {
    do
      if (offset-- == start)
        return false;
    while (!startsAt(offset));
    const uint8_t *code = at(offset);
    bool moves = (code[0] & ~kRexR) == kRexW && code[1] == kMove &&
                 (code[2] & 0xc7) == kToStack,
         isFrame = code[0] == kRexW && code[2] == kFrameToStack;
    if (moves && !isFrame)
      return true;
    if (target < 8 ? code[0] == kPop + target
                   : code[0] == kRexB && code[1] == kPop + target - 8)
      return true;
  }
  return false;
}

Way DecodedCode::wayOf(uint32_t function, uint32_t offset,
                       const Instruction &code) const {
  unsigned all = signs[parents[function]];
  bool labelled = all & kLabelled, tabled = all & kTabled;
  auto unlessIs = [&](bool sign, Way way) {
    return sign ? way : hidesLabels ? Way::Unknown : Way::Leaves;
  };
  if (code.flow == Flow::JumpTable)
    return unlessIs(labelled, Way::Stays);
  if (code.flow == Flow::JumpPointer)
    return unlessIs(labelled, Way::Unknown);
  if (code.flow == Flow::JumpMemory) {
    uint64_t word = view.origin + offset + code.length +
                    static_cast<uint64_t>(code.distance);
    return unlessIs(labelled && !isReadOnlyWord(word), Way::Unknown);
  }
  bool either = labelled || tabled;
  if (code.isNotTracked)
    return either ? Way::Stays : Way::Unknown;
  switch (lastEffect(function, offset, code.target)) {
  case Effect::Computes:
    return tabled ? Way::Stays : Way::Unknown;
  case Effect::LoadsByIndex:
    return unlessIs(labelled, Way::Stays);
  case Effect::Loads:
    return unlessIs(labelled, Way::Unknown);
  default: // The value is an argument of the function, or was computed far
           // away.
    return unlessIs(either, Way::Unknown);
  }
}

} // namespace tprt
