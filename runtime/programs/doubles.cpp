// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes with doubles by means of integers; see doubles.h. Runs in hits.
#include "programs/doubles.h"

namespace tprt {

namespace {
// A format of IEEE 754: the bits of its fraction and of its exponent.
template <int Fraction, int Exponent> struct Format {
  static constexpr int kFraction = Fraction;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr int kSign = Fraction + Exponent;
  static constexpr uint64_t kInfinity = ((uint64_t{1} << Exponent) - 1)
                                        << Fraction;
  static constexpr uint64_t kQuiet = uint64_t{1} << (Fraction - 1);
  static constexpr uint64_t kFractionMask = (uint64_t{1} << Fraction) - 1;
  static constexpr uint64_t kSignBit = uint64_t{1} << kSign;
};
using Double = Format<52, 11>;
using Single = Format<23, 8>;
static_assert(Double::kInfinity == kInfinity);

// significand * 2^exponent, and not 0. The significand's highest bit is 1.
struct Parts {
  uint64_t significand;
  int exponent;
};
} // namespace

static constexpr uint64_t kNan = Double::kInfinity | Double::kQuiet;

static bool isFinite(uint64_t a) { return a << 1 < kInfinity << 1; }
static uint64_t signOf(uint64_t a) { return a & Double::kSignBit; }
static uint64_t quiet(uint64_t nan) { return nan | Double::kQuiet; }
static uint64_t quietOf(uint64_t a, uint64_t b) {
  return quiet(isNan(a) ? a : b);
}

static Parts normalise(uint64_t significand, int exponent) {
  const int zeros = __builtin_clzll(significand);
  return {significand << zeros, exponent - zeros};
}

// The number is finite, and not 0.
template <class F> static Parts split(uint64_t a) {
  const uint64_t fraction = a & F::kFractionMask;
  const auto biased = static_cast<int>((a & ~F::kSignBit) >> F::kFraction);
  return biased ? normalise(fraction | (F::kFractionMask + 1),
                            biased - F::kBias - F::kFraction)
                : normalise(fraction, 1 - F::kBias - F::kFraction);
}

// Rounds to the format, and adds the sign. Bits of the significand that are too
// low to matter one by one may be 1 in its lowest bit together.
template <class F> static uint64_t round(uint64_t sign, Parts from) {
  int biased = from.exponent + 63 + F::kBias;
  int dropped = 63 - F::kFraction;
  if (biased <= 0) { // subnormal
    dropped += 1 - biased;
    biased = 1;
    if (dropped > 64)
      return sign;
  }
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  uint64_t bits = dropped < 64 ? from.significand >> dropped : 0;
  const uint64_t rest = from.significand << (64 - dropped);
  bits += rest > kHalf || (rest == kHalf && bits & 1);
  // The significand's highest bit adds 1 to the exponent, and so does a carry.
  bits += static_cast<uint64_t>(biased - 1) << F::kFraction;
  return sign | (bits < F::kInfinity ? bits : F::kInfinity);
}

static uint64_t normaliseAndRound(uint64_t sign, uint64_t significand,
                                  int exponent) {
  return round<Double>(sign, normalise(significand, exponent));
}

// --- arithmetic --------------------------------------------------------------

// Shifts to the right. The lowest bit is also 1 if any bit was lost.
static uint64_t shiftRight(uint64_t a, int by) {
  if (by > 63)
    return a != 0;
  const uint64_t lost = a & ((uint64_t{1} << by) - 1);
  return a >> by | (lost != 0);
}

uint64_t addDoubles(uint64_t a, uint64_t b) {
  if (a << 1 < b << 1) { // the larger one is a
    const uint64_t other = a;
    a = b;
    b = other;
  }
  if (!isFinite(a)) {
    if (isNan(a))
      return quiet(a);
    return a == (b ^ Double::kSignBit) ? kNan : a;
  }
  if (isZero(b))
    return isZero(a) ? a & b : a;
  const Parts x = split<Double>(a), y = split<Double>(b);
  // The sum needs one bit more.
  const uint64_t larger = x.significand >> 1;
  const uint64_t smaller =
      shiftRight(y.significand >> 1, x.exponent - y.exponent);
  const uint64_t sum =
      signOf(a) == signOf(b) ? larger + smaller : larger - smaller;
  return sum ? normaliseAndRound(signOf(a), sum, x.exponent + 1) : 0;
}

uint64_t multiplyDoubles(uint64_t a, uint64_t b) {
  const uint64_t sign = signOf(a ^ b);
  if (isNan(a) || isNan(b))
    return quietOf(a, b);
  if (!isFinite(a) || !isFinite(b))
    return isZero(a) || isZero(b) ? kNan : sign | kInfinity;
  if (isZero(a) || isZero(b))
    return sign;
  const Parts x = split<Double>(a), y = split<Double>(b);
  const auto product =
      static_cast<unsigned __int128>(x.significand) * y.significand;
  const auto low = static_cast<uint64_t>(product);
  return normaliseAndRound(sign,
                           static_cast<uint64_t>(product >> 64) | (low != 0),
                           x.exponent + y.exponent + 64);
}

uint64_t divideDoubles(uint64_t a, uint64_t b) {
  const uint64_t sign = signOf(a ^ b);
  if (isNan(a) || isNan(b))
    return quietOf(a, b);
  if (!isFinite(a))
    return isFinite(b) ? sign | kInfinity : kNan;
  if (!isFinite(b))
    return sign;
  if (isZero(b))
    return isZero(a) ? kNan : sign | kInfinity;
  if (isZero(a))
    return sign;
  const Parts x = split<Double>(a), y = split<Double>(b);
  // Significands have 53 bits. A step divides 64 bits, and finds 11 bits of the
  // quotient.
  constexpr int kStep = 11, kSteps = 5;
  const uint64_t divisor = y.significand >> kStep;
  uint64_t rest = x.significand >> kStep;
  uint64_t quotient = rest / divisor;
  rest %= divisor;
  for (int i = 0; i < kSteps; ++i) {
    rest <<= kStep;
    quotient = quotient << kStep | rest / divisor;
    rest %= divisor;
  }
  // At least 55 bits are found, so one more is low enough.
  return normaliseAndRound(sign, quotient << 1 | (rest != 0),
                           x.exponent - y.exponent - kStep * kSteps - 1);
}

// --- conversions -------------------------------------------------------------

uint64_t doubleOfUnsigned(uint64_t number) {
  return number ? normaliseAndRound(0, number, 0) : 0;
}

uint64_t doubleOfSigned(uint64_t number) {
  const uint64_t sign = signOf(number);
  return sign | doubleOfUnsigned(sign ? 0 - number : number);
}

uint64_t doubleOfFloat(uint32_t bits) {
  const uint64_t sign = uint64_t{bits >> Single::kSign} << Double::kSign;
  const uint64_t rest = bits & ~Single::kSignBit;
  if (!rest)
    return sign;
  if (rest < Single::kInfinity)
    return round<Double>(sign, split<Single>(rest));
  const uint64_t fraction = (rest & Single::kFractionMask)
                            << (Double::kFraction - Single::kFraction);
  return sign | kInfinity | (fraction ? quiet(fraction) : 0);
}

uint32_t floatOfDouble(uint64_t a) {
  const uint64_t sign = a >> Double::kSign << Single::kSign;
  uint64_t bits = sign;
  if (!isFinite(a)) {
    bits |= Single::kInfinity;
    if (isNan(a))
      bits |= Single::kQuiet | (a & Double::kFractionMask) >>
                                   (Double::kFraction - Single::kFraction);
  } else if (!isZero(a)) {
    bits = round<Single>(sign, split<Double>(a));
  }
  return static_cast<uint32_t>(bits);
}

// The number without its sign. Not known: it is 2^64 or more, or a NaN.
static Integer magnitudeOf(uint64_t a) {
  const auto biased = static_cast<int>(a << 1 >> (Double::kFraction + 1));
  const int exponent = biased - Double::kBias;
  if (exponent < 0)
    return {0, true};
  if (exponent > 63)
    return {0, false};
  return {split<Double>(a).significand >> (63 - exponent), true};
}

Integer signedOfDouble(uint64_t a) {
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  const Integer magnitude = magnitudeOf(a);
  const bool isNegative = signOf(a) != 0;
  return {isNegative ? 0 - magnitude.value : magnitude.value,
          magnitude.known && magnitude.value < kLimit + isNegative};
}

Integer unsignedOfDouble(uint64_t a) {
  const Integer magnitude = magnitudeOf(a);
  return {magnitude.value, magnitude.known && (!signOf(a) || !magnitude.value)};
}

} // namespace tprt
