// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shortest digits that read back as the same floating-point number; see
// decimal.h. {fmt} computes them, by the algorithm Dragonbox.
//
// {fmt}'s functions take a double in a vector register, which code in hits must
// not touch. But Dragonbox is a template that calculates with integers only. So
// it is given classes that hold the bits of a double or a float, and that have
// the traits of these types. It allocates nothing and calls no function of a
// library. Thus a program without the C++ library can contain it, and one
// object of this file serves glibc and musl (CMakeLists.txt says why it has
// to).
//
// Dragonbox is internal to {fmt}, so another version may need changes here.
#include "points/decimal.h"
#include "points/number.h"

// Nothing here throws, asserts or asks for a locale.
#define FMT_EXCEPTIONS 0
#define FMT_THROW(exception) __builtin_unreachable()
#define FMT_ASSERT(condition, message) static_cast<void>(0)
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
// A namespace of our own: a program that contains libtprt.a may have the same
// functions, compiled to use vector registers.
#define FMT_BEGIN_NAMESPACE                                                    \
  namespace fmt {                                                              \
  inline namespace of_tprt {
#define FMT_END_NAMESPACE                                                      \
  }                                                                            \
  }
#include <fmt/format.h>
static_assert(FMT_VERSION / 10000 == 9, "written for {fmt} 9");
// The file below is {fmt}'s own source. Its functions, except templates, are
// for inlining alone: no copy of them, and no table of a class, is emitted.
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

// Makes of a double's bits those of a float. False: no float has this value.
static bool asFloat(const Binary &number, FloatBits &out) {
  constexpr int kSpare = 29, kLeast = -149, kMost = 104, kBits = 23;
  // A float that is a denormal has fewer bits.
  int exponent = number.exponent + kSpare;
  int shift = exponent < kLeast ? kLeast - number.exponent : kSpare;
  if (exponent > kMost || shift > kBits + kSpare ||
      number.mantissa & ((uint64_t{1} << shift) - 1))
    return false;
  auto mantissa = static_cast<uint32_t>(number.mantissa >> shift);
  // The first bit of other numbers is not stored. It adds 1 to the exponent.
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
