// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 sleds and slots, off and on:
//
//   SHORT   66 90             eb XX           at an even address; XX leads to
//     slot  cc cc cc cc cc    e9 rel32        the slot, before the entry label
//   LONG    0f 1f 44 00 00    e9 rel32        inside one aligned 8-byte word
//   RET     c3 cc cc cc cc    e9 rel32        the displacement first, once
//
// Each is toggled by one naturally aligned store, which another core executes
// before or after but never half (AMD APM vol. 2, 7.6.1, asynchronous
// modification inside a quadword; measured on Intel, whose SDM vol. 3, 9.1.3
// promises nothing without serialisation: the barriers in flip.h).
//
// Where only bytes can be written, SHORT and LONG get there through an
// instruction of their length that sets flags alone:
//
//   SHORT   66 90           a8 90           a8 XX           eb XX
//   LONG    0f 1f 44 00 00  a9 1f 44 00 00  a9 .. .. .. ..  e9 rel32
//
// a8 and a9 are test al, imm8 and test eax, imm32. At entry and return no flag
// but DF, which they leave, means anything (psABI, 3.2.1). Before a tail call
// the flags may decide the jump: no such way there.
#include "core/arch.h"

#include <string.h>

namespace tprt {

static constexpr uint8_t kLongNop[5] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
static constexpr uint8_t kJumpNear = 0xe9;
static constexpr uint8_t kJumpShort = 0xeb;
static constexpr uint8_t kRet = 0xc3;
static constexpr uint8_t kTestAlImm8 = 0xa8, kTestEaxImm32 = 0xa9;
static constexpr uint16_t kShortNop = 0x9066; // bytes 66 90

static bool fits(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1}
                                                             << (bits - 1);
}

// Whether four or five bytes in memory are those. By value: at this size a call
// of memcmp is most of the work of a flip.
static bool same4(const uint8_t *memory, const uint8_t *expected) {
  uint32_t a, b;
  memcpy(&a, memory, sizeof a);
  memcpy(&b, expected, sizeof b);
  return a == b;
}
static bool same5(const uint8_t *memory, const uint8_t *expected) {
  return same4(memory, expected) && memory[4] == expected[4];
}

// e9 rel32 at `from`; false out of reach.
static bool encodeJump(uint8_t *out, uint64_t from, uint64_t to) {
  auto distance = static_cast<int64_t>(to - (from + 5));
  if (!fits(distance, 32))
    return false;
  auto rel = static_cast<int32_t>(distance);
  out[0] = kJumpNear;
  memcpy(out + 1, &rel, sizeof rel);
  return true;
}

static uint64_t slotOf(const tprt_site &site) {
  return reinterpret_cast<uint64_t>(site.function) - site.slot;
}

static tprt_refusal planShort(const tprt_site &site, Toggle *toggle) {
  auto sled = reinterpret_cast<uint64_t>(site.sled);
  auto distance = static_cast<int64_t>(slotOf(site) - (sled + 2));
  if (sled % 2)
    return TPRT_REFUSAL_ALIGNMENT;
  if (!fits(distance, 8))
    return TPRT_REFUSAL_REACH;
  auto on = static_cast<uint16_t>(kJumpShort | (distance & 0xff) << 8);
  *toggle = {sled, kShortNop, on, 2};
  uint16_t now;
  memcpy(&now, site.sled, sizeof now);
  return now == (site.enabled ? on : kShortNop) ? TPRT_REFUSAL_NONE
                                                : TPRT_REFUSAL_BYTES;
}

// `nop`: the five bytes that are there while it is off.
static tprt_refusal planLong(const tprt_site &site, const uint8_t *nop,
                             uint64_t stub, Toggle *toggle) {
  auto sled = reinterpret_cast<uint64_t>(site.sled);
  uint64_t word = sled & ~uint64_t{7};
  if (sled - word > 3)
    return TPRT_REFUSAL_ALIGNMENT;
  uint8_t jump[5];
  if (!encodeJump(jump, sled, stub))
    return TPRT_REFUSAL_REACH;
  if (!same5(site.sled, site.enabled ? jump : nop))
    return TPRT_REFUSAL_BYTES;
  // The word's other bytes belong to the function and are stored as they are.
  uint8_t off[8], on[8];
  memcpy(off, reinterpret_cast<const void *>(word), sizeof off);
  memcpy(on, off, sizeof on);
  memcpy(off + (sled - word), nop, sizeof kLongNop);
  memcpy(on + (sled - word), jump, sizeof jump);
  *toggle = {word, 0, 0, 8};
  memcpy(&toggle->off, off, sizeof off);
  memcpy(&toggle->on, on, sizeof on);
  return TPRT_REFUSAL_NONE;
}

