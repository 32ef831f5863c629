// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of plain instructions; see readPlain() in instruction.h. May be called
// on any thread; allocates nothing.
//
// The next instruction cannot be predicted, and each mispredicted branch of a
// decoder costs as much as several instructions. So this loop has few branches,
// most of which are rarely taken. All other decisions are computed without
// branches. The time per instruction is the time to find the next one.
#include "decode/instruction.h"
#include "decode/x86_64/opcodes.h"

#include <string.h>

namespace tprt {

namespace {
// Reasons why an instruction with a plain opcode is not plain. An opcode lists
// the reasons that may apply, and an instruction the reasons that do apply.
enum Reason : uint8_t {
  kAlways = 1,
  kRexWide = 2, // REX.W makes the number longer.
  kRex = 4,
  kRegister = 8,  // The operand byte refers to a register.
  kNumbers = 16,  // The number or the displacement may be an address.
  kNoBase = 32,   // A displacement of four bytes instead of a base (SIB).
  kAfterEnd = 64, // The previous instruction never continues.
  kRelative = 128 // The operand is relative to the instruction's end.
};

// The bytes after a plain opcode. The opcode itself is one of these bytes.
struct Opcode {
  uint8_t bytes; // Excludes the operand byte and the bytes that belong to it.
  uint8_t parts; // Part
  uint8_t reasons;
  uint8_t notPlain; // A bit for each middle part of the operand byte.
};

// The facts about an operand byte: its size together with the bytes that belong
// to it, and some reasons. An opcode's parts select the facts that apply to it.
enum Part : uint8_t {
  kOperandBytes = 7,
  kOperand = kOperandBytes | kRegister | kNoBase | kRelative,
  // These parts belong to the opcode itself.
  kLink = 16, // A distance follows, or the instruction returns.
  kEnd = 64   // The instruction never continues.
};
static_assert(uint8_t{kEnd} == uint8_t{kAfterEnd});

// Tables of opcodes, first by prefix (Prefix in opcodes.h), then without and
// with 0f.
constexpr unsigned kOpcodes = 256, kPerPrefix = 2 * kOpcodes, kPrefixes = 4;
struct PlainTables {
  Opcode opcodes[kPrefixes * kPerPrefix];
  uint8_t operands[256]; // Indexed by operand byte.
};

// Same cases as in Reader::takeGroup() in frequent.cpp.
constexpr Opcode plainOfGroup(unsigned opcode, uint8_t zBytes) {
  constexpr uint8_t kAll = 0xff;
  switch (opcode) {
  case 0xc0: // shifts by a number
  case 0xc1:
    return {2, kOperand, kNoBase, 1 << 6};
  case 0xd0: // shifts by one and by cl
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return {1, kOperand, kNoBase, 1 << 6};
  case 0xc6: // mov
    return {2, kOperand, kNoBase, kAll & ~1};
  case 0xc7:
    return {zBytes, kOperand, kNoBase | kNumbers, kAll & ~1};
  case 0xf6: // not, neg, mul, div; test has a number
  case 0xf7:
    return {1, kOperand, kNoBase, 3};
  case 0xfe: // inc, dec
    return {1, kOperand, kNoBase, kAll & ~3};
  case 0xff: // inc, dec, push
    return {1, kOperand, kNoBase, kAll & ~(3 | 1 << 6)};
  case kOpcodes + 0xba: // bt with a number
    return {2, kOperand, kNoBase, 15};
  default:
    return {0, 0, kAlways, 0};
  }
}

// Same cases as in Reader::takeForm().
constexpr Opcode plainOf(Form form, unsigned opcode, Prefix prefix) {
  constexpr uint8_t kAll = 0xff;
  // With prefix 66 a number of four bytes has two, unless REX.W makes it
  // longer.
  const uint8_t zBytes = prefix == k66 ? 3 : 5;
  const uint8_t wide = prefix == k66 ? kRexWide : 0;
  const bool isBare = prefix == kNone;
  switch (form) {
  case kPlain:
    return {1, 0, 0, 0};
  case kModRM:
    return {1, kOperand, kNoBase, 0};
  case kModRM8:
    return {2, kOperand, kNoBase, 0};
  case kModRMZ:
    return {zBytes, kOperand, uint8_t(kNoBase | kNumbers | wide), 0};
  case kImm8:
    return {2, 0, 0, 0};
  case kImmZ:
    return {zBytes, 0, uint8_t(kNumbers | wide), 0};
  case kLea:
    return {1, kOperand, kNoBase | kRegister | kNumbers, 0};
  case kLongNop:
    return {1, kOperand, kNoBase | kRelative | kAfterEnd, kAll & ~1};
  case kNop:
    return {1, 0, kRex | kAfterEnd, 0};
  case kGroup: {
    Opcode group = plainOfGroup(opcode, zBytes);
    group.reasons |= opcode == 0xc7 ? wide : 0;
    return group;
  }
  default:
    break;
  }
  if (isBare)
    switch (form) {
    case kMoveImm:
      return {5, 0, kRexWide | kNumbers, 0};
    case kBranch8:
      return {2, kLink, kRex, 0};
    case kBranch32:
    case kCall32:
      return {5, kLink, kRex, 0};
    case kJump8:
      return {2, kLink | kEnd, kRex | kAfterEnd, 0};
    case kJump32:
      return {5, kLink | kEnd, kRex | kAfterEnd, 0};
    case kReturn:
      return {1, kLink | kEnd, kRex | kAfterEnd, 0};
    default:
      break;
    }
  return {0, 0, kAlways, 0};
}

// The facts for a prefix and an opcode.
constexpr Opcode plainOf(unsigned which) {
  const auto prefix = static_cast<Prefix>(which / kPerPrefix);
  const unsigned opcode = which % kPerPrefix;
  if (opcode < kOpcodes)
    return plainOf(prefix <= k66 ? kTables.one[opcode] : kRare, opcode, prefix);
  const TwoByte &two = kTables.two[opcode - kOpcodes];
  return plainOf(two.allowed >> prefix & 1 ? two.form : kRare, opcode, prefix);
}

constexpr PlainTables makePlainTables() {
  PlainTables t = {};
  for (unsigned i = 0; i < kPrefixes * kPerPrefix; ++i)
    t.opcodes[i] = plainOf(i);
  for (unsigned i = 0; i < 256; ++i) {
    unsigned mod = i >> 6, rm = i & 7;
    unsigned isRelative = mod == 0 && rm == 5, hasSib = mod != 3 && rm == 4;
    unsigned bytes = 1 + hasSib + (mod == 1) + (mod == 2 || isRelative) * 4u;
    t.operands[i] = static_cast<uint8_t>(bytes | (mod == 3) * kRegister |
                                         (hasSib && mod == 0) * kNoBase |
                                         isRelative * kRelative);
  }
  return t;
}
constexpr PlainTables kPlainTables = makePlainTables();

// The prefix in the first byte, or kNone if the first byte is not one of these
// prefixes.
inline unsigned prefixOf(uint64_t word) {
  const unsigned byte = word & 0xff;
  if (byte == 0x66) [[unlikely]]
    return k66;
  if ((byte & 0xfe) == 0xf2) [[unlikely]]
    return byte == 0xf3 ? kF3 : kF2;
  return kNone;
}

// Whether the instruction, which is a nop, a jump or a return, is one with
// which assemblers pad. `end` is the end of the instruction. A nop of one byte
// may belong to the program, and so may a nop with a displacement, like XRay's.
inline bool isPaddingNop(const uint8_t *end, const Opcode &known,
                         unsigned modrm, size_t length) {
  uint32_t displacement = 0;
  if (known.parts & kLink || length == 1)
    return false;
  if (known.parts && modrm >> 6 == 1)
    displacement = end[-1];
  else if (known.parts && modrm >> 6 == 2)
    memcpy(&displacement, end - sizeof displacement, sizeof displacement);
  return !displacement;
}

// The kind of a link, by the last byte of its opcode. Opcodes that are not
// listed are conditional jumps, or have no link. A nop is only found as a link
// if it is padding.
struct LinkKinds {
  PlainLink::Kind of[2 * kOpcodes]; // The second half is for links of operands.
};
constexpr LinkKinds makeLinkKinds() {
  LinkKinds kinds = {};
  for (unsigned i = 0; i < 2 * kOpcodes; ++i)
    kinds.of[i] = i < kOpcodes ? PlainLink::Branch : PlainLink::Operand;
  kinds.of[0xe8] = PlainLink::Call;
  kinds.of[0xe9] = kinds.of[0xeb] = PlainLink::Jump;
  kinds.of[0xc3] = PlainLink::Return;
  kinds.of[0x90] = kinds.of[0x1f] = PlainLink::Padding;
  return kinds;
}
constexpr LinkKinds kLinkKinds = makeLinkKinds();

// An instruction with a link. The link is that of its operand, if it has one,
// or else the number after its opcode.
struct FoundLink {
  uint64_t bytes; // The bytes from the last byte of the opcode on.
  uint32_t start;
  uint16_t length, opcode; // With kOperandLink, the values are those of the
                           // operand.

