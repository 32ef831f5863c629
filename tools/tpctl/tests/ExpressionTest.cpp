// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles expressions, runs the programs, and compares with what the C++
// compiler makes of the same text.

#include "ExpressionRun.h"
#include "llvm/ADT/STLFunctionalExtras.h"

// The expressions are written without parentheses, to test precedence.
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#pragma GCC diagnostic ignored "-Wbool-operation"
#endif

using namespace llvm;
using namespace tpctl::expressions;

namespace {

/// Words as registers may have them, with anything in the upper half.
constexpr uint64_t Words[] = {0,
                              1,
                              2,
                              3,
                              7,
                              40,
                              127,
                              128,
                              200,
                              255,
                              32767,
                              40000,
                              0x7fffffff,
                              0x80000000,
                              0xfffffffe,
                              0xffffffff,
                              0x123456789abcdef0,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              static_cast<uint64_t>(-1),
                              static_cast<uint64_t>(-2),
                              static_cast<uint64_t>(-100)};

/// Hits with all pairs of words in the first two arguments, and others in the
/// rest.
void forHits(function_ref<void(const Hit &)> B) {
  size_t Shift = 0;
  for (uint64_t First : Words)
    for (uint64_t Second : Words) {
      Hit H;
      H.Arguments = {First, Second};
      for (size_t I = 2; I < 8; ++I)
        H.Arguments[I] = Words[(++Shift * 7 + I) % std::size(Words)];
      B(H);
    }
}

/// Compares an expression with a function that computes it, as a condition, as
/// its opposite, as a key and as a value.
void expectSame(StringRef Text, const Signature *S,
                function_ref<int64_t(const std::array<uint64_t, 8> &)> F) {
  SCOPED_TRACE(Text.str());
  std::string Negation = ("!(" + Text + ")").str();
  Program Value = programOf(asked("", "", Text), S);
  Program Condition = programOf(asked(Text, "", ""), S);
  Program Opposite = programOf(asked(Negation, "", ""), S);
  Program Chosen =
      programOf(asked("", "", ("(" + Text + ") ? 3 : 4").str()), S);
  Program Both = programOf(asked(Text, Text, Text), S);
  forHits([&](const Hit &H) {
    if (testing::Test::HasFailure())
      return;
    int64_t Expected = F(H.Arguments);
    auto trace = [&] {
      std::string Result;
      for (uint64_t Each : H.Arguments)
        Result += std::to_string(Each) + " ";
      return Result;
    };
    EXPECT_EQ(ProgramRunner(Value, H).run().Value, Expected) << trace();
    EXPECT_EQ(ProgramRunner(Chosen, H).run().Value, Expected ? 3 : 4)
        << trace();
    auto Kind = [](bool Counts) {
      return Counts ? Outcome::Counted : Outcome::Filtered;
    };
    EXPECT_EQ(ProgramRunner(Condition, H).run().Kind, Kind(Expected))
        << trace();
    EXPECT_EQ(ProgramRunner(Opposite, H).run().Kind, Kind(!Expected))
        << trace();
    Outcome All = ProgramRunner(Both, H).run();
    EXPECT_EQ(All.Kind, Kind(Expected)) << trace();
    if (Expected) {
      EXPECT_EQ(All.Value, Expected) << trace();
      EXPECT_EQ(All.Keys.at(0), keyOf(static_cast<uint64_t>(Expected)))
          << trace();
    }
  });
}

/// The C++ compiler's function of the arguments, and the same as text.
#define EXPECT_WIDE(...)                                                       \
  expectSame(#__VA_ARGS__, &Wide, [](const std::array<uint64_t, 8> &Words) {   \
    [[maybe_unused]] auto i = static_cast<int>(Words[0]);                      \
    [[maybe_unused]] auto u = static_cast<unsigned>(Words[1]);                 \
    [[maybe_unused]] auto l = static_cast<long>(Words[2]);                     \
    [[maybe_unused]] auto z = static_cast<size_t>(Words[3]);                   \
    [[maybe_unused]] auto j = static_cast<int>(Words[1]);                      \
    [[maybe_unused]] auto arg0 = static_cast<long>(Words[0]);                  \
    [[maybe_unused]] auto arg1 = static_cast<long>(Words[1]);                  \
    [[maybe_unused]] auto arg2 = static_cast<long>(Words[2]);                  \
    return static_cast<int64_t>(__VA_ARGS__);                                  \
  })

