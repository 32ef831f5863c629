// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of variable length in debug information and unwind tables (DWARF 5,
// 7.6).
#ifndef TPRT_BASE_LEB128_H
#define TPRT_BASE_LEB128_H

#include <stdint.h>

namespace tprt {

// Reads an unsigned number that ends before `end`, and moves `at` after it. If
// the number is cut off, the result has the bits that are present. Bits beyond
// 64 are lost.
template <class Byte>
inline uint64_t takeLeb128(const Byte *&at, const Byte *end) {
  uint64_t value = 0;
  for (unsigned shift = 0; at < end; shift += 7) {
    auto byte = static_cast<uint8_t>(*at++);
    value |= shift < 64 ? uint64_t{byte & 0x7fu} << shift : 0;
    if (!(byte & 0x80))
      break;
  }
  return value;
}

// Reads a signed number that ends before `end`, and moves `at` after it.
template <class Byte>
inline int64_t takeSignedLeb128(const Byte *&at, const Byte *end) {
  const Byte *start = at;
  uint64_t value = takeLeb128(at, end);
  auto bits = static_cast<uint64_t>(at - start) * 7;
  bool negative = at > start && at[-1] & 0x40;
  return static_cast<int64_t>(
      negative && bits < 64 ? value | ~uint64_t{0} << bits : value);
}

} // namespace tprt

#endif
