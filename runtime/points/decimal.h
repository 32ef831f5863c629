// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact decimal digits of floating-point numbers, by integer arithmetic only,
// because the code of handlers must not use vector registers.
// Async-signal-safe.
//
// A double is m times 2^e with integers m and e. So its decimal value is exact
// and has at most 767 digits between the first and the last digit that is not
// zero. All conversions start from these digits, and are therefore rounded only
// once.
#ifndef TPRT_POINTS_DECIMAL_H
#define TPRT_POINTS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// A floating-point number: (negative ? -1 : 1) * mantissa * 2^exponent.
struct Binary {
  uint64_t mantissa;
  int exponent;
  bool negative, infinite, nan;

  bool isFinite() const { return !infinite && !nan; }
};
Binary readDouble(uint64_t bits);

// The value 0.DIGITS times 10^point. The first and the last digit are not 0.
// Zero has no digits.
struct Decimal {
  static constexpr unsigned kMostDigits = 780;

  // The exact value of mantissa * 2^exponent; the mantissa is below 2^59.
  void set(uint64_t mantissa, int exponent);
  // Keeps the first `keep` digits, rounded to the nearest, ties to even. If
  // `keep` is zero or negative, the rounded value is 0, or one digit before the
  // first.
  void round(int keep);
  unsigned count;
  int point;
  // '0' to '9'. Only set() uses the room after the digits, and needs no other
  // memory.
  char digit[kMostDigits + 28];
};

} // namespace tprt

#endif
