// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lengths of plain instructions; see lengthOfPlain() in instruction.h. Any
// thread; allocates nothing.
#include "code/instruction.h"
#include "code/x86_64/opcodes.h"

namespace tprt {

namespace {
// What lengthOfPlain() knows of an opcode; without kIsPlain, nothing.
enum : uint8_t {
  kNumberBytes = 7, // How long the number behind it is.
  kHasModRM = 8,
  kNotWide = 16,      // Not with REX.W, which makes the number longer.
  kOnlyMemory = 32,   // The operand byte must be of memory.
  kMayBeAddress = 64, // The number may be an address, or the displacement may.
  kIsPlain = 128
};

// By opcode, those behind 0f from 256 on. And by operand byte, how many bytes
// follow it, a base of none (SIB) left out.
struct PlainTables {
  uint8_t opcodes[512], behindModRM[256];
};

constexpr uint8_t plainOf(Form form) {
  switch (form) {
  case kPlain:
    return kIsPlain;
  case kModRM:
    return kIsPlain | kHasModRM;
  case kModRM8:
    return kIsPlain | kHasModRM | 1;
  case kModRMZ:
    return kIsPlain | kHasModRM | kMayBeAddress | 4;
  case kImm8:
    return kIsPlain | 1;
  case kImmZ:
    return kIsPlain | kMayBeAddress | 4;
  case kMoveImm:
    return kIsPlain | kNotWide | kMayBeAddress | 4;
  case kLea:
    return kIsPlain | kHasModRM | kOnlyMemory | kMayBeAddress;
  default:
    return 0;
  }
}

constexpr PlainTables makePlainTables() {
  PlainTables t = {};
  for (unsigned i = 0; i < 256; ++i) {
    t.opcodes[i] = plainOf(kTables.one[i]);
    if (kTables.two[i].allowed & kN)
      t.opcodes[256 + i] = plainOf(kTables.two[i].form);
    unsigned mod = i >> 6, hasSib = mod != 3 && (i & 7) == 4;
    t.behindModRM[i] = static_cast<uint8_t>(hasSib + (mod == 1   ? 1
                                                      : mod == 2 ? 4
                                                                 : 0));
  }
  return t;
}
constexpr PlainTables kPlainTables = makePlainTables();
} // namespace

unsigned lengthOfPlain(const uint8_t *code, Numbers numbers) {
  constexpr uint8_t kRex = 0x40, kRexWide = 8, kEscape = 0x0f;
  const uint8_t *at = code;
  const unsigned isRex = (*at & 0xf0) == kRex, wide = isRex & (*at / kRexWide);
  at += isRex;
  const unsigned isEscaped = *at == kEscape;
  at += isEscaped;
  const uint8_t known = kPlainTables.opcodes[*at++ + isEscaped * 256];
  const unsigned modrm = *at, mod = modrm >> 6, rm = modrm & 7;
  const unsigned sibBase = at[1] & 7;
  // A displacement of four bytes instead of a base: without an index byte, it
  // counts from the instruction's end.
  const unsigned hasModRM = known / kHasModRM & 1u,
                 isRelative = mod == 0 && rm == 5,
                 hasNoBase = mod == 0 && rm == 4 && sibBase == 5;
  // By bits, because these conditions can be foreseen as little as the bytes.
  auto has = [known](unsigned bit) { return known / bit & 1u; };
  const unsigned isRegister = mod == 3, all = numbers == Numbers::All;
  const unsigned no = (has(kIsPlain) ^ 1u) | (has(kHasModRM) & isRelative) |
                      (has(kNotWide) & wide) | (has(kOnlyMemory) & isRegister) |
                      (has(kMayBeAddress) & all);
  const unsigned operand =
      1u + kPlainTables.behindModRM[modrm] + hasNoBase * 4u;
  const unsigned length = static_cast<unsigned>(at - code) +
                          hasModRM * operand + (known & kNumberBytes);
  return no ? 0 : length;
}

} // namespace tprt
