// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles expressions, runs the programs, and compares with what the C++
// compiler makes of the same text.

#include "ProgramRunner.h"
#include "expressions/Prototypes.h"
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

Asked asked(StringRef If, StringRef By, StringRef Of) {
  Asked A;
  if (!If.empty())
    A.If = cantFail(parse("--if", If));
  if (!By.empty())
    A.By = cantFail(parseList("--by", By));
  if (!Of.empty())
    A.Of = cantFail(parse("--of", Of));
  return A;
}

Program programOf(const Asked &A, const Signature *S,
                  const Target &Machine = Target::host()) {
  auto P = compile(A, S, Machine);
  if (!P) {
    ADD_FAILURE() << toString(P.takeError());
    return compile(asked("", "", "1"), nullptr).get();
  }
  return *P;
}

Outcome run(const Asked &A, const Signature *S, const Hit &H,
            const Target &Machine = Target::host()) {
  return ProgramRunner(programOf(A, S, Machine), H).run();
}

/// The value of an expression; nothing if it is unknown.
std::optional<int64_t> valueOf(StringRef Of, const Hit &H = {},
                               const Signature *S = nullptr,
                               const Target &Machine = Target::host()) {
  return run(asked("", "", Of), S, H, Machine).Value;
}

/// The lines of describe(), without their numbers.
std::string described(const Asked &A, const Signature *S = nullptr) {
  std::string Whole, Result;
  raw_string_ostream OS(Whole);
  describe(OS, programOf(A, S));
  SmallVector<StringRef> Lines;
  StringRef(Whole).split(Lines, '\n', -1, false);
  for (StringRef Line : Lines)
    Result += (Result.empty() ? "" : "; ") + Line.drop_front(5).str();
  return Result;
}

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

std::string keyOf(uint64_t Value) {
  std::string Key(1, TPRT_PROGRAM_KEY_NUMBER);
  Key.append(reinterpret_cast<const char *>(&Value), 8);
  return Key;
}

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

Signature declared(StringRef Text) { return cantFail(parseDeclaration(Text)); }

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

TEST(Expression, DoesNotEvaluateWhatCSkips) {
  Hit H; // address 0 cannot be read
  EXPECT_EQ(valueOf("arg0 && *(int *)arg0", H), 0);
  EXPECT_EQ(valueOf("!arg0 || *(int *)arg0", H), 1);
  EXPECT_EQ(valueOf("arg0 ? *(int *)arg0 : -5", H), -5);
  EXPECT_EQ(valueOf("!arg0 ? -6 : *(int *)arg0", H), -6);
  EXPECT_EQ(run(asked("arg0 && *(int *)arg0", "", ""), nullptr, H).Kind,
            Outcome::Filtered);
}

TEST(Expression, IsUnknownWhereMemoryOrADivisionIs) {
  Hit H;
  EXPECT_EQ(valueOf("*(int *)arg0 + 1", H), std::nullopt);
  EXPECT_EQ(valueOf("5 / arg0", H), std::nullopt);
  EXPECT_EQ(run(asked("5 % arg0", "", ""), nullptr, H).Kind, Outcome::Unread);
  EXPECT_EQ(run(asked("str(arg0) == \"a\"", "", ""), nullptr, H).Kind,
            Outcome::Unread);
  Outcome O = run(asked("", "str(arg0), *(int *)arg0, arg1", ""), nullptr, H);
  std::string Unknown(1, TPRT_PROGRAM_KEY_UNKNOWN);
  EXPECT_EQ(O.Keys, (std::vector{Unknown, Unknown, keyOf(0)}));
}

