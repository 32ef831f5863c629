// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what programs compute with doubles, against the compiler's own
// arithmetic: all pairs of edge cases, and random numbers. TP_DOUBLES=N tries N
// random pairs.
#include "aggregateprogram.h"
#include "programs/doubles.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace {

uint64_t bitsOf(double Number) { return std::bit_cast<uint64_t>(Number); }
double doubleOf(uint64_t Bits) { return std::bit_cast<double>(Bits); }

// The same number, with its sign. NaNs are alike.
bool isSame(uint64_t A, uint64_t B) {
  return A == B || (std::isnan(doubleOf(A)) && std::isnan(doubleOf(B)));
}

// Each with both signs, and the numbers next to each.
std::vector<uint64_t> edges() {
  using Limits = std::numeric_limits<double>;
  using Singles = std::numeric_limits<float>;
  std::vector<uint64_t> All;
  for (double Each : {0.0,
                      1.0,
                      1.5,
                      3.0,
                      1e16,
                      1e300,
                      Limits::min(),
                      Limits::max(),
                      Limits::denorm_min(),
                      Limits::infinity(),
                      Limits::epsilon(),
                      0x1p-1022,
                      0x1p-1060,
                      0x1p31,
                      0x1p32,
                      0x1p52,
                      0x1p53,
                      0x1p62,
                      0x1p63,
                      0x1p64,
                      0.1,
                      0x1.8p-1074,
                      0x1.000001p0,
                      0x1.0000008p0,
                      0x1p-150,
                      0x1.8p-149,
                      0x1.fffffefp127,
                      0x1.ffffffp127,
                      double{Singles::max()},
                      double{Singles::min()},
                      double{Singles::denorm_min()},
                      123456789.75})
    for (uint64_t Next : {uint64_t{0}, uint64_t{1}, UINT64_MAX})
      for (uint64_t Sign : {uint64_t{0}, uint64_t{1} << 63})
        All.push_back((bitsOf(Each) + Next) ^ Sign);
  All.push_back(bitsOf(Limits::quiet_NaN()));
  All.push_back(bitsOf(Limits::signaling_NaN()));
  All.push_back(uint64_t{0xfff8} << 48);
  return All;
}

// Numbers that are often near to one another, or have few bits.
class Doubles {
public:
  uint64_t next() {
    uint64_t Bits = From();
    if (From() % 2)
      Bits &= UINT64_MAX << From() % 52;
    if (From() % 2) // near 1, so that sums depend on all bits
      Bits = (Bits & ~(uint64_t{0x7ff} << 52)) | (1023 - 60 + From() % 120)
                                                     << 52;
    if (From() % 8 == 0) // subnormal, or nearly
      Bits &= ~(uint64_t{0x7f8} << 52);
    return Bits;
  }
  uint64_t word() { return From() >> From() % 64; }

private:
  std::mt19937_64 From{20261130};
};

uint64_t pairs() {
  const char *Asked = getenv("TP_DOUBLES");
#ifdef __aarch64__ // under an emulator
  const uint64_t Count = 100'000;
#else
  const uint64_t Count = 3'000'000;
#endif
  return Asked ? strtoull(Asked, nullptr, 10) : Count;
}

void compare(uint64_t A, uint64_t B) {
  const double X = doubleOf(A), Y = doubleOf(B);
  auto is = [&](const char *What, uint64_t Found, double Expected) {
    ASSERT_TRUE(isSame(Found, bitsOf(Expected)))
        << std::hexfloat << X << What << Y << ": " << doubleOf(Found)
        << ", not " << Expected;
  };
  is(" + ", addDoubles(A, B), X + Y);
  is(" - ", addDoubles(A, negated(B)), X - Y);
  is(" * ", multiplyDoubles(A, B), X * Y);
  is(" / ", divideDoubles(A, B), X / Y);
  ASSERT_EQ(isEqual(A, B), X == Y) << X << ' ' << Y;
  ASSERT_EQ(isLess(A, B), X < Y) << X << ' ' << Y;
  if (!std::isnan(X) && !std::isnan(Y)) {
    ASSERT_EQ(orderOf(A) < orderOf(B),
              X < Y || (X == Y && std::signbit(X) && !std::signbit(Y)));
  }
  ASSERT_EQ(isNan(A), std::isnan(X));
}

