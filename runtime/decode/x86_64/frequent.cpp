// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the instructions that make up nearly all of compiled code, in a tenth
// of the time of Zydis; see instruction.h. Each case gives the same result as
// Zydis. A test compares the two at every byte of some libraries
// (runtime/tests/code_test.cpp). "Intel SDM" is volume 2 of the Intel 64 and
// IA-32 Architectures Software Developer's Manual.
#include "decode/x86_64/frequent.h"
#include "decode/x86_64/opcodes.h"

#include <string.h>

namespace tprt {

namespace {
// Reads one instruction forward.
struct Reader {
  const uint8_t *const start;
  const uint8_t *at;
  Instruction &out;
  Prefix prefix = kNone;
  bool hasSegment = false;
  uint8_t rex = 0, modrm = 0;
  bool hasIndex = false, hasDisp32 = false;
  int32_t disp32 = 0;

  unsigned mod() const { return modrm >> 6; }
  unsigned reg() const { return modrm >> 3 & 7; }
  unsigned rm() const { return modrm & 7; }
  bool isWide() const { return rex & 8; }
  bool isBare() const { return !hasSegment && prefix == kNone && !rex; }
  bool hasField() const { return out.fieldBytes; }

  int32_t take32() {
    int32_t value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  // A distance that is relative to the instruction's end.
  void takeField(unsigned bytes) {
    out.field = static_cast<uint8_t>(at - start);
    out.fieldBytes = static_cast<uint8_t>(bytes);
    out.distance = bytes == 1 ? static_cast<int8_t>(*at++) : take32();
  }
  // The operand byte and the bytes that it requires (Intel SDM, 2.1.5 and
  // 2.2.1.6).
  void takeModRM() {
    constexpr unsigned kSib = 4, kNoIndex = 4, kNoBase = 5;
    modrm = *at++;
    if (mod() == 3)
      return;
    unsigned base = rm();
    if (base == kSib) {
      uint8_t sib = *at++;
      base = sib & 7;
      hasIndex = (sib >> 3 & 7) != kNoIndex || rex & 2;
      hasDisp32 = mod() == 0 && base == kNoBase;
    } else if (mod() == 0 && base == kNoBase) {
      return takeField(4);
    }
    hasDisp32 |= mod() == 2;
    if (mod() == 1)
      ++at;
    else if (hasDisp32)
      disp32 = take32();
  }
  // A number of four bytes, which a processor extends to eight bytes, or a
  // number of two bytes.
  int64_t takeImmZ() {
    if (prefix == k66 && !isWide()) {
      at += 2;
      return 0;
    }
    return take32();
  }
  bool ends(Flow flow = Flow::Next) {
    out.flow = flow;
    out.length = static_cast<uint8_t>(at - start);
    return true;
  }

  bool takeGroup(uint8_t opcode);
  bool takeGroup5(bool hasOther);
  bool takeMoveImm();
  bool takeNumber(bool hasOperand, bool isAddress);
  bool takeLongNop();
  bool takeDirect(Flow flow, unsigned bytes);
  bool takeForm(Form form, uint8_t opcode);
  bool takeOne(uint8_t opcode);
  bool takeTwo();
  bool takeVex(unsigned bytes);
  bool takeEvex();
  bool takeLocked();
};
} // namespace

// Together with the opcode, the operand byte selects the instruction: Intel
// SDM, A.4.
bool Reader::takeGroup5(bool hasOther) {
  enum { kInc, kDec, kCall, kFarCall, kJump, kFarJump, kPush };
  switch (reg()) {
  case kInc:
  case kDec:
  case kPush:
    return ends();
  case kCall:
    if (hasOther)
      return false;
    // The target is not a fixed address.
    out.field = out.fieldBytes = 0;
    return ends(Flow::Call);
  case kJump:
    if (hasOther)
      return false;
    if (hasField())
      return ends(Flow::JumpMemory);
    if (mod() == 3) {
      out.target = static_cast<uint8_t>(rm() | (rex & 1u) << 3);
      return ends(Flow::JumpRegister);
    }
    if (hasDisp32)
      out.constant = static_cast<uint64_t>(int64_t{disp32});
    return ends(hasIndex ? Flow::JumpTable : Flow::JumpPointer);
  default:
    return false;
  }
}

bool Reader::takeGroup(uint8_t opcode) {
  takeModRM();
  switch (opcode) {
  case 0xc0: // shifts by a number
  case 0xc1:
    ++at;
    return reg() != 6 && ends();
  case 0xd0: // shifts by one and by cl
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return reg() != 6 && ends();
  case 0xc6: // mov
    ++at;
    return reg() == 0 && ends();
  case 0xc7:
    if (reg() != 0)
      return false;
    out.constant = static_cast<uint64_t>(takeImmZ());
    return ends();
  case 0xf6:
    at += reg() == 0; // test
    return reg() != 1 && ends();
  case 0xf7:
    if (reg() == 0)
      takeImmZ();
    return reg() != 1 && ends();
  case 0xfe:
    return reg() <= 1 && ends();
  case 0xff:
    return takeGroup5(hasSegment || prefix != kNone);
  case 0xba: // after 0f
    ++at;
    return reg() >= 4 && ends();
  case 0x18:
    return reg() <= 3 && mod() != 3 && ends();
  case 0x71:
  case 0x72:
    ++at;
    return mod() == 3 && (reg() == 2 || reg() == 4 || reg() == 6) && ends();
  case 0x73:
    ++at;
    return mod() == 3 && reg() & 2 && ends();
  default:
    return false;
  }
}

bool Reader::takeMoveImm() {
  if (prefix != kNone)
    return false;
  if (isWide()) {
    memcpy(&out.constant, at, sizeof out.constant);
    at += sizeof out.constant;
  } else {
    out.constant = static_cast<uint64_t>(int64_t{take32()}); // same as Zydis
  }
  return ends();
}

// Reads the bytes after the opcode: an operand byte, if there is one, and a
// number.
bool Reader::takeNumber(bool hasOperand, bool isAddress) {
  if (hasOperand)
    takeModRM();
  auto value = static_cast<uint64_t>(takeImmZ());
  if (isAddress)
    out.constant = value;
  return ends();
}

bool Reader::takeLongNop() {
  takeModRM();
  // A displacement of one byte is the last byte of the instruction.
  out.isPadding = !disp32 && !hasField() && (mod() != 1 || !at[-1]);
  return reg() == 0 && !hasSegment && !hasField() && ends(Flow::Nop);
}

// A direct jump or call, without any prefix.
bool Reader::takeDirect(Flow flow, unsigned bytes) {
  if (!isBare())
    return false;
  takeField(bytes);
  return ends(flow);
}

// One switch over all forms: a second one would be mispredicted, too.
bool Reader::takeForm(Form form, uint8_t opcode) {
  constexpr uint8_t kCompareGroup = 0x81, kCompare = 0x3d, kPush = 0x68;
  switch (form) {
  case kRare:
    return false;
  case kPlain:
    return ends();
  case kModRM:
    takeModRM();
    return ends();
  case kModRMMem:
    takeModRM();
    return mod() != 3 && ends();
  case kModRMReg:
    takeModRM();
    return mod() == 3 && ends();
  case kModRM8:
    takeModRM();
    ++at;
    return ends();
  case kModRM8Reg:
    takeModRM();
    ++at;
    return mod() == 3 && ends();
  case kModRMZ: // cmp has 7 in the middle of its operand byte
    return takeNumber(true, opcode == kCompareGroup && (*at >> 3 & 7) == 7);
  case kImm8:
    ++at;
    return ends();
  case kImmZ:
    return takeNumber(false, opcode == kCompare || opcode == kPush);
  case kGroup:
    return takeGroup(opcode);
  case kMoveImm:
    return takeMoveImm();
  case kBranch8:
    return takeDirect(Flow::Branch, 1);
  case kBranch32:
    return takeDirect(Flow::Branch, 4);
  case kJump8:
    return takeDirect(Flow::Jump, 1);
  case kJump32:
    return takeDirect(Flow::Jump, 4);
  case kCall32:
    return takeDirect(Flow::Call, 4);
  case kReturn:
    return isBare() && ends(Flow::Return);
  case kNop:
    out.isPadding = true;
    return !rex && !hasSegment && ends(Flow::Nop);
  case kLongNop:
    return takeLongNop();
  case kLea:
    takeModRM();
    if (hasDisp32)
      out.constant = static_cast<uint64_t>(int64_t{disp32});
    return mod() != 3 && ends();
  case kStop:
    return isBare() && ends(Flow::Stop);
  case kSystemCall:
    return isBare() && ends(Flow::Bound);
  case kLandingPad:
    return *at++ == 0xfa && !hasSegment && !rex && ends(Flow::LandingPad);
  }
  return false;
}

bool Reader::takeOne(uint8_t opcode) {
  return prefix <= k66 && takeForm(kTables.one[opcode], opcode);
}

bool Reader::takeTwo() {
  constexpr uint8_t kCompareStrings[] = {0x3a, 0x63}; // pcmpistri
  if (prefix == k66 && !isWide() &&
      memcmp(at, kCompareStrings, sizeof kCompareStrings) == 0) {
    at += sizeof kCompareStrings;
    return takeForm(kModRM8, kCompareStrings[1]);
  }
  uint8_t opcode = *at++;
  const TwoByte &known = kTables.two[opcode];
  return known.allowed >> prefix & 1 && takeForm(known.form, opcode);
}

// c5, R and vvvv and L and pp; or c4, R and X and B and the map, W and vvvv and
// L and pp (Intel SDM, 2.3.5). All fields except R, X and B are inverted if
// they name a register.
bool Reader::takeVex(unsigned bytes) {
  constexpr uint8_t kUnusedSource = 0x78, kMapOne = 1, kZeroUpper = 0x77,
                    kZeroUpperLast = 0xf8;
  uint8_t last = at[bytes - 1];
  if (bytes == 2 && ((at[0] & 0x1f) != kMapOne || last & 0x80))
    return false;
  at += bytes;
  uint8_t opcode = *at++, pp = last & 3;
  const bool isFree = (last & kUnusedSource) == kUnusedSource;
  if (opcode == kZeroUpper)
    return last == kZeroUpperLast && bytes == 1 && ends();
  constexpr Prefix kPrefixes[] = {kNone, k66, kF3, kF2};
  unsigned bit = 1u << kPrefixes[pp];
  if (!(kTables.vexTwo[opcode] & bit) &&
      !(kTables.vexOne[opcode] & bit && isFree))
    return false;
  takeModRM();
  // vpmovmskb and kmovd use a register; kmovd has no L.
  constexpr uint8_t kMoveMask = 0xd7, kMoveK = 0x93, kLong = 4;
  if (opcode == kMoveMask)
    return mod() == 3 && ends();
  if (opcode == kMoveK)
    return mod() == 3 && bytes == 1 && !(last & kLong) && ends();
  return ends();
}

// 62; R, X, B, R', 0, and three bits of the map; W, vvvv, 1, pp; z, L'L, b, V'
// and aaa (Intel SDM, 2.7.1). Zeroing and broadcasts are rare.
bool Reader::takeEvex() {
  constexpr uint8_t kMaps = 3, kMapBits = 0xf, kOne = 4, kSource = 0x78,
                    kSourceHigh = 8, kZeroOrBroadcast = 0x90, kLong = 0x60,
                    kRegHigh = 0x90, kWide = 0x80, kMoveFloats = 0x11;
  const uint8_t first = at[0], second = at[1], third = at[2], opcode = at[3];
  const unsigned map = first & kMapBits;
  if (map < 1 || map > kMaps || !(second & kOne) || third & kZeroOrBroadcast ||
      (third & kLong) == kLong)
    return false;
  constexpr Prefix kPrefixes[] = {kNone, k66, kF3, kF2};
  const unsigned bit = 1u << kPrefixes[second & 3];
  const bool isFree = (second & kSource) == kSource && third & kSourceHigh;
  if (!(kTables.evexTwo[map - 1][opcode] & bit) &&
      !(kTables.evexOne[map - 1][opcode] & bit && isFree))
    return false;
  // Comparisons and tests give a mask, of which there are eight.
  const bool givesMask = map == 2 || (map == 3 && opcode != 0x25);
  if ((givesMask && (first & kRegHigh) != kRegHigh) ||
      (map == 1 && opcode <= kMoveFloats && second & kWide))
    return false;
  at += 4;
  takeModRM();
  at += map == 3; // a number
  return ends();
}

// f0 before cmpxchg and xadd.
bool Reader::takeLocked() {
  if ((*at & 0xf0) == 0x40)
    rex = *at++;
  const uint8_t opcode = at[1];
  if (*at != 0x0f || ((opcode & 0xfe) != 0xb0 && (opcode & 0xfe) != 0xc0))
    return false;
  at += 2;
  takeModRM();
  return mod() != 3 && ends();
}

// Skips the prefixes with which assemblers pad: any number of 66 and 2e before
// 0f 1f.
static const uint8_t *afterPaddingPrefixes(const uint8_t *code) {
  constexpr unsigned kMost = 7;
  for (unsigned i = 0; i < kMost && (*code == 0x66 || *code == 0x2e); ++i)
    ++code;
  return code;
}

bool decodeFrequent(const uint8_t *code, Instruction &out) {
  constexpr uint8_t kLongNopBytes[] = {0x0f, 0x1f};
  Reader in = {code, code, out};
  if (*code == 0x66 || *code == 0x2e) {
    const uint8_t *after = afterPaddingPrefixes(code);
    if (memcmp(after, kLongNopBytes, sizeof kLongNopBytes) == 0) {
      in.at = after + sizeof kLongNopBytes;
      return in.takeForm(kLongNop, kLongNopBytes[1]);
    }
  }
  if ((*in.at & 0xfe) == 0x64) { // fs, gs
    in.hasSegment = true;
    ++in.at;
  }
  switch (*in.at) {
  case 0x66:
    in.prefix = k66;
    ++in.at;
    break;
  case 0xf3:
    in.prefix = kF3;
    ++in.at;
    break;
  case 0xf2:
    in.prefix = kF2;
    ++in.at;
    break;
  case 0x62:
    ++in.at;
    return !in.hasSegment && in.takeEvex();
  case 0xf0:
    ++in.at;
    return !in.hasSegment && in.takeLocked();
  case 0xc5:
  case 0xc4:
    ++in.at;
    return !in.hasSegment && in.takeVex(in.at[-1] == 0xc5 ? 1 : 2);
  }
  if ((*in.at & 0xf0) == 0x40)
    in.rex = *in.at++;
  uint8_t opcode = *in.at++;
  return opcode == 0x0f ? in.takeTwo() : in.takeOne(opcode);
}

} // namespace tprt
