// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that follow the opcodes of frequent instructions. The tables follow
// the Intel SDM, volume 2, appendix A. Rare instructions, and those for which
// processors or manuals differ, are left to Zydis. frequent.cpp decodes with
// these tables, and straight_runs.cpp computes lengths with them.
#ifndef TPRT_DECODE_X86_64_OPCODES_H
#define TPRT_DECODE_X86_64_OPCODES_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// The bytes that follow an opcode.
enum Form : uint8_t {
  kRare,      // This instruction is left to Zydis.
  kPlain,     // Nothing.
  kModRM,     // An operand byte, and the bytes that it requires.
  kModRMMem,  // An operand byte as above, if it refers to memory.
  kModRMReg,  // An operand byte as above, if it refers to a register.
  kModRM8,    // Like kModRM, followed by a number of one byte.
  kModRM8Reg, // Like kModRM8, if the operand byte refers to a register.
  kModRMZ,    // Like kModRM, followed by a number of four bytes, or two with
              // prefix 66.
  kImm8,      // A number of one byte.
  kImmZ,      // A number of four bytes, or two with prefix 66.
  kGroup,     // An operand byte whose middle bits are a part of the opcode.
  kMoveImm,   // mov of a number to a register.
  kBranch8,   // A conditional jump, with a distance of one byte.
  kBranch32,  // A conditional jump, with a distance of four bytes.
  kJump8,
  kJump32,
  kCall32,
  kReturn,
  kNop,     // A nop, but neither pause nor xchg.
  kLongNop, // 0f 1f /0
  kLea,
  kStop,       // ud2
  kLandingPad, // f3 0f 1e fa: endbr64
  kSystemCall, // 0f 05
};

// The prefix, which is a part of many opcodes.
enum Prefix : uint8_t { kNone, k66, kF3, kF2 };
// The prefixes that an opcode after 0f may have.
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
  // For each opcode of `two`: the prefixes that its form with a VEX prefix may
  // have (Allowed). Each of these forms has an operand byte. The forms in
  // vexTwo have a second source; those in vexOne have none.
  uint8_t vexOne[256], vexTwo[256];
  // The prefixes of forms with an EVEX prefix, indexed by opcode map (1, 2 and
  // 3) minus one.
  uint8_t evexOne[3][256], evexTwo[3][256];
};

constexpr void makeOne(Tables &t) {
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
}

// After 0f: `count` opcodes from `from` on.
constexpr void fill(Tables &t, unsigned from, unsigned count, Form form,
                    uint8_t allowed) {
  for (unsigned i = 0; i < count; ++i)
    t.two[from + i] = {form, allowed};
}

// The opcodes up to 0f 7f, most of which use vectors.
constexpr void makeTwoLow(Tables &t) {
  auto two = [&](unsigned from, unsigned count, Form form, uint8_t allowed) {
    fill(t, from, count, form, allowed);
  };
  two(0x05, 1, kSystemCall, kN);
  two(0x0b, 1, kStop, kN);
  two(0x10, 2, kModRM, kAny); // movups, movupd, movss, movsd
  two(0x14, 2, kModRM, kNS);  // unpcklps
  two(0x18, 1, kGroup, kN);   // prefetch
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
  two(0x71, 3, kGroup, kS);    // psll, psrl, psra with a number
  two(0x74, 3, kModRM, kS);    // pcmpeq
  two(0x7e, 1, kModRM, kNSR);  // movd, movq
  two(0x7f, 1, kModRM, kNSR);
}

constexpr void makeTwoHigh(Tables &t) {
  auto two = [&](unsigned from, unsigned count, Form form, uint8_t allowed) {
    fill(t, from, count, form, allowed);
  };
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
}

template <size_t count>
constexpr void allow(uint8_t *to, const uint8_t (&opcodes)[count],
                     uint8_t allowed) {
  for (uint8_t opcode : opcodes)
    to[opcode] = allowed;
}

constexpr void makeVex(Tables &t) {
  // Without a second source: vmovups, vmovaps, vmovdqu, vmovdqa.
  allow(t.vexOne, {0x10, 0x11, 0x28, 0x29}, kNS);
  allow(t.vexOne, {0x6f, 0x7f}, kSR);
  // vpmovmskb, kmovd
  allow(t.vexOne, {0xd7}, kS);
  allow(t.vexOne, {0x93}, 1 << kF2);
  // With a second source: vandps to vxorps, vpcmpeq, vpminub, vpand, vpmaxub,
  // vpandn, vpor, vpxor, vpsub, vpadd.
  allow(t.vexTwo, {0x54, 0x55, 0x56, 0x57}, kNS);
  allow(t.vexTwo,
        {0x64, 0x74, 0x75, 0x76, 0xda, 0xdb, 0xde, 0xdf, 0xeb, 0xef, 0xf8, 0xf9,
         0xfa, 0xfb, 0xfc, 0xfd, 0xfe},
        kS);
}

// The instructions that string functions of the C library use.
constexpr void makeEvex(Tables &t) {
  // vmovups; vmovdqa and vmovdqu of any element.
  allow(t.evexOne[0], {0x10, 0x11}, kN);
  allow(t.evexOne[0], {0x6f, 0x7f}, kS | kRs);
  // vpminub, vpmaxub, vpor, vpxor, vpsubb, vpaddb
  allow(t.evexTwo[0], {0xda, 0xde, 0xeb, 0xef, 0xf8, 0xfc}, kS);
  // vptestm and vptestnm
  allow(t.evexTwo[1], {0x26, 0x27}, kSR);
  // With a number: vpcmpu and vpcmp of double words and of bytes, vpternlog.
  allow(t.evexTwo[2], {0x1e, 0x1f, 0x3e, 0x3f, 0x25}, kS);
}

constexpr Tables makeTables() {
  Tables t = {};
  makeOne(t);
  makeTwoLow(t);
  makeTwoHigh(t);
  makeVex(t);
  makeEvex(t);
  return t;
}
inline constexpr Tables kTables = makeTables();

} // namespace tprt

#endif