TEST(Expression, ReadsMemory) {
  const struct {
    int First, Second;
    unsigned char Bytes[4];
    short Short;
    bool Truth;
    const char *Text;
  } Data = {-7, 40, {200, 201, 0, 255}, -3, true, "text"};
  Hit H;
  H.Arguments[0] = reinterpret_cast<uint64_t>(&Data);
  H.Arguments[1] = 1;
  EXPECT_EQ(valueOf("*(int *)arg0", H), -7);
  EXPECT_EQ(valueOf("*(unsigned *)arg0", H), 4294967289);
  EXPECT_EQ(valueOf("*(int *)(arg0 + 4)", H), 40);
  EXPECT_EQ(valueOf("((int *)arg0)[arg1]", H), 40);
  EXPECT_EQ(valueOf("((int *)arg0)[1] + ((int *)arg0)[0]", H), 33);
  EXPECT_EQ(valueOf("*((int *)arg0 + arg1)", H), 40);
  EXPECT_EQ(valueOf("*(arg1 + (int *)arg0)", H), 40);
  EXPECT_EQ(valueOf("((int *)(arg0 + 8))[-1]", H), 40);
  EXPECT_EQ(valueOf("*(1 + (int *)arg0 - arg1 + 1)", H), 40);
  EXPECT_EQ(valueOf("((uint8_t *)(arg0 + 8))[3]", H), 255);
  EXPECT_EQ(valueOf("((int8_t *)(arg0 + 8))[3]", H), -1);
  EXPECT_EQ(valueOf("*(short *)(arg0 + 12)", H), -3);
  EXPECT_EQ(valueOf("*(bool *)(arg0 + 14)", H), 1);
  EXPECT_EQ(valueOf("**(char **)(arg0 + 16)", H), 't');
  EXPECT_EQ(valueOf("((char **)arg0)[2][1]", H), 'e');
  EXPECT_EQ(valueOf("(long)(((char **)arg0)[2] + 3) - *(long *)(arg0 + 16)", H),
            3);
  EXPECT_EQ(valueOf("((int *)arg0 + 5) - (int *)arg0", H), 5);
  EXPECT_EQ(valueOf("(short *)arg0 - ((short *)arg0 + arg1)", H), -1);
  EXPECT_EQ(valueOf("(int *)arg0 < (int *)arg0 + 1", H), 1);
  EXPECT_EQ(valueOf("(char *)arg0 == arg0", H), 1);
  EXPECT_EQ(valueOf("!(char *)arg0 + ((void *)arg0 && 1)", H), 1);
  EXPECT_EQ(valueOf("(void *)-1 == -1", H), 1);
  // Plain char is signed on x86-64 and unsigned on AArch64.
  EXPECT_EQ(valueOf("*(char *)(arg0 + 8)", H, nullptr, Target::x86_64()), -56);
  EXPECT_EQ(valueOf("*(char *)(arg0 + 8)", H, nullptr, Target::aarch64()), 200);
  EXPECT_EQ(valueOf("'\\xff' < 0", H, nullptr, Target::x86_64()), 1);
  EXPECT_EQ(valueOf("'\\xff' < 0", H, nullptr, Target::aarch64()), 0);
}

TEST(Expression, ComparesStrings) {
  const char *Path = "/etc/passwd";
  Hit H;
  H.Arguments[0] = reinterpret_cast<uint64_t>(Path);
  EXPECT_EQ(valueOf("str(arg0) == \"/etc/passwd\"", H), 1);
  EXPECT_EQ(valueOf("\"/etc/passwd\" == str(arg0)", H), 1);
  EXPECT_EQ(valueOf("str(arg0) != \"/etc/passwd\"", H), 0);
  EXPECT_EQ(valueOf("\"/etc\" != str(arg0)", H), 1);
  EXPECT_EQ(valueOf("str(arg0) =~ \"/etc/*\"", H), 1);
  EXPECT_EQ(valueOf("str(arg0) !~ \"/etc/*\"", H), 0);
  EXPECT_EQ(valueOf("str(arg0) =~ \"/e?c/[a-p]*[!x]\"", H), 1);
  EXPECT_EQ(valueOf("str(arg0 + 5) == \"passwd\"", H), 1);
  EXPECT_EQ(valueOf("str(arg0) == \"\\x2fetc\\057passwd\"", H), 1);
  EXPECT_EQ(
      run(asked("str(arg0) !~ \"/usr/*\" && !(str(arg0) == \"a\")", "", ""),
          nullptr, H)
          .Kind,
      Outcome::Counted);
  EXPECT_EQ(run(asked("!(str(arg0) !~ \"/usr/*\")", "", ""), nullptr, H).Kind,
            Outcome::Filtered);
  // A string that is in the text, or is the end of one that is, is not stored
  // again.
  Program P = programOf(asked("str(arg0) == \"abc\" || str(arg0) == \"bc\"", "",
                              "str(arg0) =~ \"abc\""),
                        nullptr);
  EXPECT_EQ(StringRef(P.Bytes).take_back(4), StringRef("abc\0", 4));
  EXPECT_EQ(P.Bytes.find("abc"), P.Bytes.size() - 4);
}