void convert(uint64_t A) {
  const double X = doubleOf(A);
  const auto Single = static_cast<float>(X);
  const uint32_t Found = floatOfDouble(A);
  if (std::isnan(X))
    ASSERT_TRUE(std::isnan(std::bit_cast<float>(Found)));
  else
    ASSERT_EQ(Found, std::bit_cast<uint32_t>(Single)) << std::hexfloat << X;
  ASSERT_TRUE(isSame(doubleOfFloat(Found), bitsOf(double{Single})));
  // The same bits as another float.
  const auto Low = static_cast<uint32_t>(A);
  ASSERT_TRUE(
      isSame(doubleOfFloat(Low), bitsOf(double{std::bit_cast<float>(Low)})))
      << Low;
  const double Whole = std::trunc(X);
  const Integer Signed = signedOfDouble(A), Unsigned = unsignedOfDouble(A);
  ASSERT_EQ(Signed.known, Whole >= -0x1p63 && Whole < 0x1p63) << X;
  if (Signed.known)
    ASSERT_EQ(static_cast<int64_t>(Signed.value), static_cast<int64_t>(X));
  ASSERT_EQ(Unsigned.known, Whole >= 0 && Whole < 0x1p64) << X;
  if (Unsigned.known)
    ASSERT_EQ(Unsigned.value, static_cast<uint64_t>(X));
}

void convertInteger(uint64_t Number) {
  ASSERT_EQ(doubleOfUnsigned(Number), bitsOf(static_cast<double>(Number)));
  ASSERT_EQ(doubleOfSigned(Number),
            bitsOf(static_cast<double>(static_cast<int64_t>(Number))));
}

TEST(AggregateDoubles, EdgesAreLikeTheCompilers) {
  const std::vector<uint64_t> All = edges();
  for (uint64_t A : All) {
    convert(A);
    for (uint64_t B : All)
      compare(A, B);
  }
}

TEST(AggregateDoubles, RandomNumbersAreLikeTheCompilers) {
  Doubles By;
  for (uint64_t I = 0, Count = pairs(); I < Count && !HasFatalFailure(); ++I) {
    const uint64_t A = By.next();
    compare(A, By.next());
    compare(A, A + By.word() % 3); // nearly the same
    convert(A);
  }
}

TEST(AggregateDoubles, IntegersAreLikeTheCompilers) {
  for (int Bit = 0; Bit < 64; ++Bit)
    for (uint64_t Next : {uint64_t{0}, uint64_t{1}, UINT64_MAX})
      for (uint64_t Half : {uint64_t{0}, uint64_t{1} << Bit >> 53,
                            uint64_t{3} << Bit >> 54, uint64_t{1} << Bit >> 54})
        convertInteger((uint64_t{1} << Bit) + Half + Next);
  Doubles By;
  for (uint64_t I = 0, Count = pairs(); I < Count && !HasFatalFailure(); ++I)
    convertInteger(By.word());
}

// --- the operations ----------------------------------------------------------

class AggregateFloats : public AggregateProgram {};

