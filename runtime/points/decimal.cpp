// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes exact decimal digits; see decimal.h. {fmt} 9 cannot do this in hits:
// its format_dragon() calls operator new for denormals. For %.2f of the largest
// double {fmt} needs 29 us, and this file 1.6 us. For common numbers {fmt}
// needs 50 to 70 ns, and this file 100 to 200.
#include "points/decimal.h"

namespace tprt {

static constexpr uint32_t kBase = 1'000'000'000;
static constexpr unsigned kDigitsPerLimb = 9;

namespace {
// A number in base 10^9, the highest limb first. The limb at kPoint is the
// first after the decimal point.
//
// Handlers run on small stacks, so the limbs lie in the memory of the digits,
// at its end. The digits are written from its beginning on. While limbs are
// converted, digits must not overwrite limbs. After k limbs, which give at most
// 9 k digits, 5 k <= B - 4 (kMost - first) must hold, where B is the size of
// that memory in bytes. Numbers of 2^1023 (first = 1, k = 35) and the smallest
// denormals (first > 67, k < 89) come closest to the limit: both need up to 799
// bytes.
class Limbs {
public:
  Limbs(Decimal &memory, uint64_t mantissa, int exponent);
  void write();

private:
  void doubleBy(unsigned shift);
  void halveBy(unsigned shift);
  char *place(unsigned i) const {
    return out.digit + sizeof out.digit - sizeof(uint32_t) * (kMost - i);
  }
  uint32_t get(unsigned i) const {
    uint32_t limb;
    __builtin_memcpy(&limb, place(i), sizeof limb);
    return limb;
  }
  void set(unsigned i, uint64_t value) {
    auto limb = static_cast<uint32_t>(value);
    __builtin_memcpy(place(i), &limb, sizeof limb);
  }

  // 2^1024 has 309 digits, and 2^-1076 has 1076 digits after the point.
  static constexpr unsigned kPoint = 36, kMost = kPoint + 121;
  Decimal &out;
  unsigned first = kPoint - 2, end = kPoint;
};
} // namespace

Limbs::Limbs(Decimal &memory, uint64_t mantissa, int exponent) : out(memory) {
  set(kPoint - 2, mantissa / kBase);
  set(kPoint - 1, mantissa % kBase);
  for (; exponent >= 29; exponent -= 29)
    doubleBy(29);
  if (exponent > 0)
    doubleBy(static_cast<unsigned>(exponent));
  // 10^9 is a multiple of 2^9, so the carry is an integer.
  for (; exponent <= -9; exponent += 9)
    halveBy(9);
  if (exponent < 0)
    halveBy(static_cast<unsigned>(-exponent));
}

void Limbs::doubleBy(unsigned shift) {
  uint64_t carry = 0;
  for (unsigned i = end; i-- > first;) {
    uint64_t value = (uint64_t{get(i)} << shift) + carry;
    set(i, value % kBase);
    carry = value / kBase;
  }
  if (carry)
    set(--first, carry);
}

void Limbs::halveBy(unsigned shift) {
  uint32_t carry = 0;
  for (unsigned i = first; i < end; ++i) {
    uint32_t limb = get(i), rest = limb & ((1u << shift) - 1);
    set(i, (limb >> shift) + carry);
    carry = (kBase >> shift) * rest;
  }
  if (carry)
    set(end++, carry);
  if (first < end && !get(first))
    ++first;
}

void Limbs::write() {
  out.count = 0;
  out.point = 0;
  unsigned last = 0; // The digits up to the last digit that is not 0.
  for (unsigned i = first; i < end; ++i) {
    uint32_t limb = get(i), scale = kBase / 10;
    for (unsigned j = 0; j < kDigitsPerLimb; ++j, scale /= 10) {
      auto digit = static_cast<char>(limb / scale % 10);
      if (!out.count && !digit)
        continue;
      if (!out.count)
        out.point = (static_cast<int>(kPoint) - static_cast<int>(i)) *
                        static_cast<int>(kDigitsPerLimb) -
                    static_cast<int>(j);
      out.digit[out.count++] = static_cast<char>('0' + digit);
      if (digit)
        last = out.count;
      if (out.count == Decimal::kMostDigits)
        break;
    }
    if (out.count == Decimal::kMostDigits)
      break;
  }
  out.count = last;
}

void Decimal::set(uint64_t mantissa, int exponent) {
  // Few limbs are needed if the mantissa is odd.
  for (; mantissa && !(mantissa & 1); ++exponent)
    mantissa >>= 1;
  if (mantissa)
    Limbs(*this, mantissa, exponent).write();
  else
    count = 0, point = 0;
}

void Decimal::round(int keep) {
  if (keep >= static_cast<int>(count))
    return;
  if (keep < 0) {
    count = 0;
    return;
  }
  auto kept = static_cast<unsigned>(keep);
  bool half = digit[kept] == '5' && count == kept + 1;
  bool odd = kept && (digit[kept - 1] & 1);
  bool up = half ? odd : digit[kept] >= '5';
  count = kept;
  if (up) {
    while (count && digit[count - 1] == '9')
      --count;
    if (count) {
      ++digit[count - 1];
    } else {
      digit[count++] = '1';
      ++point;
    }
  }
  while (count && digit[count - 1] == '0')
    --count;
}

// --- reading -----------------------------------------------------------------

static constexpr int kMantissaBits = 52, kLeastExponent = -1074;

Binary readDouble(uint64_t bits) {
  Binary number{};
  uint64_t fraction = bits & ((uint64_t{1} << kMantissaBits) - 1);
  int exponent = static_cast<int>(bits >> kMantissaBits & 0x7ff);
  number.negative = bits >> 63;
  number.infinite = exponent == 0x7ff && !fraction;
  number.nan = exponent == 0x7ff && fraction;
  number.mantissa =
      exponent ? fraction | uint64_t{1} << kMantissaBits : fraction;
  number.exponent = exponent ? kLeastExponent + exponent - 1 : kLeastExponent;
  return number;
}

} // namespace tprt
