// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operands of AArch64 instructions, the indirect jumps that leave
// their function, and the beginnings of GCC's functions; see decoded.h.
//
// The problem: an address needs two instructions, adrp and an addition or an
// access. And data between a function's instructions may look like a branch,
// but must not be treated as one.
//
// The solution: for an addition or an access, the preceding instructions are
// searched for its adrp. If an instruction refers to an address inside a
// function, that address counts as data, and the function has no sites
// (DecodedCode::noteOperand()). The exception is the adr of a switch, which
// comes shortly before the switch's jump.
#include "base/search.h"
#include "decode/decoded.h"

#include <string.h>

namespace tprt {

static uint32_t wordAt(const DecodedCode &all, uint32_t offset) {
  uint32_t word;
  memcpy(&word, all.at(offset), sizeof word);
  return word;
}

// Whether the adr at this offset computes the base of a switch: the target of a
// jump soon after it is the sum of this address and another number. If any
// value is loaded from the address, the address is data.
static bool isOfSwitch(const DecodedCode &all, uint32_t offset, uint32_t end) {
  constexpr uint32_t kSoon = 8 * 4, kNone = 32;
  uint32_t base = wordAt(all, offset) & 31, sum = kNone;
  for (uint32_t at = offset + 4; at < end && at <= offset + kSoon; at += 4) {
    Instruction code;
    if (!all.decodeAt(at, end, code))
      return false;
    if (code.flow == Flow::JumpRegister)
      return code.target == sum;
    uint32_t word = wordAt(all, at), first = word >> 5 & 31,
             second = word >> 16 & 31;
    bool isAccess = (word & 0x0a000000) == 0x08000000, // C4.1: x1x0
        isSum = (word & 0xff000000) == 0x8b000000;     // add of registers
    if (code.flow != Flow::Next || (isAccess && first == base))
      return false;
    if (isSum && (first == base || second == base))
      sum = word & 31;
  }
  return false;
}

// The page that a recent adrp has put into this register. Returns 0 if there is
// no such adrp.
static uint64_t pageIn(const DecodedCode &all, unsigned wanted, uint32_t offset,
                       uint32_t start) {
  constexpr uint32_t kClose = 64 * 4;
  for (uint32_t back = 4; back <= kClose && offset - start >= back; back += 4) {
    uint32_t word = wordAt(all, offset - back);
    // Most instructions have the register that they write in their lowest bits.
    if ((word & 31) != wanted)
      continue;
    if ((word & 0x9f000000) != 0x90000000)
      return 0;
    auto high = static_cast<int32_t>(word << 8) >> 13; // bits 5 to 23
    int64_t pages = int64_t{high} * 4 + (word >> 29 & 3);
    uint64_t here = all.view.origin + offset - back;
    return (here & ~uint64_t{0xfff}) + static_cast<uint64_t>(pages * 4096);
  }
  return 0;
}

uint64_t DecodedCode::operandOf(uint32_t index, uint32_t offset,
                                const Instruction &code) const {
  const Function &f = functions[index];
  uint32_t word = wordAt(*this, offset);
  bool isAdr = (word & 0x9f000000) == 0x10000000,
       isLiteral = (word & 0x3b000000) == 0x18000000;
  if (isAdr && isOfSwitch(*this, offset, f.end))
    return 0;
  if (isAdr || isLiteral)
    return view.origin + offset + code.length +
           static_cast<uint64_t>(code.distance);
  bool isAccess = (word & 0x3b000000) == 0x39000000,
       isAddition = (word & 0xffc00000) == 0x91000000;
  uint64_t page = isAccess || isAddition
                      ? pageIn(*this, word >> 5 & 31, offset, f.start)
                      : 0;
  if (!page)
    return 0;
  // Offsets of accesses count in units of the accessed size. For vectors of 16
  // bytes, the size is 0, and bits 26 and 23 are set.
  bool isWhole = (word >> 26 & 1) && (word >> 23 & 1);
  unsigned shift = !isAccess ? 0 : isWhole ? 4 : word >> 30;
  return page + (uint64_t{word >> 10 & 0xfff} << shift);
}

bool DecodedCode::findTables() { return true; }

// GCC 12 places the nops of -fpatchable-function-entry, and the landing pad
// before them, outside of the function's unwind entry.
void DecodedCode::takeNopsBefore() {
  constexpr uint32_t kMost = 256 * 4;
  for (size_t i = 0; i < view.symbolCount; ++i) {
    uint32_t label = view.symbols[i].at, at = label;
    size_t next = partitionPoint(0, functions.size(), [&](size_t f) {
      return functions[f].start <= label;
    });
    if (next == functions.size() || functionAt(label) != functions.size())
      continue;
    Function &f = functions[next];
    uint32_t bytes = f.start - label;
    if (bytes > kMost || bytes % 4 || room(label, bytes) < bytes)
      continue;
    Instruction code = {};
    while (at < f.start && decodeAt(at, f.start, code) &&
           (code.flow == Flow::Nop ||
            (at == label && code.flow == Flow::LandingPad)))
      at += code.length;
    if (at == f.start)
      f.start = label;
  }
}

// On AArch64, compilers make thunks only for calls.
uint32_t DecodedCode::seeThroughThunk(const Exit &exit, Instruction &) const {
  return exit.at;
}

// No jump through a register is a site.
bool DecodedCode::isStackChanged(uint32_t, uint32_t, unsigned) const {
  return false;
}

// If branches need landing pads, compiled code leaves a function only through
// x16 or x17, and no switch uses these registers.
Way DecodedCode::wayOf(uint32_t, uint32_t, const Instruction &code) const {
  bool isFree = code.target == 16 || code.target == 17;
  return isFree ? Way::Leaves : Way::Unknown;
}

} // namespace tprt