TEST_F(AggregateFloats, OperationsOfDoublesCompute) {
  auto is = [&](tprt_program_code Code, double A, double B, uint64_t Expected) {
    EXPECT_EQ(combine(+Code, bitsOf(A), bitsOf(B)),
              static_cast<int64_t>(Expected))
        << Code << ' ' << A << ' ' << B;
  };
  const double Nan = std::numeric_limits<double>::quiet_NaN();
  is(TPRT_PROGRAM_FLOAT_ADD, 1.5, -4, bitsOf(-2.5));
  is(TPRT_PROGRAM_FLOAT_SUBTRACT, 1.5, -4, bitsOf(5.5));
  is(TPRT_PROGRAM_FLOAT_MULTIPLY, 1.5, -4, bitsOf(-6.0));
  is(TPRT_PROGRAM_FLOAT_DIVIDE, 1.5, -4, bitsOf(-0.375));
  is(TPRT_PROGRAM_FLOAT_DIVIDE, -1.5, 0, bitsOf(-HUGE_VAL));
  for (double A : {-1.0, -0.0, 0.0, 2.0, Nan})
    for (double B : {-1.0, -0.0, 0.0, 2.0, Nan}) {
      is(TPRT_PROGRAM_FLOAT_EQUAL, A, B, A == B);
      is(TPRT_PROGRAM_FLOAT_LESS, A, B, A < B);
      is(TPRT_PROGRAM_FLOAT_LESS_EQUAL, A, B, A <= B);
    }
  auto of = [&](tprt_program_code Code, uint64_t A) {
    return value(join({load(1, A), {{+Code, 0, 1, 0, 0}}}));
  };
  auto same = [](uint64_t Bits) {
    return std::optional<int64_t>(static_cast<int64_t>(Bits));
  };
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_FROM_SIGNED, UINT64_MAX), same(bitsOf(-1)));
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_FROM_UNSIGNED, UINT64_MAX),
            same(bitsOf(0x1p64)));
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_TO_SIGNED, bitsOf(-7.9)), -7);
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_TO_UNSIGNED, bitsOf(0x1p63)), INT64_MIN);
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_TO_UNSIGNED, bitsOf(-0.9)), 0);
  for (double Outside : {-1.0, 0x1p64, Nan, HUGE_VAL})
    EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_TO_UNSIGNED, bitsOf(Outside)),
              std::nullopt);
  for (double Outside : {0x1p63, -0x1.0000000000001p63, Nan, -HUGE_VAL})
    EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_TO_SIGNED, bitsOf(Outside)), std::nullopt);
  // The upper bits of a register with a float may be anything.
  const uint64_t Single = std::bit_cast<uint32_t>(-2.75f);
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_FROM_SINGLE, Single | uint64_t{7} << 40),
            same(bitsOf(-2.75)));
  EXPECT_EQ(of(TPRT_PROGRAM_FLOAT_TO_SINGLE, bitsOf(-2.75)), same(Single));
}

TEST_F(AggregateFloats, ValuesOfHitsMayBeUnknown) {
  for (unsigned I = 0; I < 8; ++I) {
    Others->vectors[I] = bitsOf(1.5 + I);
    Others->words[I] = 200 + I;
  }
  *Result = {{77, 78}, {bitsOf(0.25), bitsOf(0.75)}, 2, 2};
  Hit.result = Result;
  auto read = [&](tprt_program_code Code, int32_t Number) {
    return value({{+Code, 0, 0, 0, Number}});
  };
  for (uint8_t Known = 0; Known <= 8; ++Known) {
    Others->knownVectors = Known;
    Others->knownWords = static_cast<uint8_t>(8 - Known);
    for (int32_t I = 0; I < 8; ++I) {
      std::optional<int64_t> Vector, Word;
      if (I < Known)
        Vector = static_cast<int64_t>(bitsOf(1.5 + I));
      if (I < 8 - Known)
        Word = 200 + I;
      EXPECT_EQ(read(TPRT_PROGRAM_FLOAT_ARGUMENT, I), Vector);
      EXPECT_EQ(read(TPRT_PROGRAM_STACK_ARGUMENT, I), Word);
    }
  }
  const auto Second = static_cast<int64_t>(bitsOf(0.75));
  EXPECT_EQ(read(TPRT_PROGRAM_FLOAT_RESULT, 1), Second);
  Result->knownVectors = 1;
  EXPECT_EQ(read(TPRT_PROGRAM_FLOAT_RESULT, 1), std::nullopt);
  Hit.result = nullptr;
  EXPECT_EQ(read(TPRT_PROGRAM_FLOAT_RESULT, 0), std::nullopt);
}

TEST_F(AggregateFloats, NansAreNoValues) {
  auto valueOf = [&](double Number, uint32_t Flags) {
    return run(source(join({load(0, bitsOf(Number)),
                            {{TPRT_PROGRAM_VALUE, 0, 0, 0, 0}}}),
                      "", Flags))
        .Value;
  };
  const double Nan = std::numeric_limits<double>::quiet_NaN();
  const auto Bits = static_cast<int64_t>(bitsOf(Nan));
  EXPECT_EQ(valueOf(Nan, TPRT_PROGRAM_FLOAT_VALUE), std::nullopt);
  EXPECT_EQ(valueOf(Nan, 0), Bits);
  EXPECT_EQ(valueOf(2.5, TPRT_PROGRAM_FLOAT_VALUE),
            static_cast<int64_t>(bitsOf(2.5)));
}

} // namespace