#define EXPECT_NARROW(...)                                                     \
  expectSame(#__VA_ARGS__, &Narrow, [](const std::array<uint64_t, 8> &Words) { \
    [[maybe_unused]] auto c = static_cast<char>(Words[0]);                     \
    [[maybe_unused]] auto a = static_cast<signed char>(Words[1]);              \
    [[maybe_unused]] auto k = static_cast<unsigned char>(Words[2]);            \
    [[maybe_unused]] auto s = static_cast<short>(Words[3]);                    \
    [[maybe_unused]] auto h = static_cast<unsigned short>(Words[4]);           \
    [[maybe_unused]] auto w = static_cast<long>(Words[5]);                     \
    return static_cast<int64_t>(__VA_ARGS__);                                  \
  })

// `j` is the second argument as an int.
Signature wide() {
  Signature S = declared("int f(int i, unsigned u, long l, size_t z)");
  Location Second;
  Second.Pieces.push_back({TPRT_PROGRAM_ARGUMENT, 1});
  S.Arguments.push_back({"j", Type::integer(32, true), Second});
  return S;
}

const Signature Wide = wide();
const Signature Narrow =
    declared("int g(char c, signed char a, unsigned char k, short s, unsigned "
             "short h, long w)");

} // namespace

TEST(Expression, ComputesAsC) {
  EXPECT_WIDE(i + j);
  EXPECT_WIDE(i - j);
  EXPECT_WIDE(i * j);
  EXPECT_WIDE(i & j);
  EXPECT_WIDE(i | j);
  EXPECT_WIDE(i ^ j);
  EXPECT_WIDE(u ^ 5);
  EXPECT_WIDE(u + 5);
  EXPECT_WIDE(u - 5);
  EXPECT_WIDE(u * 0xffff);
  EXPECT_WIDE(i / 7);
  EXPECT_WIDE(i % 7);
  EXPECT_WIDE(u / 7);
  EXPECT_WIDE(u % 7);
  EXPECT_WIDE(l / 7 + l % 7);
  EXPECT_WIDE(z / 7 + z % 7);
  EXPECT_WIDE(7 / (i | 1));
  EXPECT_WIDE(7 % (u | 1));
  EXPECT_WIDE(arg0 + arg1 * arg2 - 3);
  EXPECT_WIDE(~i);
  EXPECT_WIDE(~u);
  EXPECT_WIDE(-i);
  EXPECT_WIDE(-u);
  EXPECT_WIDE(+i);
  EXPECT_WIDE(-l);
  EXPECT_WIDE(~z);
  EXPECT_WIDE(!i);
  EXPECT_WIDE(!!z);
  EXPECT_WIDE(- -i);
  EXPECT_WIDE(5 - i);
  EXPECT_WIDE(5 - l);
  EXPECT_WIDE(l + 0x7fffffff + 0x7fffffff);
  EXPECT_WIDE(l - 0x123456789);
  EXPECT_WIDE(z * 0xfffffffffffffff1);
  EXPECT_WIDE((i + 1) * (j - 1));
  EXPECT_WIDE((l + 1) * (z - 1));
  EXPECT_WIDE((arg0 + 1) - (arg1 - 1));
}

TEST(Expression, ShiftsAsC) {
  EXPECT_WIDE(i << 3);
  EXPECT_WIDE(u << 3);
  EXPECT_WIDE(l << 33);
  EXPECT_WIDE(i >> 3);
  EXPECT_WIDE(u >> 3);
  EXPECT_WIDE(l >> 33);
  EXPECT_WIDE(z >> 33);
  EXPECT_WIDE(1 << (i & 31));
  EXPECT_WIDE(1L << (i & 63));
  EXPECT_WIDE(u >> (l & 31));
  EXPECT_WIDE(i >> (z & 31));
}

