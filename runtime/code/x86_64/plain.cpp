// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of plain instructions; see readPlain() in instruction.h. Any thread;
// allocates nothing.
//
// Which instruction comes next cannot be foreseen, and each branch of a decoder
// that a processor mispredicts takes as long as several instructions. So the
// loop here has one branch, which says whether an instruction is plain; all
// else is computed. An instruction takes as long as it takes to find the next
// one.
#include "code/instruction.h"
#include "code/x86_64/opcodes.h"

#include <string.h>

namespace tprt {

namespace {
// Reasons for which an instruction with a plain opcode is not plain. An opcode
// lists those that hold for it, and an instruction those that it gives.
enum Reason : uint8_t {
  kAlways = 1,
  kRexWide = 2, // REX.W makes the number longer.
  kRex = 4,
  kRegister = 8, // The operand byte is of a register.
  kNumbers = 16, // The number may be an address, or the displacement may.
  kNoBase = 32   // A displacement of four bytes instead of a base (SIB).
};

// What follows a plain opcode, which is itself one of the bytes.
struct Opcode {
  uint8_t bytes;   // Without the operand byte and what belongs to that.
  uint8_t operand; // 0xff if there is an operand byte, else 0.
  uint8_t reasons;
  uint8_t notPlain; // A bit for each middle part of the operand byte.
};

// What an operand byte says. The lower bits say how many bytes it and what
// belongs to it are.
enum Operand : uint8_t {
  kOperandBytes = 7,
  kMayHaveNoBase = 32,
  kRelative = 128
};
static_assert(uint8_t{kMayHaveNoBase} == uint8_t{kNoBase});

// By opcode, those behind 0f from 256 on; and by operand byte.
struct PlainTables {
  Opcode opcodes[512];
  uint8_t operands[256];
};

constexpr Opcode plainOf(Form form, unsigned opcode) {
  constexpr uint8_t kAll = 0xff;
  switch (form) {
  case kPlain:
    return {1, 0, 0, 0};
  case kModRM:
    return {1, kAll, kNoBase, 0};
  case kModRM8:
    return {2, kAll, kNoBase, 0};
  case kModRMZ:
    return {5, kAll, kNoBase | kNumbers, 0};
  case kImm8:
    return {2, 0, 0, 0};
  case kImmZ:
    return {5, 0, kNumbers, 0};
  case kMoveImm:
    return {5, 0, kRexWide | kNumbers, 0};
  case kLea:
    return {1, kAll, kNoBase | kRegister | kNumbers, 0};
  case kBranch8:
    return {2, 0, kRex, 0};
  case kBranch32:
  case kCall32:
    return {5, 0, kRex, 0};
  case kGroup:
    break;
  default:
    return {0, 0, kAlways, 0};
  }
  // As Reader::takeGroup() in frequent.cpp.
  switch (opcode) {
  case 0xc0: // shifts by a number
  case 0xc1:
    return {2, kAll, kNoBase, 1 << 6};
  case 0xd0: // shifts by one and by cl
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return {1, kAll, kNoBase, 1 << 6};
  case 0xc6: // mov
    return {2, kAll, kNoBase, kAll & ~1};
  case 0xc7:
    return {5, kAll, kNoBase | kNumbers, kAll & ~1};
  case 0xf6: // not, neg, mul, div; test has a number
  case 0xf7:
    return {1, kAll, kNoBase, 3};
  case 0xfe: // inc, dec
    return {1, kAll, kNoBase, kAll & ~3};
  case 0xff: // inc, dec, push
    return {1, kAll, kNoBase, kAll & ~(3 | 1 << 6)};
  case 256 + 0xba: // bt with a number
    return {2, kAll, kNoBase, 15};
  default:
    return {0, 0, kAlways, 0};
  }
}

constexpr PlainTables makePlainTables() {
  PlainTables t = {};
  for (unsigned i = 0; i < 256; ++i) {
    t.opcodes[i] = plainOf(kTables.one[i], i);
    t.opcodes[256 + i] = plainOf(
        kTables.two[i].allowed & kN ? kTables.two[i].form : kRare, 256 + i);
    unsigned mod = i >> 6, rm = i & 7;
    unsigned isRelative = mod == 0 && rm == 5, hasSib = mod != 3 && rm == 4;
    unsigned bytes = 1 + hasSib + (mod == 1) + (mod == 2 || isRelative) * 4u;
    t.operands[i] = static_cast<uint8_t>(bytes | (mod == 3) * kRegister |
                                         (hasSib && mod == 0) * kMayHaveNoBase |
                                         isRelative * kRelative);
  }
  return t;
}
constexpr PlainTables kPlainTables = makePlainTables();

// An instruction with a link: that of its operand, if it has one, or else the
// number behind an opcode that must not have REX.
struct FoundLink {
  uint64_t bytes; // From the last byte of the opcode on.
  uint32_t start;
  uint16_t length, opcode; // With kOperandLink: the operand's.