TEST(Expression, KnowsEscapesInGlobs) {
  Hit H;
  auto matches = [&](const char *Glob, const char *Text) {
    H.Arguments[0] = reinterpret_cast<uint64_t>(Text);
    return valueOf("str(arg0) =~ \"" + std::string(Glob) + '"', H);
  };
  // Each backslash of the glob is two in the string.
  EXPECT_EQ(matches(R"(a\\\\*)", "a*"), 0);
  EXPECT_EQ(matches(R"(a\\*)", "a*"), 1);
  EXPECT_EQ(matches(R"(a\\*)", "ab"), 0);
  EXPECT_EQ(matches(R"(a\\?*)", "a?c"), 1);
  EXPECT_EQ(matches(R"(a\\[1])", "a[1]"), 1);
  EXPECT_EQ(matches(R"(a\\[1])", "a1"), 0);
  EXPECT_EQ(matches(R"(\\\\*)", R"(\x)"), 1);
  EXPECT_EQ(matches(R"(\\d)", "d"), 1);
  EXPECT_EQ(matches("{a}", "{a}"), 1);
}

TEST(Expression, HasStringsAsKeys) {
  Hit H;
  H.Arguments[0] = reinterpret_cast<uint64_t>("abcdef");
  Outcome O = run(asked("", "str(arg0), str(arg0, 6), (str(arg0 + 1, 2))", ""),
                  nullptr, H);
  auto Key = [](int Kind, StringRef Text) {
    return std::string(1, static_cast<char>(Kind)) +
           static_cast<char>(Text.size()) + Text.str();
  };
  EXPECT_EQ(O.Keys, (std::vector{Key(TPRT_PROGRAM_KEY_TEXT, "abcdef"),
                                 Key(TPRT_PROGRAM_KEY_TEXT, "abcdef"),
                                 Key(TPRT_PROGRAM_KEY_CUT_TEXT, "bc")}));
}

TEST(Expression, KnowsUnits) {
  EXPECT_EQ(valueOf("4K"), 4096);
  EXPECT_EQ(valueOf("1M + 1G"), (1 << 20) + (1 << 30));
  EXPECT_EQ(valueOf("2G * 2"), 4ll << 30);
  EXPECT_EQ(valueOf("5ns + 5us + 5ms + 5s"), 5005005005);
  EXPECT_EQ(valueOf("10UL + 10u + 10LL + 0x10ULL"), 46);
  EXPECT_EQ(valueOf("18446744073709551615U == -1"), 1);
}

TEST(Expression, KnowsTheHit) {
  Hit H;
  H.Result = static_cast<uint64_t>(-2);
  H.Duration = 3000;
  H.Thread = 77;
  H.Caller = 0x401000;
  H.Function = 9;
  H.ErrorNumber = 13;
  EXPECT_EQ(valueOf("result", H), -2);
  EXPECT_EQ(valueOf("result < 0", H), 1);
  EXPECT_EQ(valueOf("duration / 1us", H), 3);
  EXPECT_EQ(valueOf("duration > 2us", H), 1);
  EXPECT_EQ(valueOf("thread", H), 77);
  EXPECT_EQ(valueOf("errno == 13", H), 1);
  EXPECT_EQ(valueOf("caller == 0x401000", H), 1);
  Outcome O =
      run(asked("", "process, caller, function, thread", ""), nullptr, H);
  EXPECT_EQ(O.Keys, (std::vector{keyOf(0x401000), keyOf(9), keyOf(77)}));
}

TEST(Expression, HasStacksAsKeysAndValues) {
  Hit H;
  EXPECT_EQ(run(asked("", "stack(8), arg0, stack()", ""), nullptr, H).Keys,
            (std::vector<std::string>{"stack(8)", keyOf(H.Arguments[0]),
                                      "stack(16)"}));
  Asked A;
  A.Print = cantFail(parseList("--print", "stack(1),stack(63)"));
  EXPECT_EQ(run(A, nullptr, H).Keys,
            (std::vector<std::string>{"stack(1)", "stack(63)"}));
  Program P = programOf(asked("", "stack(64)", ""), nullptr);
  EXPECT_EQ(P.Keys[0].Kind, KeyFormat::Stack);
  EXPECT_EQ(P.Keys[0].Heading, "stack(64)");
  EXPECT_FALSE(P.AtEnd);
  EXPECT_FALSE(cantFail(parse("--by", "stack(8)")).needsTypes());
  // An argument may have the name.
  Signature S = declared("int f(long stack)");
  EXPECT_EQ(programOf(asked("", "stack", ""), &S).Keys[0].Kind,
            KeyFormat::Signed);
}

