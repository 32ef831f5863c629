// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of an AArch64 instruction on the program counter, and the address
// that it contains; see instruction.h. Every instruction is a word, so there is
// little to decode. The encodings are those of the Arm ARM (DDI 0487), C4.1,
// "A64 instruction set encoding".
#include "decode/instruction.h"

#include <string.h>

namespace tprt {

const unsigned kBreakpointBytes = 4; // brk

const bool kHasRedZone = false; // AAPCS64, 6.2.3

const uint32_t kSequenceSignature = 0xd428bc00; // brk #0x45e0

static uint32_t wordAt(const uint8_t *code) {
  uint32_t word;
  memcpy(&word, code, sizeof word);
  return word;
}

PlainRun readPlain(const PlainCode &, CodeBits &, PlainLink (&)[kMostLinks]) {
  return {};
}

bool isBreakpoint(const uint8_t *code) { return wordAt(code) == 0xd4200000; }

bool takesAddress(const uint8_t *) { return false; }

// Whether no instruction is in this group (C4.1, "op0"). All zero is UDF.
static bool isReserved(uint32_t word) {
  uint32_t group = word >> 25 & 15;
  return group == 1 || group == 3 || (group == 0 && !(word >> 31));
}

static Flow flowOf(uint32_t word) {
  auto is = [&](uint32_t mask, uint32_t value) {
    return (word & mask) == value;
  };
  if (is(0xffffffff, 0xd503201f))
    return Flow::Nop;
  // If branches need landing pads, paciasp and pacibsp are such pads, too (Arm
  // ARM, C6.2, "BTI").
  if (is(0xffffff3f, 0xd503241f) || is(0xffffffbf, 0xd503233f))
    return Flow::LandingPad;
  if (is(0xfc000000, 0x14000000)) // b
    return Flow::Jump;
  if (is(0xfc000000, 0x94000000) || // bl
      is(0xfffffc1f, 0xd63f0000) || // blr
      is(0xfefff800, 0xd63f0800))   // blraa and similar instructions
    return Flow::Call;
  if (is(0xff000000, 0x54000000) || // b.cond, bc.cond
      is(0x7c000000, 0x34000000))   // cbz, cbnz, tbz, tbnz
    return Flow::Branch;
  if (is(0xfffffc1f, 0xd61f0000) || is(0xfefff800, 0xd61f0800)) // br, braa
    return Flow::JumpRegister;
  if (is(0xfffffc1f, 0xd65f0000) || is(0xfffffbff, 0xd65f0bff)) // ret, retaa
    return Flow::Return;
  if (is(0xffe0001f, 0xd4200000) || is(0xffe0001f, 0xd4400000)) // brk, hlt
    return Flow::Stop;
  if (is(0xffe0001c, 0xd4000000) || is(0xffdf0000, 0xd69f0000)) // svc, eret
    return Flow::Bound;
  return Flow::Next;
}

// The value, in words, of the field of `bits` bits from bit `low` on.
static int64_t wordsIn(uint32_t word, unsigned low, unsigned bits) {
  auto top = static_cast<int32_t>(word << (32 - low - bits));
  return int64_t{top >> (32 - bits)} * 4;
}

// Sets the distance of a branch and of instructions that refer to other
// addresses: adr, a load of a literal, and an addition or an access that may
// complete an adrp. The last two have no distance by themselves; operands.cpp
// finds it.
static void readField(uint32_t word, Instruction &out) {
  auto is = [&](uint32_t mask, uint32_t value) {
    return (word & mask) == value;
  };
  auto set = [&](int64_t distance) {
    out.fieldBytes = 4;
    out.distance = distance - 4; // relative to the instruction's end
  };
  if (is(0x7c000000, 0x14000000)) // b, bl
    set(wordsIn(word, 0, 26));
  else if (is(0x7e000000, 0x36000000)) // tbz, tbnz
    set(wordsIn(word, 5, 14));
  else if (out.flow == Flow::Branch || is(0x3b000000, 0x18000000)) // a literal
    set(wordsIn(word, 5, 19));
  else if (is(0x9f000000, 0x10000000)) // adr
    set(wordsIn(word, 5, 19) + (word >> 29 & 3));
  else if (is(0xffc00000, 0x91000000) || // add of a number, 64 bits
           is(0x3b000000, 0x39000000))   // a load or store at an offset
    out.fieldBytes = 4;
}

bool decode(const uint8_t *code, size_t room, Instruction &out) {
  if (room < 4)
    return false;
  uint32_t word = wordAt(code);
  if (isReserved(word))
    return false;
  out = {};
  out.length = 4;
  out.flow = flowOf(word);
  if (out.flow == Flow::JumpRegister)
    out.target = word >> 5 & 31;
  readField(word, out);
  return true;
}

} // namespace tprt