  static constexpr unsigned kOperandLink = kRelative << 8;
  PlainLink link() const {
    constexpr unsigned kCall = 0xe8, kShort = 2;
    PlainLink to = {start, start + length, 0, PlainLink::Operand};
    if (opcode & kOperandLink) {
      to.distance = static_cast<int32_t>(bytes >> 16);
      return to;
    }
    auto number = static_cast<int32_t>(bytes >> 8);
    to.distance = length == kShort ? static_cast<int8_t>(number) : number;
    to.kind = opcode == kCall ? PlainLink::Call : PlainLink::Branch;
    return to;
  }
};
} // namespace

// Bytes are taken by shifts from the first eight, because REX, 0f, opcode,
// operand byte and a displacement are no more.
PlainRun readPlain(const uint8_t *code, size_t room, Numbers numbers,
                   uint32_t offset, CodeBits &starts,
                   PlainLink (&links)[kMostLinks]) {
  constexpr uint8_t kEscape = 0x0f, kCall = 0xe8;
  constexpr size_t kMostRead = 8;
  const unsigned always = kAlways | (numbers == Numbers::All) * kNumbers;
  const size_t end = room < kMostRead ? 0 : room - kMostRead + 1;
  size_t at = 0, count = 0;
  unsigned opcode = 0;
  // What may be a link is stored for each instruction, and counted if it is
  // one: a branch for that would be mispredicted.
  FoundLink found[kMostLinks + 1];
  static_assert(kRelative == 1 << 7 && kRex << 5 == kRelative);
  while (at < end && count < kMostLinks) {
    uint64_t word;
    memcpy(&word, code + at, sizeof word);
    const unsigned isRex = (word & 0xf0) == 0x40;
    const unsigned wide = static_cast<unsigned>(word) >> 2 & kRexWide;
    word >>= isRex * 8;
    const unsigned isEscaped = (word & 0xff) == kEscape;
    word >>= isEscaped * 8;
    const unsigned which = (word & 0xff) + isEscaped * 256;
    const Opcode &known = kPlainTables.opcodes[which];
    const unsigned modrm = word >> 8 & 0xff;
    const unsigned operand = kPlainTables.operands[modrm] & known.operand;
    // An SIB byte of base 5 under mod 0 names no base (Intel SDM, 2.1.5).
    const unsigned noBase = (word >> 16 & 7) == 5 ? operand & kNoBase : 0u;
    const unsigned given =
        always | isRex * (kRex | wide) | (operand & kRegister) | noBase;
    const size_t length =
        isRex + isEscaped + known.bytes + (operand & kOperandBytes);
    const unsigned no =
        (known.reasons & given) | (known.notPlain >> (modrm >> 3 & 7) & 1u);
    if (no || length > room - at)
      break;
    starts.set(offset + static_cast<uint32_t>(at));
    found[count] = {word, static_cast<uint32_t>(at),
                    static_cast<uint16_t>(length),
                    static_cast<uint16_t>(which | (operand & kRelative) << 8)};
    count += (operand | known.reasons << 5) >> 7 & 1u;
    at += length;
    opcode = which;
  }
  for (size_t i = 0; i < count; ++i)
    links[i] = found[i].link();
  return {at, count, opcode == kCall};
}

} // namespace tprt
