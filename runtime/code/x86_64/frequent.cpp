// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the instructions that make up nearly all of compiled code, in a tenth
// of the time that Zydis takes; see instruction.h. Each case here says the same
// as Zydis, at every byte of libraries (runtime/tests/code_test.cpp). What is
// rare, or what processors or manuals disagree about, is left to Zydis. "Intel
// SDM" is volume 2 of the Intel 64 and IA-32 Architectures Software Developer's
// Manual; the tables follow its appendix A.
#include "code/x86_64/frequent.h"

#include <stddef.h>
#include <string.h>

namespace tprt {

namespace {
// What follows an opcode.
enum Form : uint8_t {
  kRare,      // This instruction is left to Zydis.
  kPlain,     // Nothing.
  kModRM,     // An operand byte, and what it asks for.
  kModRMMem,  // The same, if it is of memory.
  kModRMReg,  // The same, if it is of a register.
  kModRM8,    // The same as kModRM, and a number of one byte.
  kModRM8Reg, // The same, if the operand byte is of a register.
  kModRMZ,    // The same, and a number of four bytes, or two with prefix 66.
  kImm8,      // A number of one byte.
  kImmZ,      // A number of four bytes, or two with prefix 66.
  kGroup,     // An operand byte whose middle part is a part of the opcode.
  kMoveImm,   // mov of a number to a register.
  kBranch8,   // A conditional jump, with a distance of one byte.
  kBranch32,  // With a distance of four bytes.
  kJump8,
  kJump32,
  kCall32,
  kReturn,
  kNop,     // One that is no pause and no xchg.
  kLongNop, // 0f 1f /0
  kLea,
  kStop,       // ud2
  kLandingPad, // f3 0f 1e fa: endbr64
};

// The prefix that is a part of many opcodes.
enum Prefix : uint8_t { kNone, k66, kF3, kF2 };
// Which of these an opcode behind 0f may have.
enum Allowed : uint8_t {
  kN = 1 << kNone,
  kNS = kN | 1 << k66,
  kS = 1 << k66,
  kNR = kN | 1 << kF3,
  kSR = kS | 1 << kF3,
  kNSR = kNS | 1 << kF3,
  kAny = kNSR | 1 << kF2,
  kRs = 1 << kF3 | 1 << kF2,
  kNSRs = kNS | kRs,
};

struct TwoByte {
  Form form;
  uint8_t allowed;
};

struct Tables {
  Form one[256];
  TwoByte two[256];
  // For each opcode of `two`: which prefixes its form with a VEX prefix may
  // have (Allowed). Each has an operand byte. Those in vexTwo name a second
  // source; those in vexOne name none.
  uint8_t vexOne[256], vexTwo[256];
};

constexpr Tables makeTables() {
  Tables t = {};
  auto all = [](Form *to, unsigned from, unsigned count, Form form) {
    for (unsigned i = 0; i < count; ++i)
      to[from + i] = form;
  };
  // add, or, adc, sbb, and, sub, xor, cmp
  for (unsigned i = 0; i < 0x40; i += 8) {
    all(t.one, i, 4, kModRM);
    t.one[i + 4] = kImm8;
    t.one[i + 5] = kImmZ;
  }
  all(t.one, 0x50, 16, kPlain); // push, pop
  t.one[0x63] = kModRM;         // movslq
  t.one[0x68] = kImmZ;          // push
  t.one[0x69] = kModRMZ;        // imul
  t.one[0x6a] = kImm8;
  t.one[0x6b] = kModRM8;
  all(t.one, 0x70, 16, kBranch8);
  t.one[0x80] = kModRM8;
  t.one[0x81] = kModRMZ;
  t.one[0x83] = kModRM8;
  all(t.one, 0x84, 8, kModRM); // test, xchg, mov
  t.one[0x8d] = kLea;
  t.one[0x90] = kNop;
  t.one[0x98] = t.one[0x99] = kPlain; // cltq, cqto
  t.one[0xa8] = kImm8;                // test
  t.one[0xa9] = kImmZ;
  all(t.one, 0xb0, 8, kImm8);
  all(t.one, 0xb8, 8, kMoveImm);
  t.one[0xc0] = t.one[0xc1] = kGroup; // shifts
  all(t.one, 0xd0, 4, kGroup);
  t.one[0xc3] = kReturn;
  t.one[0xc6] = t.one[0xc7] = kGroup; // mov
  t.one[0xc9] = kPlain;               // leave
  t.one[0xe8] = kCall32;
  t.one[0xe9] = kJump32;
  t.one[0xeb] = kJump8;
  t.one[0xf6] = t.one[0xf7] = kGroup; // test, not, neg, mul, div
  t.one[0xfe] = t.one[0xff] = kGroup; // inc, dec, call, jmp, push

  auto two = [&](unsigned from, unsigned count, Form form, uint8_t allowed) {
    for (unsigned i = 0; i < count; ++i)
      t.two[from + i] = {form, allowed};
  };
  two(0x0b, 1, kStop, kN);
  two(0x10, 2, kModRM, kAny); // movups, movupd, movss, movsd
  two(0x14, 2, kModRM, kNS);  // unpcklps
  two(0x1e, 1, kLandingPad, 1 << kF3);
  two(0x1f, 1, kLongNop, kNS);
  two(0x28, 2, kModRM, kNS);   // movaps
  two(0x2a, 1, kModRM, kRs);   // cvtsi2sd
  two(0x2c, 2, kModRM, kRs);   // cvttsd2si
  two(0x2e, 2, kModRM, kNS);   // ucomiss
  two(0x40, 16, kModRM, kNS);  // cmov
  two(0x51, 1, kModRM, kAny);  // sqrt
  two(0x54, 4, kModRM, kNS);   // andps, andnps, orps, xorps
  two(0x58, 2, kModRM, kAny);  // add, mul
  two(0x5a, 1, kModRM, kAny);  // cvtss2sd
  two(0x5c, 4, kModRM, kAny);  // sub, min, div, max
  two(0x60, 12, kModRM, kS);   // punpck, pcmpgt, pack
  two(0x6c, 2, kModRM, kS);    // punpcklqdq
  two(0x6e, 1, kModRM, kNS);   // movd
  two(0x6f, 1, kModRM, kNSR);  // movdqu
  two(0x70, 1, kModRM8, kAny); // pshufd
  two(0x74, 3, kModRM, kS);    // pcmpeq
  two(0x7e, 1, kModRM, kNSR);  // movd, movq
  two(0x7f, 1, kModRM, kNSR);
  two(0x80, 16, kBranch32, kN);
  two(0x90, 16, kModRM, kN);   // set
  two(0xa3, 1, kModRM, kNS);   // bt
  two(0xa4, 1, kModRM8, kNS);  // shld
  two(0xac, 1, kModRM8, kNS);  // shrd
  two(0xaf, 1, kModRM, kNS);   // imul
  two(0xb0, 2, kModRM, kNS);   // cmpxchg
  two(0xb6, 2, kModRM, kNS);   // movz
  two(0xba, 1, kGroup, kNS);   // bt with a number
  two(0xbc, 2, kModRM, kNSR);  // bsf, tzcnt
  two(0xbe, 2, kModRM, kNS);   // movs
  two(0xc0, 2, kModRM, kNS);   // xadd
  two(0xc6, 1, kModRM8, kNS);  // shufps
  two(0xc8, 8, kPlain, kN);    // bswap
  two(0xd4, 1, kModRM, kNS);   // paddq
  two(0xd6, 1, kModRM, kS);    // movq
  two(0xd7, 1, kModRMReg, kS); // pmovmskb
  two(0xda, 2, kModRM, kS);    // pminub, pand
  two(0xde, 2, kModRM, kS);    // pmaxub, pandn
  two(0xeb, 1, kModRM, kS);    // por
  two(0xef, 1, kModRM, kS);    // pxor
  two(0xf8, 7, kModRM, kS);    // psub, padd

  auto vex = []<size_t count>(uint8_t *to, const uint8_t (&opcodes)[count],
                              uint8_t allowed) {
    for (uint8_t opcode : opcodes)
      to[opcode] = allowed;
  };
  // Without a second source: vmovups, vmovaps, vmovdqu, vmovdqa.
  vex(t.vexOne, {0x10, 0x11, 0x28, 0x29}, kNS);
  vex(t.vexOne, {0x6f, 0x7f}, kSR);
  // With one: vandps to vxorps, vpcmpeq, vpminub, vpand, vpmaxub, vpandn, vpor,
  // vpxor, vpsub, vpadd.
  vex(t.vexTwo, {0x54, 0x55, 0x56, 0x57}, kNS);
  vex(t.vexTwo,
      {0x64, 0x74, 0x75, 0x76, 0xda, 0xdb, 0xde, 0xdf, 0xeb, 0xef, 0xf8, 0xf9,
       0xfa, 0xfb, 0xfc, 0xfd, 0xfe},
      kS);
  return t;
}
constexpr Tables kTables = makeTables();

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
  bool hasField() const { return out.fieldBytes; }