  static constexpr unsigned kOperandLink = kRelative << 8;
  // This, too, is computed without branches, because a branch would be
  // mispredicted.
  PlainLink link() const {
    constexpr unsigned kShort = 2;
    const bool isOperand = opcode & kOperandLink;
    const auto number = static_cast<uint32_t>(bytes >> (8 + isOperand * 8));
    const unsigned unused = (length == kShort) * 24; // bits
    return {start, start + length,
            static_cast<int32_t>(number << unused) >> unused,
            kLinkKinds.of[(opcode & 0xff) + isOperand * kOpcodes]};
  }
};
} // namespace

// Bytes are extracted by shifts from the first eight bytes after a prefix. REX,
// 0f, opcode, operand byte and a displacement fit into eight bytes.
PlainRun readPlain(const PlainCode &from, CodeBits &starts,
                   PlainLink (&links)[kMostLinks]) {
  constexpr uint8_t kEscape = 0x0f, kCall = 0xe8, kTest = 0xf6;
  constexpr size_t kMostRead = 9;
  const uint8_t *const code = from.code;
  const size_t room = from.room;
  size_t end = from.readable < kMostRead ? 0 : from.readable - kMostRead + 1;
  end = end < room ? end : room;
  const unsigned always =
      kAlways | from.hasAddresses * kNumbers | from.hasMarks * kAfterEnd;
  size_t at = 0, count = 0;
  unsigned opcode = 0, ended = from.isAfterEnd * kAfterEnd;
  // Each instruction's possible link is stored, but counted only if it is a
  // link: a branch for that would be mispredicted.
  FoundLink found[kMostLinks + 1];
  while (at < end && count < kMostLinks) {
    uint64_t word;
    memcpy(&word, code + at, sizeof word);
    // Most instructions have no prefix, so this branch is cheaper than
    // computing with prefixes.
    const unsigned prefix = prefixOf(word);
    if (prefix) [[unlikely]]
      memcpy(&word, code + at + 1, sizeof word);
    const unsigned isRex = (word & 0xf0) == 0x40;
    const unsigned wide = static_cast<unsigned>(word) >> 2 & kRexWide;
    word >>= isRex * 8;
    const unsigned isEscaped = (word & 0xff) == kEscape;
    word >>= isEscaped * 8;
    const unsigned which =
        (word & 0xff) + isEscaped * kOpcodes + prefix * kPerPrefix;
    const Opcode &known = kPlainTables.opcodes[which];
    const unsigned modrm = word >> 8 & 0xff;
    const unsigned operand = kPlainTables.operands[modrm] & known.parts;
    // An SIB byte with base 5 under mod 0 names no base (Intel SDM, 2.1.5).
    const unsigned noBase = (word >> 16 & 7) == 5 ? operand & kNoBase : 0u;
    const unsigned given = always | isRex * (kRex | wide) | ended | noBase |
                           (operand & (kRegister | kRelative));
    size_t length = (prefix != kNone) + isRex + isEscaped + known.bytes +
                    (operand & kOperandBytes);
    const unsigned no =
        (known.reasons & given) | (known.notPlain >> (modrm >> 3 & 7) & 1u);
    unsigned padding = 0;
    // Three reasons are frequent enough to be handled here: a displacement
    // instead of a base; a nop, jump or return after an instruction that never
    // continues; and a test with a number.
    if (no) [[unlikely]] {
      if (no == kNoBase)
        length += sizeof(int32_t);
      else if (no == kAfterEnd && !from.hasMarks)
        padding =
            isPaddingNop(code + at + length, known, modrm, length) * kAfterEnd;
      else if (no == kAlways && (which & ~1u) == kTest && !(modrm >> 3 & 7))
        length += which == kTest ? 1 : sizeof(int32_t);
      else
        break;
    }
    if (length > room - at)
      break;
    starts.set(from.offset + static_cast<uint32_t>(at));
    found[count] = {word, static_cast<uint32_t>(at),
                    static_cast<uint16_t>(length),
                    static_cast<uint16_t>(which | (operand & kRelative) << 8)};
    ended = (known.parts & kEnd) | padding;
    count += ((operand & kRelative) | (known.parts & kLink) | padding) != 0;
    at += length;
    opcode = which;
  }
  for (size_t i = 0; i < count; ++i)
    links[i] = found[i].link();
  const bool isPadding = count && links[count - 1].kind == PlainLink::Padding &&
                         links[count - 1].end == at;
  return {at, count,
          opcode == kCall ? Flow::Call
          : isPadding     ? Flow::Nop
          : ended         ? Flow::Jump
                          : Flow::Next};
}

} // namespace tprt