// The opcode alone: behind it the displacement stays as planSlot() put it.
static tprt_refusal planRet(const tprt_site &site, uint64_t stub,
                            Toggle *toggle) {
  uint8_t jump[5];
  if (!encodeJump(jump, reinterpret_cast<uint64_t>(site.sled), stub))
    return TPRT_REFUSAL_REACH;
  *toggle = {reinterpret_cast<uint64_t>(site.sled), kRet, kJumpNear, 1};
  if (site.enabled)
    return same5(site.sled, jump) ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_BYTES;
  return *site.sled == kRet ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_BYTES;
}

tprt_refusal planToggle(const tprt_site &site, uint64_t stub, Toggle *toggle) {
  switch (site.shape()) {
  case TPRT_SHAPE_SHORT:
    return planShort(site, toggle);
  case TPRT_SHAPE_LONG:
    return planLong(site, kLongNop, stub, toggle);
  case TPRT_SHAPE_RET:
    return planRet(site, stub, toggle);
  case TPRT_SHAPE_FOREIGN:
    return planLong(site, reinterpret_cast<const uint8_t *>(&nopOf(site)), stub,
                    toggle);
  }
  return TPRT_REFUSAL_SHAPE;
}

size_t planSteps(const tprt_site &site, bool on, const Toggle &toggle,
                 Step *steps) {
  auto sled = reinterpret_cast<uint64_t>(site.sled);
  uint64_t value = on ? toggle.on : toggle.off;
  uint8_t word[8];
  memcpy(word, &value, sizeof word);
  const uint8_t *to = word + (sled - toggle.address);
  if (toggle.bytes == 1) {
    steps[0] = {sled, to[0], 1};
    return 1;
  }
  bool isLong = toggle.bytes == 8;
  // A longer nop than the test would leave its tail to be executed.
  bool isLonger = site.shape() == TPRT_SHAPE_FOREIGN && site.size != 5;
  if (site.event.event == TPRT_RECORD_TAIL_EXIT || isLonger)
    return 0;
  unsigned length = isLong ? 5 : 2;
  size_t count = 0;
  steps[count++] = {sled, isLong ? kTestEaxImm32 : kTestAlImm8, 1};
  for (unsigned i = 1; i < length; ++i)
    steps[count++] = {sled + i, to[i], 1};
  steps[count++] = {sled, to[0], 1};
  return count;
}

// What may stand in a slot, or behind a ret, before its first use: the
// compiler's int3 bytes, or one-byte nops.
static bool isFree(const uint8_t *bytes, size_t count) {
  size_t traps = 0, nops = 0;
  for (size_t i = 0; i < count; ++i)
    traps += bytes[i] == 0xcc, nops += bytes[i] == 0x90;
  return traps == count || nops == count;
}

tprt_refusal planSlot(const tprt_site &site, uint64_t stub, Slot *slot) {
  slot->bytes = 0;
  bool ret = site.shape() == TPRT_SHAPE_RET;
  if (site.shape() != TPRT_SHAPE_SHORT && !ret)
    return TPRT_REFUSAL_NONE;
  uint8_t jump[5];
  uint64_t from = ret ? reinterpret_cast<uint64_t>(site.sled) : slotOf(site);
  if (!encodeJump(jump, from, stub))
    return TPRT_REFUSAL_REACH;
  // Of a ret sled all but the opcode.
  unsigned skip = ret ? 1 : 0, bytes = 5 - skip;
  slot->address = from + skip;
  memcpy(slot->code, jump + skip, bytes);
  const auto *now = reinterpret_cast<const uint8_t *>(slot->address);
  if (ret ? same4(now, slot->code) : same5(now, slot->code))
    return TPRT_REFUSAL_NONE;
  slot->bytes = static_cast<uint8_t>(bytes);
  return isFree(now, bytes) ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_BYTES;
}

const char *recordFault(const tprt_record &record, uint64_t sled,
                        uint64_t function) {
  (void)sled;
  (void)function;
  switch (TPRT_RECORD_SHAPE(record.kind)) {
  case TPRT_SHAPE_PLAIN:
    return nullptr;
  case TPRT_SHAPE_RET:
    return TPRT_RECORD_EVENT(record.kind) != TPRT_RECORD_EXIT
               ? "has a return's shape at no return"
           : record.size < 5 ? "has a sled smaller than its shape"
                             : nullptr;
  case TPRT_SHAPE_SHORT:
    return record.size < 2   ? "has a sled smaller than its shape"
           : record.slot < 5 ? "has no slot"
                             : nullptr;
  case TPRT_SHAPE_LONG:
    return record.size < 5 ? "has a sled smaller than its shape" : nullptr;
  }
  return "has a shape that is not of x86-64";
}

} // namespace tprt