  int32_t take32() {
    int32_t value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  // A distance that counts from the instruction's end.
  void takeField(unsigned bytes) {
    out.field = static_cast<uint8_t>(at - start);
    out.fieldBytes = static_cast<uint8_t>(bytes);
    out.distance = bytes == 1 ? static_cast<int8_t>(*at++) : take32();
  }
  // The operand byte and what it asks for (Intel SDM, 2.1.5 and 2.2.1.6).
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
  // A number of four bytes, which a processor extends to eight, or of two.
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
  bool takeForm(Form form, uint8_t opcode);
  bool takeOne(uint8_t opcode);
  bool takeTwo();
  bool takeVex(unsigned bytes);
};

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

// Which opcodes they are together with the operand byte: Intel SDM, A.4.
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
    // It leads to no fixed address.
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
  case 0xba: // behind 0f
    ++at;
    return reg() >= 4 && ends();
  default:
    return false;
  }
}

bool Reader::takeForm(Form form, uint8_t opcode) {
  constexpr uint8_t kCompareGroup = 0x81, kCompare = 0x3d, kPush = 0x68;
  const bool hasOther = hasSegment || prefix != kNone;
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
  case kModRMZ: {
    takeModRM();
    auto value = static_cast<uint64_t>(takeImmZ());
    if (opcode == kCompareGroup && reg() == 7)
      out.constant = value;
    return ends();
  }
  case kImm8:
    ++at;
    return ends();
  case kImmZ: {
    auto value = static_cast<uint64_t>(takeImmZ());
    if (opcode == kCompare || opcode == kPush)
      out.constant = value;
    return ends();
  }
  case kGroup:
    return takeGroup(opcode);
  case kMoveImm:
    if (prefix != kNone)
      return false;
    if (isWide()) {
      memcpy(&out.constant, at, sizeof out.constant);
      at += sizeof out.constant;
    } else {
      out.constant = static_cast<uint64_t>(int64_t{take32()}); // as Zydis
    }
    return ends();
  case kBranch8:
  case kBranch32:
    if (hasOther || rex)
      return false;
    takeField(form == kBranch8 ? 1 : 4);
    return ends(Flow::Branch);
  case kJump8:
  case kJump32:
    if (hasOther || rex)
      return false;
    takeField(form == kJump8 ? 1 : 4);
    return ends(Flow::Jump);
  case kCall32:
    if (hasOther || rex)
      return false;
    takeField(4);
    return ends(Flow::Call);
  case kReturn:
    return !hasOther && !rex && ends(Flow::Return);
  case kNop:
    out.isPadding = true;
    return !rex && !hasSegment && ends(Flow::Nop);
  case kLongNop:
    takeModRM();
    // A displacement of one byte is that before the end.
    out.isPadding = !disp32 && !hasField() && (mod() != 1 || !at[-1]);
    return reg() == 0 && !hasSegment && !hasField() && ends(Flow::Nop);
  case kLea:
    takeModRM();
    if (hasDisp32)
      out.constant = static_cast<uint64_t>(int64_t{disp32});
    return mod() != 3 && ends();
  case kStop:
    return !hasOther && !rex && ends(Flow::Stop);
  case kLandingPad:
    return *at++ == 0xfa && !hasSegment && !rex && ends(Flow::LandingPad);
  }
  return false;
}

