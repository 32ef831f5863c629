// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nops of compilers without tp. clang makes one instruction of N nops, up to 15
// bytes: 0f 1f /0 with an address, and 66 or 2e in front (Intel SDM vol. 2,
// NOP). From 5 bytes on a jump can take its beginning's place: a thread is
// before it or behind it, never inside. GCC makes N instructions of one byte,
// and a thread may stand between any two: no store can merge those.
#include "core/arch.h"

#include <string.h>

namespace tprt {

const unsigned kForeignBytes = 15;

bool isLandingPad(const uint8_t *code) {
  static constexpr uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
  return memcmp(code, endbr64, sizeof endbr64) == 0;
}

// Length of the nop at `code`, 0 if it is not of that kind.
static unsigned nopBytes(const uint8_t *code) {
  unsigned at = 0;
  while (at < 8 && (code[at] == 0x66 || code[at] == 0x2e))
    ++at;
  if (code[at] != 0x0f || code[at + 1] != 0x1f)
    return 0;
  uint8_t modrm = code[at + 2];
  unsigned mod = modrm >> 6, rm = modrm & 7;
  if (modrm >> 3 & 7 || mod == 3)
    return 0;
  at += 3;
  if (rm == 4 && ++at && mod == 0 && (code[at - 1] & 7) == 5)
    return at + 4;
  return at + (mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0);
}

void readForeign(tprt_site &site) {
  unsigned bytes = nopBytes(site.sled());
  site.size = static_cast<uint8_t>(bytes);
  bool fits = bytes >= 5 && bytes <= kForeignBytes;
  site.kind =
      TPRT_RECORD_KIND(TPRT_RECORD_ENTRY,
                       fits ? TPRT_SHAPE_FOREIGN : unsigned{TPRT_SHAPE_PLAIN});
}

} // namespace tprt
