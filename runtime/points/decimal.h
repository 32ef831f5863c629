// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact decimal digits of floating-point numbers, by integer arithmetic alone:
// the code of handlers must not touch vector registers. Async-signal-safe.
//
// A double is m times 2^e with integers m and e. So it has an exact decimal
// value, of at most 767 digits between its zeros. All conversions are made from
// these digits, and thus are rounded once.
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
  // Keeps the first `keep` digits, rounded to the nearest, ties to even. `keep`
  // may be zero or negative: then the rounded value is 0, or one digit before
  // the first.
  void round(int keep);
  unsigned count;
  int point;
  // '0' to '9'. The room after the digits is for set(), which needs no other.
  char digit[kMostDigits + 28];
};

// Stores the shortest digits that read back as this number and, of those, the
// ones that are closest to it. The bits are those of a finite double that is
// not 0. `isFloat`: the number was a float, and is read back as one.
void shorten(uint64_t bits, bool isFloat, Decimal &out);

} // namespace tprt

#endif