bool Reader::takeOne(uint8_t opcode) {
  return prefix <= k66 && takeForm(kTables.one[opcode], opcode);
}

bool Reader::takeTwo() {
  uint8_t opcode = *at++;
  const TwoByte &known = kTables.two[opcode];
  return known.allowed >> prefix & 1 && takeForm(known.form, opcode);
}

// c5, R and vvvv and L and pp; or c4, R and X and B and the map, W and vvvv and
// L and pp (Intel SDM, 2.3.5). All but R, X and B are inverted where they name
// a register.
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
  return ends();
}

// What assemblers pad with: any number of 66 and 2e before 0f 1f.
static const uint8_t *behindPaddingPrefixes(const uint8_t *code) {
  constexpr unsigned kMost = 7;
  for (unsigned i = 0; i < kMost && (*code == 0x66 || *code == 0x2e); ++i)
    ++code;
  return code;
}

bool decodeFrequent(const uint8_t *code, Instruction &out) {
  constexpr uint8_t kLongNopBytes[] = {0x0f, 0x1f};
  Reader in = {code, code, out};
  if (*code == 0x66 || *code == 0x2e) {
    const uint8_t *behind = behindPaddingPrefixes(code);
    if (memcmp(behind, kLongNopBytes, sizeof kLongNopBytes) == 0) {
      in.at = behind + sizeof kLongNopBytes;
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
