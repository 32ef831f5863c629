// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of x86-64 sleds that is not in plan.h: flipping by single bytes,
// slots, LONG sleds, and checking records. Called under the lock.
//
// If only single bytes can be written, a sled goes from off to on and back
// through other instructions. Each of these has the sled's length and no
// effect:
//
//   SHORT   66 90           a8 90           a8 XX           eb XX
//   LONG    0f 1f 44 00 00  0f 1f 44 hh 00  0f 1f 44 hh hh  e9 1f 44 hh hh
//
// a8 is test al, imm8. SHORT sleds are only at entries, where no flag except DF
// has a meaning (psABI, 3.2.1), and test does not change DF. LONG's
// instructions are nops, regardless of the bytes after 0f 1f 44 (Intel SDM vol.
// 2, NOP). So they may also precede a tail call, where flags may decide the
// jump. The same holds for patchable nops.
#include "code_patch.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

static constexpr uint8_t kTestAlImm8 = 0xa8;

// Plans the steps that set the sled's bytes, except the first, to the values in
// `to`.
static size_t planTail(uint64_t sled, const uint8_t *to, unsigned length,
                       Step *steps) {
  for (unsigned i = 1; i < length; ++i)
    steps[i - 1] = {sled + i, to[i], 1};
  return length - 1;
}

size_t planSteps(const tprt_site &site, Direction direction,
                 const Toggle &toggle, Step *steps) {
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  const bool on = direction == Direction::On;
  // Several bytes of an instruction cannot be changed one by one.
  if (site.shape() == TPRT_SHAPE_CODE && toggle.bytes > 1)
    return 0;
  uint64_t value = on ? toggle.on : toggle.off;
  uint8_t word[8];
  memcpy(word, &value, sizeof word);
  const uint8_t *to = word + (sled - toggle.address);
  const Step first = {sled, to[0], 1};
  size_t count = 0;
  switch (toggle.bytes) {
  case 2:
    if (site.event.kind == TPRT_KIND_TAIL_EXIT)
      return 0;
    steps[count++] = {sled, kTestAlImm8, 1};
    count += planTail(sled, to, 2, steps + count);
    break;
  case 8: // The jump's opcode is written last, and removed first.
    if (on) {
      count = planTail(sled, to, 5, steps);
      break;
    }
    steps[0] = first;
    return 1 + planTail(sled, to, 5, steps + 1);
  }
  steps[count++] = first;
  return count;
}

TPRT_CODE_ACCESS tprt_refusal planInUse(Slot *slot) {
  uint64_t at = slot->address % 8, shift = at * 8, word;
  slot->state = at <= 3 ? SlotState::InUse : SlotState::Final;
  slot->bytes = at <= 3 ? 8 : 0;
  slot->address -= at;
  memcpy(&word, reinterpret_cast<const void *>(slot->address), sizeof word);
  slot->was = word;
  slot->code = (word & ~(kFiveBytes << shift)) | slot->code << shift;
  return TPRT_REFUSAL_NONE;
}

bool leadsToAnother(const Ways &ways, uint64_t from, uint64_t now,
                    unsigned skipped) {
  for (uint64_t other : ways.others)
    if (uint64_t jump = other ? encodeJump(from, other) : 0;
        jump && now == jump >> skipped)
      return true;
  return false;
}