TEST(Expression, RunsAtTheEndOnlyIfItMust) {
  auto atEnd = [](StringRef If, StringRef By, StringRef Of) {
    return programOf(asked(If, By, Of), nullptr).AtEnd;
  };
  EXPECT_FALSE(atEnd("arg0", "caller, function, thread, process", "arg1"));
  EXPECT_TRUE(atEnd("result", "", ""));
  EXPECT_TRUE(atEnd("", "arg0, -duration", ""));
  EXPECT_TRUE(atEnd("", "", "0 && errno"));
  EXPECT_TRUE(cantFail(parse("--if", "1 + !duration")).needsEnd());
}

TEST(Expression, ComputesValuesToPrint) {
  Asked A;
  A.If = cantFail(parse("--if", "arg0 > 2"));
  A.Print = cantFail(parseList("--print", "arg1, arg0 * 2, 1, 2, 3, 4, 5, 6"));
  Hit H;
  H.Arguments = {3, 9};
  const Outcome O = run(A, nullptr, H);
  EXPECT_EQ(O.Keys, (std::vector{keyOf(9), keyOf(6), keyOf(1), keyOf(2),
                                 keyOf(3), keyOf(4), keyOf(5), keyOf(6)}));
  const Program P = programOf(A, nullptr);
  EXPECT_FALSE(P.AtEnd);
  ASSERT_EQ(P.Keys.size(), 8u);
  EXPECT_EQ(P.Keys[1].Heading, "arg0 * 2");
  A.Print.push_back(cantFail(parse("--print", "result")));
  EXPECT_TRUE(errorToBool(compile(A, nullptr).takeError()));
  A.Print.erase(A.Print.begin());
  EXPECT_TRUE(programOf(A, nullptr).AtEnd);
}

TEST(Expression, UsesPrototypes) {
  Hit H;
  H.Arguments = {3, 0xdead, 0xffffffffffffffff};
  H.Result = 0x5555ffffffff; // -1 as an int
  EXPECT_EQ(valueOf("fd", H, findPrototype("read")), 3);
  EXPECT_EQ(valueOf("count > 1", H, findPrototype("read")), 1);
  EXPECT_EQ(valueOf("result", H, findPrototype("close")), -1);
  EXPECT_EQ(valueOf("result == -1", H, findPrototype("close")), 1);
  EXPECT_EQ(valueOf("result == -1", H), 0);
  // arg0 stays a word without a type.
  EXPECT_EQ(valueOf("arg2 < 0", H, findPrototype("read")), 1);
}

TEST(Expression, SaysHowKeysAndValuesArePrinted) {
  Signature S = declared("bool f(char c, unsigned short h, char *p, size_t z, "
                         "bool b, int i)");
  Program P = programOf(asked("", " arg0 , c,(i),h ", ""), &S);
  ASSERT_EQ(P.Keys.size(), 4u);
  EXPECT_EQ(P.Keys[0].Kind, KeyFormat::Hex);
  EXPECT_EQ(P.Keys[0].Heading, "arg0");
  EXPECT_EQ(P.Keys[1].Kind, KeyFormat::Character);
  EXPECT_EQ(P.Keys[2].Kind, KeyFormat::Signed);
  EXPECT_EQ(P.Keys[2].Bits, 32u);
  EXPECT_EQ(P.Keys[2].Heading, "(i)");
  EXPECT_EQ(P.Keys[3].Kind, KeyFormat::Unsigned);
  EXPECT_EQ(P.Keys[3].Bits, 16u);
  auto kind = [&](StringRef Text) {
    return programOf(asked("", Text, ""), &S).Keys[0].Kind;
  };
  EXPECT_EQ(kind("arg0 + 1"), KeyFormat::Signed);
  EXPECT_EQ(kind("i ? arg0 : arg1"), KeyFormat::Hex);
  EXPECT_EQ(kind("p"), KeyFormat::Address);
  EXPECT_EQ(kind("str(p)"), KeyFormat::Text);
  EXPECT_EQ(kind("b"), KeyFormat::Bool);
  EXPECT_EQ(kind("result"), KeyFormat::Bool);
  EXPECT_EQ(kind("caller"), KeyFormat::Code);
  EXPECT_EQ(kind("function"), KeyFormat::Function);
  EXPECT_EQ(kind("func"), KeyFormat::Function);
  EXPECT_EQ(kind("sym(arg1)"), KeyFormat::Symbol);
  EXPECT_EQ(kind("process"), KeyFormat::Process);
  EXPECT_EQ(kind("thread"), KeyFormat::Thread);
  EXPECT_EQ(kind("duration"), KeyFormat::Time);
  EXPECT_EQ(kind("duration / 1ms"), KeyFormat::Unsigned);
  auto format = [](StringRef Text) {
    return programOf(asked("", "", Text), nullptr).Value;
  };
  EXPECT_EQ(format("duration"), ValueFormat::Time);
  EXPECT_EQ(format("duration - 2ms"), ValueFormat::Time);
  EXPECT_EQ(format("(duration + 2ms)"), ValueFormat::Time);
  EXPECT_EQ(format("duration * 2"), ValueFormat::Number);
  EXPECT_EQ(format("result"), ValueFormat::Number);
  Asked A = asked("", "", "duration");
  A.Histogram = true;
  tprt_program_head Head;
  memcpy(&Head, programOf(A, nullptr).Bytes.data(), sizeof Head);
  EXPECT_EQ(Head.flags, unsigned{TPRT_PROGRAM_AT_END | TPRT_PROGRAM_HISTOGRAM});
}

