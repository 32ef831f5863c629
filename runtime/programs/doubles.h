// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes with doubles in hits. A double is its 64 bits (IEEE 754, binary64).
// All is done with integers: a hit keeps the program's vector registers, its
// rounding mode and its flags of floating-point exceptions. Results are rounded
// to nearest, ties to even.
#ifndef TPRT_PROGRAMS_DOUBLES_H
#define TPRT_PROGRAMS_DOUBLES_H

#include <stdint.h>

namespace tprt {

constexpr uint64_t kInfinity = uint64_t{0x7ff} << 52;

inline bool isNan(uint64_t a) { return a << 1 > kInfinity << 1; }
inline bool isZero(uint64_t a) { return a << 1 == 0; }

// An integer that is in the same order as the doubles are, -0 before 0. The
// order of that integer is the double again.
inline int64_t orderOf(uint64_t a) {
  const auto negative = static_cast<uint64_t>(static_cast<int64_t>(a) >> 63);
  return static_cast<int64_t>(a ^ negative >> 1);
}

inline uint64_t negated(uint64_t a) { return a ^ uint64_t{1} << 63; }

inline bool isEqual(uint64_t a, uint64_t b) {
  return !isNan(a) && (a == b || isZero(a | b));
}
inline bool isLess(uint64_t a, uint64_t b) {
  return !isNan(a) && !isNan(b) && orderOf(a) < orderOf(b) && !isZero(a | b);
}

uint64_t addDoubles(uint64_t a, uint64_t b);
uint64_t multiplyDoubles(uint64_t a, uint64_t b);
uint64_t divideDoubles(uint64_t a, uint64_t b);

uint64_t doubleOfSigned(uint64_t number);
uint64_t doubleOfUnsigned(uint64_t number);
uint64_t doubleOfFloat(uint32_t bits);
uint32_t floatOfDouble(uint64_t a);

// A double without its fraction. Not known: it is a NaN, or is no integer of
// this kind.
struct Integer {
  uint64_t value;
  bool known;
};
Integer signedOfDouble(uint64_t a);
Integer unsignedOfDouble(uint64_t a);

} // namespace tprt

#endif
