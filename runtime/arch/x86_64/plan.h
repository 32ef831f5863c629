// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 sleds and slots, off and on:
//
//   SHORT   66 90             eb XX           at an even address; XX leads to
//     slot  cc cc cc cc cc    e9 rel32        the slot, before the entry label
//   LONG    0f 1f 44 00 00    e9 rel32        inside one aligned 8-byte word
//   RET     c3 cc cc cc cc    e9 rel32        the displacement first, once
//   others  nops              cc, the rest as it was: trap.cpp, if asked for
//
// Each is toggled by one naturally aligned store, which another core executes
// before or after but never half (AMD APM vol. 2, 7.6.1, asynchronous
// modification inside a quadword; measured on Intel, whose SDM vol. 3, 9.1.3
// promises nothing without serialisation: the barriers in flip.h).
//
// Inline, as a batch flips a site in some ten nanoseconds. core/arch.h includes
// this and says what the functions do.
#ifndef TPRT_ARCH_PLAN_H
#define TPRT_ARCH_PLAN_H

#include <string.h>

namespace tprt {

constexpr size_t kStubHeaderBytes = 64;
constexpr bool kHasTraps = true;

struct StubData {
  const Chain *chain;
  uint32_t siteAt; // from `sites`, in bytes
  int32_t resume;  // the end of the sled, from this structure
};
static_assert(sizeof(StubData) == 16, "trampoline.S knows this layout");
inline tprt_site *siteOf(const StubData &data) {
  return reinterpret_cast<tprt_site *>(reinterpret_cast<char *>(sites) +
                                       data.siteAt);
}
void initialiseData(StubData &data, tprt_site &site);
// A trampoline looks at the chain by itself.
inline void leadTo(StubData &, const tprt_site &, const Chain *) {}

inline constexpr uint64_t kLongNop = 0x00'00'44'1f'0f; // 0f 1f 44 00 00
inline constexpr uint8_t kJumpNear = 0xe9;
inline constexpr uint8_t kJumpShort = 0xeb;
inline constexpr uint8_t kRet = 0xc3;
inline constexpr uint16_t kShortNop = 0x9066; // bytes 66 90

inline bool fits(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1}
                                                             << (bits - 1);
}

// Four or five bytes of memory, as a number: a flip is too short for calls of
// memcmp, or for loads that must wait for several stores.
TPRT_CODE_ACCESS inline uint64_t load4(const uint8_t *memory) {
  uint32_t value;
  memcpy(&value, memory, sizeof value);
  return value;
}
TPRT_CODE_ACCESS inline uint64_t load5(const uint8_t *memory) {
  return load4(memory) | uint64_t{memory[4]} << 32;
}
inline constexpr uint64_t kFiveBytes = (uint64_t{1} << 40) - 1;

// The five bytes of e9 rel32 at `from`; 0: out of reach.
inline uint64_t encodeJump(uint64_t from, uint64_t to) {
  auto distance = static_cast<int64_t>(to - (from + 5));
  if (!fits(distance, 32)) [[unlikely]]
    return 0;
  return kJumpNear | uint64_t{static_cast<uint32_t>(distance)} << 8;
}

// Bytes of the sled, behind which the function goes on.
inline unsigned sledBytes(const tprt_site &site) {
  switch (site.shape()) {
  case TPRT_SHAPE_RET:
    return 1;
  case TPRT_SHAPE_SHORT:
    return 2;
  case TPRT_SHAPE_LONG:
    return 5;
  }
  return site.size;
}

// Whether `bytes` consist of whole nops.
bool areNops(const uint8_t *code, unsigned bytes);

inline uint64_t slotOf(const tprt_site &site, uint64_t origin) {
  return origin + site.functionAt - site.slot;
}

TPRT_CODE_ACCESS inline tprt_refusal
planShort(const tprt_site &site, uint64_t origin, Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  auto distance = static_cast<int64_t>(slotOf(site, origin) - (sled + 2));
  if (sled % 2) [[unlikely]]
    return TPRT_REFUSAL_ALIGNMENT;
  if (!fits(distance, 8)) [[unlikely]]
    return TPRT_REFUSAL_REACH;
  auto on = static_cast<uint16_t>(kJumpShort | (distance & 0xff) << 8);
  *toggle = {sled, kShortNop, on, 2};
  uint16_t now;
  memcpy(&now, reinterpret_cast<const void *>(sled), sizeof now);
  if (now != (site.enabled ? on : kShortNop)) [[unlikely]]
    return TPRT_REFUSAL_BYTES;
  return TPRT_REFUSAL_NONE;
}