// Each operation costs time at each hit.
TEST(Expression, NeedsFewOperations) {
  const Signature *Malloc = findPrototype("malloc"),
                  *Close = findPrototype("close");
  auto filter = [](StringRef If, const Signature *S = nullptr) {
    return described(asked(If, "", ""), S);
  };
  StringRef Filter = "; if r0 is 0, do not count the hit";
  auto expect = [&](StringRef If, StringRef Lines,
                    const Signature *S = nullptr) {
    EXPECT_EQ(filter(If, S), (Lines + Filter).str()) << If.str();
  };
  expect("arg0 < 100", "r0 = arg0; r0 = r0 < 100");
  expect("arg0 <= 2 * 4K", "r0 = arg0; r0 = r0 <= 8192");
  expect("arg0 > 100", "r0 = arg0; r1 = 100; r0 = r1 < r0");
  expect("!(arg0 > 100)", "r0 = arg0; r0 = r0 <= 100");
  expect("100 > arg0", "r0 = arg0; r0 = r0 < 100");
  expect("size >= 4K", "r0 = arg0; r1 = 4096; r0 = r1 <= unsigned r0", Malloc);
  expect("size < 4K", "r0 = arg0; r0 = r0 < unsigned 4096", Malloc);
  expect("size", "r0 = arg0", Malloc);
  expect("size > 0", "r0 = arg0", Malloc);
  expect("size != 0", "r0 = arg0", Malloc);
  expect("!size", "r0 = arg0; r0 = r0 == 0", Malloc);
  expect("result < 0",
         "r0 = result; r0 = the lowest 32 bits of r0, signed; r0 = r0 < 0",
         Close);
  expect("duration > 2ms",
         "r0 = duration; r1 = 2000000; r0 = r1 < unsigned r0");
  expect("*(int *)(arg0 + 8) == 3",
         "r0 = arg0; r0 = 4 bytes at r0 + 8; "
         "r0 = the lowest 32 bits of r0, signed; r0 = r0 == 3");
  expect("((long *)arg0)[2]", "r0 = arg0; r0 = 8 bytes at r0 + 16");
  expect("str(arg0) =~ \"/etc/*\"", "r0 = arg0; r0 = str(r0) =~ \"/etc/*\"");
  expect("arg0 & 1", "r0 = arg0; r0 = r0 & 1");
  expect("arg0 || arg1", "r0 = arg0; if r0 is not 0, go to 3; r0 = arg1");
  EXPECT_EQ(filter("size >= 4K && size < 1M", Malloc),
            "r15 = arg0; r0 = 4096; r0 = r0 <= unsigned r15; if r0 is 0, do "
            "not count the hit; r0 = r15 < unsigned 1048576; if r0 is 0, do "
            "not count the hit");
  EXPECT_EQ(filter("1"), "");
  EXPECT_EQ(described(asked("", "thread, arg0", "result")),
            "r0 = thread; key r0; r0 = arg0; key r0; r0 = result; value r0");
  EXPECT_EQ(described(asked("", "str(arg0, 9)", "arg1 > 3 ? 0x123456789 : 0")),
            "r0 = arg0; key str(r0, 9); r0 = arg1; r0 = r0 <= 3; "
            "if r0 is not 0, go to 8; r0 = 591751049; "
            "r0 = 0x1 in the upper half; go to 9; r0 = 0; value r0");
  EXPECT_EQ(described(asked("", "process", "")), "");
}