TEST(Expression, ComparesAsC) {
  EXPECT_WIDE(i < j);
  EXPECT_WIDE(i <= j);
  EXPECT_WIDE(i > j);
  EXPECT_WIDE(i >= j);
  EXPECT_WIDE(i == j);
  EXPECT_WIDE(i != j);
  EXPECT_WIDE(i < u);
  EXPECT_WIDE(i <= u);
  EXPECT_WIDE(i > u);
  EXPECT_WIDE(i == u);
  EXPECT_WIDE(l < u);
  EXPECT_WIDE(l < i);
  EXPECT_WIDE(z < i);
  EXPECT_WIDE(z >= l);
  EXPECT_WIDE(i == z);
  EXPECT_WIDE(i < 100);
  EXPECT_WIDE(i <= 100);
  EXPECT_WIDE(i > 100);
  EXPECT_WIDE(i >= 100);
  EXPECT_WIDE(100 < i);
  EXPECT_WIDE(100 <= i);
  EXPECT_WIDE(100 > u);
  EXPECT_WIDE(100 >= z);
  EXPECT_WIDE(i < -1);
  EXPECT_WIDE(u < -1);
  EXPECT_WIDE(z > -3);
  EXPECT_WIDE(u == 0xfffffffe);
  EXPECT_WIDE(i == 0xfffffffe);
  EXPECT_WIDE(l == 0xfffffffe);
  EXPECT_WIDE(z > 0);
  EXPECT_WIDE(z >= 1);
  EXPECT_WIDE(z < 1);
  EXPECT_WIDE(z <= 0);
  EXPECT_WIDE(u > 0);
  EXPECT_WIDE(i > 0);
  EXPECT_WIDE(i < 1);
  EXPECT_WIDE(i != 0);
  EXPECT_WIDE(i == 0);
  EXPECT_WIDE(arg0 > 0x7fffffffff);
  EXPECT_WIDE(arg0 + 1 == 0);
  EXPECT_WIDE(i < j == j < i);
  EXPECT_WIDE((i < j) + (i > 3) * 2);
  EXPECT_WIDE(1 < 2);
  EXPECT_WIDE(-1 < 1u);
}

TEST(Expression, BindsAsC) {
  EXPECT_WIDE(i + j * 3);
  EXPECT_WIDE(i * 3 + j);
  EXPECT_WIDE(i - j - 3);
  EXPECT_WIDE(i << 1 + 2);
  EXPECT_WIDE(i & j == 3);
  EXPECT_WIDE(i ^ j & 3);
  EXPECT_WIDE(i | j ^ 3);
  EXPECT_WIDE(i & 1 | j & 2 ^ 7);
  EXPECT_WIDE(i < 3 == j < 3);
  EXPECT_WIDE(i + 1 < j << 1);
  EXPECT_WIDE(i || j && l);
  EXPECT_WIDE(i && j || l);
  EXPECT_WIDE(i | j && l);
  EXPECT_WIDE(!i == j);
  EXPECT_WIDE(-i + j);
  EXPECT_WIDE(~i & j);
  EXPECT_WIDE(i / 3 * 5 % 7);
  EXPECT_WIDE(i ? j : l ? u : z);
  EXPECT_WIDE(i ? j ? 1 : 2 : 3);
  EXPECT_WIDE(i || j ? l : z);
  EXPECT_WIDE((long)i + j);
  EXPECT_WIDE((char)i * 2);
}

