// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nops of compilers without tp, on x86-64. Called under the lock. The handler
// of a trap's signal also calls areNops(), which is async-signal-safe.
//
// For N nops clang makes one instruction, up to 15 bytes long: 0f 1f /0 with an
// address, or 90, with prefixes 66 or 2e (Intel SDM vol. 2, NOP). If the
// instruction has 5 bytes or more, a jump can replace its beginning: a thread
// is before or after the instruction, never inside. For N nops GCC makes N
// instructions of one byte each, and a thread may be between any two of them.
// No store can replace these instructions by one jump, so a trap replaces the
// first one (trap.cpp).
#include "sites/arch.h"

#include <string.h>

namespace tprt {

const unsigned kPatchableBytes = 15;

bool isLandingPad(const uint8_t *code) {
  static constexpr uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
  return memcmp(code, endbr64, sizeof endbr64) == 0;
}

// The length of the nop at `from`; 0 if no nop ends within the `room` readable
// bytes.
static unsigned nopBytes(const uint8_t *from, unsigned room) {
  uint8_t code[24] = {};
  memcpy(code, from, room < kPatchableBytes ? room : kPatchableBytes);
  unsigned at = 0;
  while (at < 8 && (code[at] == 0x66 || code[at] == 0x2e))
    ++at;
  if (code[at] == 0x90)
    return at + 1;
  if (code[at] != 0x0f || code[at + 1] != 0x1f)
    return 0;
  uint8_t modrm = code[at + 2];
  unsigned mod = modrm >> 6, rm = modrm & 7;
  if (modrm >> 3 & 7 || mod == 3)
    return 0;
  at += 3;
  if (rm == 4 && ++at && mod == 0 && (code[at - 1] & 7) == 5)
    at += 4;
  else
    at += mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0;
  return at <= room && at <= kPatchableBytes ? at : 0;
}

bool areNops(const uint8_t *code, unsigned bytes) {
  unsigned at = 0, length = 1;
  for (; at < bytes && length; at += length)
    length = nopBytes(code + at, bytes - at);
  return bytes && length;
}

// The fixed bits cover the nop's prefixes, opcode and modrm. In one form of
// modrm, the sib byte determines whether a displacement follows. In this form
// the fixed bits also cover the sib byte. The first byte is not included,
// because a removed uprobe restores it.
FixedBits fixedBitsOfNop(uint64_t nop) {
  uint8_t code[8];
  memcpy(code, &nop, sizeof code);
  unsigned last = 0; // the last byte that must not change
  while (last < 4 && (code[last] == 0x66 || code[last] == 0x2e))
    ++last;
  if (code[last] == 0x0f)
    last += 2;
  if (last < 4 && last >= 2 && code[last - 2] == 0x0f && code[last] == 0x04)
    ++last;
  unsigned bits = 8 * (last < 4 ? last : 4);
  auto mask = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
  return {static_cast<uint32_t>(nop >> 8) & mask, mask};
}

void readPatchable(tprt_site &site) {
  unsigned bytes = nopBytes(site.sled(), kPatchableBytes);
  site.size = static_cast<uint8_t>(bytes);
  bool fits = bytes >= 5;
  site.traits =
      TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, fits ? TPRT_SHAPE_PATCHABLE
                                               : unsigned{TPRT_SHAPE_PLAIN});
}

} // namespace tprt
