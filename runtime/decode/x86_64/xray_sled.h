// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sleds of LLVM's XRay, by their bytes. Another tool writes to them, so
// libtprt puts no jump into them.
#ifndef TPRT_DECODE_X86_64_XRAY_SLED_H
#define TPRT_DECODE_X86_64_XRAY_SLED_H

#include <stdint.h>
#include <string.h>

namespace tprt {

// The sleds of LLVM's XRay have 11 bytes, from an even address on: a jump over
// a nop, or a ret and a nop after it. While such a sled is on, it is a mov to
// %r10d and a call or a jump (compiler-rt's xray_x86_64.cpp has the bytes).
constexpr uint32_t kXRayBytes = 11, kXRayMoveBytes = 6;

inline bool isXRaySled(const uint8_t *code) {
  constexpr uint8_t kEntry[kXRayBytes] = {0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84,
                                          0x00, 0x00, 0x02, 0x00, 0x00};
  constexpr uint8_t kExit[kXRayBytes] = {0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84,
                                         0x00, 0x00, 0x02, 0x00, 0x00};
  constexpr uint8_t kMove[] = {0x41, 0xba}, kCall = 0xe8, kJump = 0xe9;
  uint8_t then = code[kXRayMoveBytes];
  return memcmp(code, kEntry, kXRayBytes) == 0 ||
         memcmp(code, kExit, kXRayBytes) == 0 ||
         (memcmp(code, kMove, sizeof kMove) == 0 &&
          (then == kCall || then == kJump));
}

} // namespace tprt

#endif