// `nop`: the five bytes that are there while it is off.
TPRT_CODE_ACCESS inline tprt_refusal planLong(const tprt_site &site,
                                              uint64_t origin, uint64_t nop,
                                              uint64_t stub, Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  uint64_t at = sled % 8, shift = at * 8;
  if (at > 3)
    return TPRT_REFUSAL_ALIGNMENT;
  uint64_t jump = encodeJump(sled, stub), word;
  if (!jump)
    return TPRT_REFUSAL_REACH;
  memcpy(&word, reinterpret_cast<const void *>(sled - at), sizeof word);
  if ((word >> shift & kFiveBytes) != (site.enabled ? jump : nop))
    return TPRT_REFUSAL_BYTES;
  // The word's other bytes belong to the function and are stored as they are.
  word &= ~(kFiveBytes << shift);
  *toggle = {sled - at, word | nop << shift, word | jump << shift, 8};
  return TPRT_REFUSAL_NONE;
}

// The opcode alone: behind it the displacement stays as planSlot() put it.
TPRT_CODE_ACCESS inline tprt_refusal
planRet(const tprt_site &site, uint64_t origin, uint64_t stub, Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  uint64_t jump = encodeJump(sled, stub);
  if (!jump) [[unlikely]]
    return TPRT_REFUSAL_REACH;
  *toggle = {sled, kRet, kJumpNear, 1};
  const auto *code = reinterpret_cast<const uint8_t *>(sled);
  if (site.enabled ? load5(code) != jump : *code != kRet) [[unlikely]]
    return TPRT_REFUSAL_BYTES;
  return TPRT_REFUSAL_NONE;
}

inline tprt_refusal planToggle(const tprt_site &site, uint64_t origin,
                               uint64_t stub, Toggle *toggle) {
  switch (site.shape()) {
  case TPRT_SHAPE_SHORT:
    return planShort(site, origin, toggle);
  case TPRT_SHAPE_LONG:
    return planLong(site, origin, kLongNop, stub, toggle);
  case TPRT_SHAPE_RET:
    return planRet(site, origin, stub, toggle);
  case TPRT_SHAPE_FOREIGN:
    return planLong(site, origin, nopOf(site) & kFiveBytes, stub, toggle);
  }
  return site.size ? TPRT_REFUSAL_SHAPE : TPRT_REFUSAL_NO_NOPS;
}

// One store for a slot that holds a jump: to its whole aligned word.
TPRT_CODE_ACCESS inline tprt_refusal planReached(Slot *slot) {
  uint64_t at = slot->address % 8, shift = at * 8, word;
  slot->reached = true;
  slot->bytes = at <= 3 ? 8 : 0;
  slot->address -= at;
  memcpy(&word, reinterpret_cast<const void *>(slot->address), sizeof word);
  slot->code = (word & ~(kFiveBytes << shift)) | slot->code << shift;
  return TPRT_REFUSAL_NONE;
}

inline tprt_refusal planSlot(const tprt_site &site, uint64_t origin,
                             uint64_t stub, uint64_t other, Slot *slot) {
  slot->bytes = 0;
  slot->reached = false;
  bool ret = site.shape() == TPRT_SHAPE_RET;
  if (site.shape() != TPRT_SHAPE_SHORT && !ret)
    return TPRT_REFUSAL_NONE;
  uint64_t from = ret ? origin + site.sledAt : slotOf(site, origin);
  uint64_t jump = encodeJump(from, stub);
  if (!jump) [[unlikely]]
    return TPRT_REFUSAL_REACH;
  // Of a ret sled all but the opcode.
  slot->address = from + ret;
  slot->code = ret ? jump >> 8 : jump;
  const auto *memory = reinterpret_cast<const uint8_t *>(slot->address);
  uint64_t now = ret ? load4(memory) : load5(memory);
  if (now == slot->code) [[likely]]
    return TPRT_REFUSAL_NONE;
  slot->bytes = ret ? 4 : 5;
  // Before its first use: the compiler's int3 bytes, or one-byte nops.
  uint64_t mask = ret ? UINT32_MAX : kFiveBytes;
  if (now == (0xcc'cc'cc'cc'cc & mask) || now == (0x90'90'90'90'90 & mask))
    return TPRT_REFUSAL_NONE;
  uint64_t reached = other ? encodeJump(from, other) : 0;
  if (!reached || now != reached >> 8 * ret)
    return TPRT_REFUSAL_BYTES;
  // Dead behind a ret since the barrier that followed its last toggle. A slot
  // may still be reached by a thread that executed the sled while it was on.
  return ret ? TPRT_REFUSAL_NONE : planReached(slot);
}

// Instruction fetch sees stores by itself (Intel SDM vol. 3, 11.6).
inline void publishCode(uint64_t, size_t) {}

} // namespace tprt

#endif
