// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nops of compilers without tp, on AArch64. GCC and clang both emit NOPs of 4
// bytes. The first of them can become a branch, like a NOP of tp (Arm ARM,
// B2.2.5). Called under the lock.
#include "sites/arch.h"

#include <string.h>

namespace tprt {

const unsigned kPatchableBytes = 4;

static uint32_t wordAt(const uint8_t *code) {
  uint32_t word;
  memcpy(&word, code, sizeof word);
  return word;
}

bool isLandingPad(const uint8_t *code) {
  return wordAt(code) == 0xd503245f; // bti c
}

void readPatchable(tprt_site &site) {
  bool isNop = wordAt(site.sled()) == 0xd503201f;
  site.size = isNop ? 4 : 0;
  site.traits = TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY,
                                   isNop ? TPRT_SHAPE_WORD : TPRT_SHAPE_PLAIN);
}

} // namespace tprt