tprt_refusal planSlot(const tprt_site &site, uint64_t origin, const Ways &ways,
                      Slot *slot) {
  *slot = {0, 0, 0, 0, SlotState::Written};
  if (site.shape() == TPRT_SHAPE_CODE)
    return planCodeSlot(site, origin, ways, slot);
  bool ret = site.shape() == TPRT_SHAPE_RET;
  if (site.shape() != TPRT_SHAPE_SHORT && !ret)
    return TPRT_REFUSAL_NONE;
  uint64_t from = ret ? origin + site.sledAt : slotOf(site, origin);
  uint64_t jump = encodeJump(from, ways.wanted);
  if (!jump)
    return TPRT_REFUSAL_REACH;
  if (planFirstSlot(site, origin, ways.wanted, slot))
    return TPRT_REFUSAL_NONE;
  // At a ret sled the store excludes the opcode.
  unsigned skipped = ret ? 8 : 0;
  slot->address = from + ret;
  slot->code = jump >> skipped;
  uint64_t now = load5(reinterpret_cast<const uint8_t *>(from)) >> skipped;
  if (now == slot->code)
    return TPRT_REFUSAL_NONE;
  slot->bytes = ret ? 4 : 5;
  slot->state = SlotState::Unused;
  // The one-byte nops of another compiler, before the slot's first use.
  if (now == uint64_t{0x90'90'90'90'90} >> skipped)
    return TPRT_REFUSAL_NONE;
  if (!leadsToAnother(ways, from, now, skipped))
    return TPRT_REFUSAL_BYTES;
  // The bytes after a ret have been dead since the barrier after the sled's
  // last flip. A slot is different: a thread that executed the enabled sled may
  // still be on its way to the slot.
  return ret ? TPRT_REFUSAL_NONE : planInUse(slot);
}

// Whether a LONG sled is off although its bytes are not the nop. Either the
// sled was on and its first byte was restored, or a flip by single bytes was
// interrupted. `nop` is the sled's bytes while it is off, and `on` is our jump.
// The bytes given by fixedBitsOf() are the same in both. Each other byte may
// come from either of them.
static bool isOffBetween(uint64_t now, uint64_t nop, uint64_t on) {
  for (uint64_t byte = 0xff; byte & kFiveBytes; byte <<= 8)
    if ((now & byte) != (nop & byte) &&
        (byte == 0xff || (now & byte) != (on & byte)))
      return false;
  return true;
}

TPRT_CODE_ACCESS tprt_refusal planLong(const tprt_site &site, uint64_t origin,
                                       const Ways &ways, Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  uint64_t at = sled % 8, shift = at * 8;
  if (at > 3)
    return TPRT_REFUSAL_ALIGNMENT;
  uint64_t jump = ways.wanted ? encodeJump(sled, ways.wanted) : 0, word;
  FixedBits fixed = fixedBitsOf(site);
  if (!jump || (jump >> 8 & fixed.mask) != fixed.value)
    return TPRT_REFUSAL_REACH;
  // The sled's five bytes while it is off.
  uint64_t nop =
      site.shape() == TPRT_SHAPE_LONG ? kLongNop : nopOf(site) & kFiveBytes;
  memcpy(&word, reinterpret_cast<const void *>(sled - at), sizeof word);
  uint64_t now = word >> shift & kFiveBytes;
  SledForm form = now == jump                    ? SledForm::On
                  : isOffBetween(now, nop, jump) ? SledForm::Off
                                                 : SledForm::Other;
  for (uint64_t way : ways.others)
    if (uint64_t other = way ? encodeJump(sled, way) : 0;
        other && form != SledForm::On)
      form = now == other                    ? SledForm::On
             : isOffBetween(now, nop, other) ? SledForm::Off
                                             : form;
  // The word's other bytes belong to the function and are stored unchanged.
  word &= ~(kFiveBytes << shift);
  *toggle = {sled - at, word | nop << shift, word | jump << shift, 8, form};
  return TPRT_REFUSAL_NONE;
}

// IBT needs no special page protection.
int protectionByProperty(uint32_t, uint32_t) { return 0; }

const char *recordFault(const tprt_record &record, uint64_t sled,
                        uint64_t function) {
  (void)sled;
  (void)function;
  switch (TPRT_RECORD_SHAPE(record.traits)) {
  case TPRT_SHAPE_PLAIN:
    return nullptr;
  case TPRT_SHAPE_RET:
    return TPRT_RECORD_KIND(record.traits) != TPRT_KIND_EXIT
               ? "has the shape of a return, but is no exit"
           : record.size < 5 ? "has a sled smaller than its shape"
                             : nullptr;
  case TPRT_SHAPE_SHORT:
    return record.size < 2   ? "has a sled smaller than its shape"
           : record.slot < 5 ? "has no slot"
                             : nullptr;
  case TPRT_SHAPE_LONG:
    return record.size < 5 ? "has a sled smaller than its shape" : nullptr;
  }
  return "has a shape that x86-64 does not have";
}

} // namespace tprt
