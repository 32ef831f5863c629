// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest digits that read back as the same floating-point number; see
// decimal.h. {fmt} computes these digits with the Dragonbox algorithm.
//
// {fmt}'s functions receive a double in a vector register, which code in hits
// must not use. But Dragonbox is a template that calculates with integers only.
// So it is instantiated with classes that hold the bits of a double or a float,
// and that have the traits of these types. It allocates nothing and calls no
// function of a library. Thus a program without the C++ library can contain it,
// and one object of this file works with glibc and musl (CMakeLists.txt
// explains why this is required).
//
// Dragonbox is internal to {fmt}, so another version may need changes here.
#include "points/shortest.h"
#include "points/decimal.h"
#include "points/number.h"

// No code here throws, asserts or uses a locale.
#define FMT_EXCEPTIONS 0
#define FMT_THROW(exception) __builtin_unreachable()
#define FMT_ASSERT(condition, message) static_cast<void>(0)
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
// A private namespace: a program that contains libtprt.a may have the same
// functions, compiled to use vector registers.
#define FMT_BEGIN_NAMESPACE                                                    \
  namespace fmt {                                                              \
  inline namespace of_tprt {
#define FMT_END_NAMESPACE                                                      \
  }                                                                            \
  }
#include <fmt/format.h>
static_assert(FMT_VERSION / 10000 == 9, "written for {fmt} 9");
// The file below is {fmt}'s own source. Except for templates, its functions are
// only inlined: no copies of them and no class tables are emitted.
#undef FMT_FUNC
#define FMT_FUNC inline __attribute__((gnu_inline))
#include <fmt/format-inl.h>

namespace tprt {
namespace {
struct DoubleBits {
  uint64_t bits;
};
struct FloatBits {
  uint32_t bits;
};
} // namespace
} // namespace tprt

template <>
struct std::numeric_limits<tprt::DoubleBits> : std::numeric_limits<double> {};
template <>
struct std::numeric_limits<tprt::FloatBits> : std::numeric_limits<float> {};
namespace fmt::detail::dragonbox {
template <> struct float_info<tprt::DoubleBits> : float_info<double> {};
template <> struct float_info<tprt::FloatBits> : float_info<float> {};
template <> struct cache_accessor<tprt::DoubleBits> : cache_accessor<double> {};
template <> struct cache_accessor<tprt::FloatBits> : cache_accessor<float> {};
} // namespace fmt::detail::dragonbox

namespace tprt {

// Converts the bits of a double to the bits of a float. Returns false if no
// float has this value.
static bool asFloat(const Binary &number, FloatBits &out) {
  constexpr int kSpare = 29, kLeast = -149, kMost = 104, kBits = 23;
  // A denormal float has fewer bits.
  int exponent = number.exponent + kSpare;
  int shift = exponent < kLeast ? kLeast - number.exponent : kSpare;
  if (exponent > kMost || shift > kBits + kSpare ||
      number.mantissa & ((uint64_t{1} << shift) - 1))
    return false;
  auto mantissa = static_cast<uint32_t>(number.mantissa >> shift);
  // In all other numbers the first bit is not stored. This bit adds 1 to the
  // exponent.
  auto biased =
      exponent < kLeast ? 0 : static_cast<uint32_t>(exponent - kLeast);
  out.bits = (biased << kBits) + mantissa;
  return true;
}

template <class Bits> static void store(Bits bits, Decimal &out) {
  auto shortest = fmt::detail::dragonbox::to_decimal(bits);
  IntegerDigits digits(shortest.significand, 10, false);
  out.count = static_cast<unsigned>(digits.size());
  out.point = static_cast<int>(out.count) + shortest.exponent;
  copyBytes(out.digit, digits.begin(), digits.size());
}

void shorten(uint64_t bits, bool isFloat, Decimal &out) {
  FloatBits single;
  if (isFloat && asFloat(readDouble(bits), single))
    store(single, out);
  else
    store(DoubleBits{bits & ~(uint64_t{1} << 63)}, out);
}

} // namespace tprt