TEST(Expression, ConvertsAsC) {
  EXPECT_NARROW(c + a);
  EXPECT_NARROW(a + k);
  EXPECT_NARROW(k - a);
  EXPECT_NARROW(c < k);
  EXPECT_NARROW(a < k);
  EXPECT_NARROW(s * h);
  EXPECT_NARROW(~k);
  EXPECT_NARROW(-h);
  EXPECT_NARROW(!c);
  EXPECT_NARROW(k << 8 | k);
  EXPECT_NARROW(a == -1);
  EXPECT_NARROW(k == -1);
  EXPECT_NARROW(s >= h);
  EXPECT_NARROW((unsigned char)a);
  EXPECT_NARROW((signed char)k);
  EXPECT_NARROW((char)w);
  EXPECT_NARROW((short)w);
  EXPECT_NARROW((unsigned short)s);
  EXPECT_NARROW((int)h);
  EXPECT_NARROW((unsigned)a);
  EXPECT_NARROW((unsigned)a >> 4);
  EXPECT_NARROW((unsigned long)a);
  EXPECT_NARROW((long)(unsigned)a);
  EXPECT_NARROW((unsigned long long)(int)w);
  EXPECT_NARROW((uint32_t)w);
  EXPECT_NARROW((int8_t)w + (uint8_t)w + (int16_t)w + (uint16_t)w);
  EXPECT_NARROW((int32_t)w + (int64_t)w + (long)(uint64_t)w);
  EXPECT_NARROW((bool)w);
  EXPECT_NARROW((bool)k + (bool)a);
  EXPECT_NARROW((bool)(w << 60));
  EXPECT_NARROW((const unsigned int)w / 3);
  EXPECT_NARROW((short)40000);
  EXPECT_NARROW((unsigned char)-1);
  EXPECT_NARROW((char)200 < 0);
  EXPECT_NARROW('\xff' + 'a' + '\n' + '\\' + '\'' + '\0' + '\101');
  EXPECT_NARROW(c == 'a' || c == '\xff');
  EXPECT_NARROW(0x7fffffff + 0u + 017 + 0b101 + 4294967295);
  EXPECT_NARROW(0x80000000 > -1);
  EXPECT_NARROW(2147483648 > -1);
  EXPECT_NARROW(1 ? -1 : 1u);
  EXPECT_NARROW(w ? a : 1u);
  EXPECT_NARROW(w ? a : k);
}

TEST(Expression, ChoosesAsC) {
  EXPECT_WIDE(i && j);
  EXPECT_WIDE(i || j);
  EXPECT_WIDE(!(i && j));
  EXPECT_WIDE(!(i || j) || u > 3);
  EXPECT_WIDE(!(i && !j) && !(l || z));
  EXPECT_WIDE(i > 3 && i < 100);
  EXPECT_WIDE(i < 3 || i > 100);
  EXPECT_WIDE(i > 3 && (j < 100 || u == 7) && z);
  EXPECT_WIDE((i && j) + (l || z));
  EXPECT_WIDE((i && 5) + (0 || z));
  EXPECT_WIDE(0 && i);
  EXPECT_WIDE(1 && i);
  EXPECT_WIDE(1 || i);
  EXPECT_WIDE(i && 0);
  EXPECT_WIDE(i || 1);
  EXPECT_WIDE(i > 3 ? i : j);
  EXPECT_WIDE(i ? u : l);
  EXPECT_WIDE(i ? -1 : u);
  EXPECT_WIDE((i ? j : 3) + (j ? i : 4));
  EXPECT_WIDE(i ? i + j : i - j);
  EXPECT_WIDE((i ? i : i) + i + (j && i));
  EXPECT_WIDE(!i ? 1 : 2);
  EXPECT_WIDE(i >= 3 ? 1 : 2);
  EXPECT_WIDE((i && j) == (j && i));
  EXPECT_WIDE(i ? j && l : l || j);
}

TEST(Expression, KeepsManyNamesInRegisters) {
  EXPECT_WIDE(i + j + l + u + z + arg0 + arg1 + arg2 +
              i * j * l * u * z * (arg0 + arg1 + arg2));
  EXPECT_WIDE((((i + j) * (u + l)) ^ ((z + i) * (j + u))) +
              (((l + z) * (i + u)) ^ ((j + l) * (z + j))));
}
