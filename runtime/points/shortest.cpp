// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest digits that read back as the same floating-point number; see
// decimal.h. The stack that it takes is below 1 KB.
//
// Every number between the middles to both neighbours reads back as this one.
// The middles themselves do if the mantissa is even, because reading rounds
// ties to even. A middle has an exact decimal value like any number m * 2^e. So
// the search asks for 1, 2, ... 17 digits whether the number rounded to so many
// lies between the middles, and takes the first that does.
#include "points/decimal.h"
#include "points/text.h"

namespace tprt {

namespace {
// The first digits of a number of which more may follow.
struct Prefix {
  static constexpr unsigned kMost = 20;
  char digit[kMost];
  unsigned count;
  int point;
  bool more;

  void set(const Decimal &from);
  int compare(const Prefix &other) const;
};

struct Middles {
  Prefix low, high;
  bool included;

  bool contain(const Prefix &value) const {
    int least = included ? 0 : 1;
    return value.compare(low) >= least && high.compare(value) >= least;
  }
};
} // namespace

void Prefix::set(const Decimal &from) {
  count = from.count < kMost ? from.count : kMost;
  more = from.count > kMost;
  point = from.point;
  copyBytes(digit, from.digit, count);
}

int Prefix::compare(const Prefix &other) const {
  if (!count || !other.count)
    return (count != 0) - (other.count != 0);
  if (point != other.point)
    return point < other.point ? -1 : 1;
  for (unsigned i = 0; i < count || i < other.count; ++i) {
    char mine = i < count ? digit[i] : '0';
    char its = i < other.count ? other.digit[i] : '0';
    if (mine != its)
      return mine < its ? -1 : 1;
  }
  return more - other.more;
}

// The first `keep` digits of the exact value, and what is next above that.
static Prefix cut(const Decimal &value, unsigned keep) {
  Prefix out;
  out.count = keep < value.count ? keep : value.count;
  out.point = value.point;
  out.more = false;
  copyBytes(out.digit, value.digit, out.count);
  return out;
}

static void increment(Prefix &value) {
  while (value.count && value.digit[value.count - 1] == '9')
    --value.count;
  if (value.count) {
    ++value.digit[value.count - 1];
  } else {
    value.digit[value.count++] = '1';
    ++value.point;
  }
}

static void store(const Prefix &from, Decimal &out) {
  out.point = from.point;
  out.count = from.count;
  copyBytes(out.digit, from.digit, from.count);
  while (out.count && out.digit[out.count - 1] == '0')
    --out.count;
}

// Whether the value rounds up at this digit, to the nearest, ties to even.
static bool roundsUp(const Decimal &value, unsigned keep) {
  if (value.digit[keep] != '5' || value.count > keep + 1)
    return value.digit[keep] >= '5';
  return value.digit[keep - 1] & 1;
}

void shorten(const Binary &number, Decimal &value) {
  Middles middles;
  uint64_t mantissa = number.mantissa;
  middles.included = !(mantissa & 1);
  value.set(2 * mantissa + 1, number.exponent - 1);
  middles.high.set(value);
  if (number.lowerIsCloser)
    value.set(4 * mantissa - 1, number.exponent - 2);
  else
    value.set(2 * mantissa - 1, number.exponent - 1);
  middles.low.set(value);
  value.set(mantissa, number.exponent);
  for (unsigned keep = 1; keep < value.count && keep <= 17; ++keep) {
    Prefix below = cut(value, keep), above = below;
    increment(above);
    bool up = roundsUp(value, keep);
    const Prefix &near = up ? above : below, &far = up ? below : above;
    if (middles.contain(near))
      return store(near, value);
    if (middles.contain(far))
      return store(far, value);
  }
}

} // namespace tprt
