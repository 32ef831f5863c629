// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the interpreter of programs (programs/program.h): the result of each
// operation, and random programs.
// TP_PROGRAMS=N tries N random programs.
#include "aggregateprogram.h"
#include "programs/program_check.h"

#include <cerrno>
#include <climits>
#include <random>

namespace {

TEST_F(AggregateProgram, ConstantsAreExtended) {
  EXPECT_EQ(value({{TPRT_PROGRAM_CONSTANT, 0, 0, 0, -3}}), -3);
  EXPECT_EQ(value(load(0, 0x8123456789abcdef)),
            static_cast<int64_t>(0x8123456789abcdef));
  EXPECT_EQ(value(load(0, 0xffffffff)), 0xffffffff);
  EXPECT_EQ(value(join({load(3, 5), {{TPRT_PROGRAM_COPY, 0, 3, 0, 0}}})), 5);
}

TEST_F(AggregateProgram, OperationsCompute) {
  constexpr uint64_t kLeast = uint64_t{1} << 63, kMinus = UINT64_MAX;
  const std::vector<uint64_t> Numbers = {0,      1,  2,          7,
                                         63,     64, 0x80000000, kLeast - 1,
                                         kLeast, 3,  kMinus - 4, kMinus};
  using Wide = __int128;
  for (uint64_t A : Numbers)
    for (uint64_t B : Numbers) {
      const auto X = static_cast<int64_t>(A), Y = static_cast<int64_t>(B);
      auto is = [&](tprt_program_code Code, std::optional<uint64_t> Expected) {
        std::optional<int64_t> Signed;
        if (Expected)
          Signed = static_cast<int64_t>(*Expected);
        EXPECT_EQ(combine(Code, A, B), Signed) << Code << ' ' << A << ' ' << B;
        if (Y >= INT32_MIN && Y <= INT32_MAX) {
          EXPECT_EQ(
              value(join({load(1, A),
                          {{immediate(Code), 0, 1, 0, static_cast<int>(Y)}}})),
              Signed)
              << Code << ' ' << A << ' ' << B;
        }
      };
      auto unless0 = [&](Wide Of) -> std::optional<uint64_t> {
        return B ? std::optional<uint64_t>(static_cast<uint64_t>(Of))
                 : std::nullopt;
      };
      const Wide S = X, T = B ? Y : 1;
      is(TPRT_PROGRAM_ADD, A + B);
      is(TPRT_PROGRAM_SUBTRACT, A - B);
      is(TPRT_PROGRAM_MULTIPLY, A * B);
      is(TPRT_PROGRAM_DIVIDE, unless0(S / T));
      is(TPRT_PROGRAM_REMAINDER, unless0(S % T));
      is(TPRT_PROGRAM_DIVIDE_UNSIGNED, unless0(B ? A / B : 0));
      is(TPRT_PROGRAM_REMAINDER_UNSIGNED, unless0(B ? A % B : 0));
      is(TPRT_PROGRAM_AND, A & B);
      is(TPRT_PROGRAM_OR, A | B);
      is(TPRT_PROGRAM_XOR, A ^ B);
      is(TPRT_PROGRAM_SHIFT_LEFT, A << B % 64);
      is(TPRT_PROGRAM_SHIFT_RIGHT, static_cast<uint64_t>(X >> B % 64));
      is(TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED, A >> B % 64);
      is(TPRT_PROGRAM_EQUAL, A == B);
      is(TPRT_PROGRAM_NOT_EQUAL, A != B);
      is(TPRT_PROGRAM_LESS, X < Y);
      is(TPRT_PROGRAM_LESS_UNSIGNED, A < B);
      is(TPRT_PROGRAM_LESS_EQUAL, X <= Y);
      is(TPRT_PROGRAM_LESS_EQUAL_UNSIGNED, A <= B);
    }
}

TEST_F(AggregateProgram, NumbersAreExtended) {
  auto extend = [&](tprt_program_code Code, int32_t Bits) {
    return value(
        join({load(1, 0x123456f8'80f6f4f2), {{+Code, 0, 1, 0, Bits}}}));
  };
  EXPECT_EQ(extend(TPRT_PROGRAM_SIGN_EXTEND, 8), int8_t(0xf2));
  EXPECT_EQ(extend(TPRT_PROGRAM_SIGN_EXTEND, 16), int16_t(0xf4f2));
  EXPECT_EQ(extend(TPRT_PROGRAM_SIGN_EXTEND, 32), int32_t(0x80f6f4f2));
  EXPECT_EQ(extend(TPRT_PROGRAM_ZERO_EXTEND, 8), 0xf2);
  EXPECT_EQ(extend(TPRT_PROGRAM_ZERO_EXTEND, 16), 0xf4f2);
  EXPECT_EQ(extend(TPRT_PROGRAM_ZERO_EXTEND, 32), 0x80f6f4f2);
}

TEST_F(AggregateProgram, WhatIsKnownOfTheHit) {
  Hit.caller = 0x1234;
  *Result = {{77, 78}, {}, 2, 0};
  Hit.result = Result;
  Hit.ticks = 0;
  for (int I = 0; I < TPRT_ARGUMENT_REGISTERS; ++I)
    EXPECT_EQ(value({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, I}}), 100 + I);
  EXPECT_EQ(value({{TPRT_PROGRAM_CALLER, 0, 0, 0, 0}}), 0x1234);
  EXPECT_EQ(value({{TPRT_PROGRAM_RESULT, 0, 0, 0, 0}}), 77);
  EXPECT_EQ(value({{TPRT_PROGRAM_RESULT, 0, 0, 0, 1}}), 78);
  EXPECT_EQ(value({{TPRT_PROGRAM_DURATION, 0, 0, 0, 0}}), 0);
  EXPECT_EQ(value({{TPRT_PROGRAM_THREAD, 0, 0, 0, 0}}), gettid());
  Hit.ticks = 1'000'000;
  tprt_ticks_to_ns(0);
  const auto Nanoseconds = static_cast<double>(tprt_ticks_to_ns(Hit.ticks));
  EXPECT_NEAR(*value({{TPRT_PROGRAM_DURATION, 0, 0, 0, 0}}), Nanoseconds,
              Nanoseconds / 100);
  Result->knownIntegers = 1;
  EXPECT_EQ(value({{TPRT_PROGRAM_RESULT, 0, 0, 0, 0}}), 77);
  EXPECT_EQ(value({{TPRT_PROGRAM_RESULT, 0, 0, 0, 1}}), std::nullopt);
  Hit.result = nullptr;
  EXPECT_EQ(value({{TPRT_PROGRAM_RESULT, 0, 0, 0, 0}}), std::nullopt);
  ASSERT_TRUE(reserveSites());
  Hit.entry = sites + 9;
  EXPECT_EQ(value({{TPRT_PROGRAM_FUNCTION, 0, 0, 0, 0}}), 9);
}

TEST_F(AggregateProgram, OnlyTheFunctionsArgumentsAreKnown) {
  auto isKnown = [&](unsigned Live, int Number) {
    Entry.traits = traitsOf(Live);
    return value({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, Number}}).has_value();
  };
  constexpr int kLast = TPRT_ARGUMENT_REGISTERS - 1;
  EXPECT_TRUE(isKnown(TPRT_LIVE_ONE, 0));
  EXPECT_FALSE(isKnown(TPRT_LIVE_ONE, 1));
  EXPECT_TRUE(isKnown(TPRT_LIVE_THREE, 2));
  EXPECT_FALSE(isKnown(TPRT_LIVE_THREE, 3));
  EXPECT_TRUE(isKnown(TPRT_LIVE_ARGUMENTS, kLast));
  EXPECT_TRUE(isKnown(TPRT_LIVE_ALL, kLast));
}

TEST_F(AggregateProgram, ErrorIsTheProgramsOwn) {
  errno = ENOTTY;
  const Operation Error = {TPRT_PROGRAM_ERROR, 0, 0, 0, 0};
  // A call that was left, or that has jumped to another function, has none.
  EXPECT_EQ(value({Error}), std::nullopt);
  Hit.result = Result;
  EXPECT_EQ(value({Error}), ENOTTY);
  // A read that fails before does not change it.
  EXPECT_EQ(value(join({load(1, uint64_t{8}),
                        {{TPRT_PROGRAM_LOAD, 2, 1, 8, 0}, Error}})),
            ENOTTY);
  EXPECT_EQ(errno, ENOTTY);
}

TEST_F(AggregateProgram, LoadsReadNumbers) {
  const uint64_t Word = 0xf8f7f6f5f4f3f2f1;
  auto read = [&](unsigned Bytes, int32_t Offset) {
    return value(join(
        {load(1, &Word),
         {{TPRT_PROGRAM_LOAD, 0, 1, static_cast<uint8_t>(Bytes), Offset}}}));
  };
  EXPECT_EQ(read(1, 0), 0xf1);
  EXPECT_EQ(read(1, 7), 0xf8);
  EXPECT_EQ(read(2, 2), 0xf4f3);
  EXPECT_EQ(read(4, 4), 0xf8f7f6f5);
  EXPECT_EQ(read(8, 0), static_cast<int64_t>(Word));
  const auto *After = &Word + 1;
  EXPECT_EQ(value(join({load(1, After), {{TPRT_PROGRAM_LOAD, 0, 1, 8, -8}}})),
            static_cast<int64_t>(Word));
}

TEST_F(AggregateProgram, LoadsOfUnmappedMemoryAreUnknown) {
  Guarded Page(1);
  Page.unmapNext();
  for (uint64_t Address :
       {uint64_t{0}, uint64_t{8}, UINT64_MAX, UINT64_MAX - 7, uint64_t{1} << 63,
        reinterpret_cast<uint64_t>(Page.last(0)),
        reinterpret_cast<uint64_t>(Page.last(7))})
    EXPECT_EQ(
        value(join({load(1, Address), {{TPRT_PROGRAM_LOAD, 0, 1, 8, 0}}})),
        std::nullopt)
        << Address;
  EXPECT_EQ(
      value(join({load(1, Page.last(8)), {{TPRT_PROGRAM_LOAD, 0, 1, 8, 0}}})),
      0);
}

TEST_F(AggregateProgram, WhatComesFromUnknownValuesIsUnknown) {
  // Register 1 is unknown, and register 2 is known.
  const Operations Begin = join(
      {load(1, uint64_t{0}),
       {{TPRT_PROGRAM_LOAD, 1, 1, 8, 0}, {TPRT_PROGRAM_CONSTANT, 2, 0, 0, 1}}});
  auto after = [&](Operations Rest) { return value(join({Begin, Rest})); };
  for (unsigned Code = TPRT_PROGRAM_ADD;
       Code <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED; ++Code) {
    const auto Plain = static_cast<uint8_t>(Code);
    const uint8_t Immediate = Plain | TPRT_PROGRAM_IMMEDIATE;
    EXPECT_EQ(after({{Plain, 0, 1, 2, 0}}), std::nullopt);
    EXPECT_EQ(after({{Plain, 0, 2, 1, 0}}), std::nullopt);
    EXPECT_EQ(after({{Immediate, 0, 1, 0, 1}}), std::nullopt);
    EXPECT_NE(after({{Plain, 0, 2, 2, 0}}), std::nullopt);
    EXPECT_NE(after({{Immediate, 0, 2, 1, 1}}), std::nullopt);
  }
  for (auto Code : {TPRT_PROGRAM_COPY, TPRT_PROGRAM_SIGN_EXTEND,
                    TPRT_PROGRAM_ZERO_EXTEND}) {
    EXPECT_EQ(after({{+Code, 0, 1, 0, 8}}), std::nullopt);
    EXPECT_EQ(after({{+Code, 0, 2, 0, 8}}), 1);
  }
  for (unsigned Code = TPRT_PROGRAM_FLOAT_ADD;
       Code <= TPRT_PROGRAM_FLOAT_LESS_EQUAL; ++Code) {
    const auto Plain = static_cast<uint8_t>(Code);
    EXPECT_EQ(after({{Plain, 0, 1, 2, 0}}), std::nullopt);
    EXPECT_EQ(after({{Plain, 0, 2, 1, 0}}), std::nullopt);
    EXPECT_NE(after({{Plain, 0, 2, 2, 0}}), std::nullopt);
  }
  for (unsigned Code = TPRT_PROGRAM_FLOAT_FROM_SIGNED;
       Code <= TPRT_PROGRAM_FLOAT_TO_SINGLE; ++Code) {
    const auto Plain = static_cast<uint8_t>(Code);
    EXPECT_EQ(after({{Plain, 0, 1, 0, 0}}), std::nullopt);
    EXPECT_NE(after({{Plain, 0, 2, 0, 0}}), std::nullopt);
  }
  EXPECT_EQ(after({{TPRT_PROGRAM_LOAD, 0, 1, 8, 0}}), std::nullopt);
  EXPECT_EQ(after({{TPRT_PROGRAM_CONSTANT_HIGH, 1, 0, 0, 1},
                   {TPRT_PROGRAM_COPY, 0, 1, 0, 0}}),
            std::nullopt);
  // A register that is set anew is known again.
  EXPECT_EQ(after({{TPRT_PROGRAM_CONSTANT, 1, 0, 0, 4},
                   {TPRT_PROGRAM_COPY, 0, 1, 0, 0}}),
            4);
  EXPECT_EQ(
      after({{TPRT_PROGRAM_COPY, 1, 2, 0, 0}, {TPRT_PROGRAM_COPY, 0, 1, 0, 0}}),
      1);
  for (auto Code : {TPRT_PROGRAM_FILTER, TPRT_PROGRAM_JUMP_IF_ZERO,
                    TPRT_PROGRAM_JUMP_IF_NOT_ZERO}) {
    EXPECT_EQ(run(source(join({Begin, {{+Code, 0, 1, 0, 0}}}))).How,
              Outcome::Unread);
    EXPECT_NE(run(source(join({Begin, {{+Code, 0, 2, 0, 0}}}))).How,
              Outcome::Unread);
  }
  const Ran Key = run(source(join({Begin,
                                   {{TPRT_PROGRAM_KEY, 0, 1, 0, 0},
                                    {TPRT_PROGRAM_KEY_STRING, 0, 1, 0, 5},
                                    {TPRT_PROGRAM_KEY, 0, 2, 0, 0}}})));
  EXPECT_EQ(Key.Keys, (std::vector<uint64_t>{0, 0, 1, 1}));
}

TEST_F(AggregateProgram, FiltersEndThePrograms) {
  auto filter = [&](int Number) {
    return run(source({{TPRT_PROGRAM_CONSTANT, 0, 0, 0, Number},
                       {TPRT_PROGRAM_FILTER, 0, 0, 0, 0}}))
        .How;
  };
  EXPECT_EQ(filter(0), Outcome::Filtered);
  EXPECT_EQ(filter(1), Outcome::Counts);
  EXPECT_EQ(filter(-1), Outcome::Counts);
  // The first filter that is not fulfilled decides.
  EXPECT_EQ(run(source(join({load(1, uint64_t{0}),
                             {{TPRT_PROGRAM_FILTER, 0, 1, 0, 0},
                              {TPRT_PROGRAM_LOAD, 0, 1, 8, 0},
                              {TPRT_PROGRAM_FILTER, 0, 0, 0, 0}}})))
                .How,
            Outcome::Filtered);
}

TEST_F(AggregateProgram, JumpsSkip) {
  auto jump = [&](tprt_program_code Code, int Condition) {
    return value({{TPRT_PROGRAM_CONSTANT, 1, 0, 0, Condition},
                  {TPRT_PROGRAM_CONSTANT, 0, 0, 0, 10},
                  {+Code, 0, 1, 0, 2},
                  {immediate(TPRT_PROGRAM_ADD), 0, 0, 0, 1},
                  {immediate(TPRT_PROGRAM_ADD), 0, 0, 0, 2},
                  {immediate(TPRT_PROGRAM_ADD), 0, 0, 0, 4}});
  };
  EXPECT_EQ(jump(TPRT_PROGRAM_JUMP_IF_ZERO, 0), 14);
  EXPECT_EQ(jump(TPRT_PROGRAM_JUMP_IF_ZERO, 5), 17);
  EXPECT_EQ(jump(TPRT_PROGRAM_JUMP_IF_NOT_ZERO, 0), 17);
  EXPECT_EQ(jump(TPRT_PROGRAM_JUMP_IF_NOT_ZERO, 5), 14);
  // A jump to the end, and one to the next operation.
  EXPECT_EQ(run(source({{TPRT_PROGRAM_JUMP, 0, 0, 0, 0}})).Value, 1);
  EXPECT_EQ(value({kSet0, {TPRT_PROGRAM_JUMP, 0, 0, 0, 0}}), 7);
}

TEST_F(AggregateProgram, ValuesAreOneIfThereIsNone) {
  const Ran Out = run(source({}));
  EXPECT_EQ(Out.How, Outcome::Counts);
  EXPECT_EQ(Out.Value, 1);
  EXPECT_TRUE(Out.Keys.empty());
}

class Chance {
public:
  explicit Chance(uint64_t Seed) : From(Seed) {}
  uint64_t below(uint64_t Most) { return From() % Most; }
  bool in(uint64_t Most) { return !below(Most); }
  uint64_t word() { return From(); }

private:
  std::mt19937_64 From;
};

constexpr uint8_t kCodes[] = {
    1,  2,  3,  8,  9,  10,  11,  12,  13,  14,  16,  17,  18,  19, 20,
    21, 22, 23, 24, 25, 26,  27,  28,  29,  30,  31,  32,  33,  34, 40,
    41, 48, 49, 50, 51, 70,  56,  57,  58,  64,  65,  66,  67,  15, 90,
    91, 96, 97, 98, 99, 100, 101, 102, 104, 105, 106, 107, 108, 109};

// An operation that is likely to be right, at a place after which `Rest`
// operations follow.
Operation likely(Chance &By, uint64_t Rest) {
  Operation Out = {
      kCodes[By.below(sizeof kCodes)], static_cast<uint8_t>(By.below(4)),
      static_cast<uint8_t>(By.below(4)), static_cast<uint8_t>(By.below(4)),
      static_cast<int32_t>(By.below(128))};
  // Few of them, as their number is bounded, and jumps pass none.
  if (Out.code >= TPRT_PROGRAM_LOAD && Out.code <= TPRT_PROGRAM_VALUE &&
      !By.in(8))
    Out.code = TPRT_PROGRAM_ADD;
  if (Out.code >= TPRT_PROGRAM_ADD &&
      Out.code <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED && By.in(2))
    Out.code |= TPRT_PROGRAM_IMMEDIATE;
  if (Out.code == TPRT_PROGRAM_ARGUMENT)
    Out.number = static_cast<int32_t>(By.below(TPRT_ARGUMENT_REGISTERS));
  if (Out.code == TPRT_PROGRAM_RESULT || Out.code == TPRT_PROGRAM_FLOAT_RESULT)
    Out.number = static_cast<int32_t>(By.below(kResultVectors));
  if (Out.code == TPRT_PROGRAM_STACK_ARGUMENT ||
      Out.code == TPRT_PROGRAM_FLOAT_ARGUMENT)
    Out.number = static_cast<int32_t>(By.below(kStackWords));
  if (Out.code == TPRT_PROGRAM_SIGN_EXTEND ||
      Out.code == TPRT_PROGRAM_ZERO_EXTEND)
    Out.number = 8 << By.below(3);
  if (Out.code == TPRT_PROGRAM_LOAD)
    Out.b = static_cast<uint8_t>(1 << By.below(4));
  if (Out.code >= TPRT_PROGRAM_JUMP &&
      Out.code <= TPRT_PROGRAM_JUMP_IF_NOT_ZERO)
    Out.number = static_cast<int32_t>(By.below(Rest + 1));
  return Out;
}

Source randomProgram(Chance &By) {
  Source Out;
  Out.Flags = static_cast<uint32_t>(By.below(8));
  const uint64_t Count = By.in(50) ? By.below(257) : By.below(12);
  if (By.in(4)) {
    Out.Flags |= TPRT_PROGRAM_KEEPS | TPRT_PROGRAM_AT_END;
    Out.Code.push_back({TPRT_PROGRAM_CONSTANT, 0, 0, 0, 4});
    if (By.in(2))
      Out.Code.push_back(likely(By, 1));
    Out.Code.push_back(
        {TPRT_PROGRAM_KEEP, 0, 0, 0, static_cast<int32_t>(By.below(5))});
    Out.Code.push_back({TPRT_PROGRAM_KEPT, static_cast<uint8_t>(By.below(4)), 0,
                        0, Out.Code.back().number});
  }
  for (uint64_t I = 0; I < 4 && Count; ++I)
    Out.Code.push_back({TPRT_PROGRAM_CONSTANT, static_cast<uint8_t>(I), 0, 0,
                        static_cast<int32_t>(By.word())});
  for (uint64_t I = 0; I < Count; ++I)
    Out.Code.push_back(likely(By, Count - I - 1));
  const uint64_t Text = By.below(64);
  for (uint64_t I = 0; I < Text; ++I)
    Out.Text += "*?[a-]\0x"[By.below(8)];
  if (By.in(2))
    Out.Text += '\0';
  Out.Keys = By.in(20) ? static_cast<uint32_t>(By.below(6)) : keysOf(Out.Code);
  // Change some bytes.
  auto *Bytes = reinterpret_cast<uint8_t *>(Out.Code.data());
  if (const size_t All = Out.Code.size() * sizeof(Operation); All && By.in(2))
    for (uint64_t I = By.below(4); I; --I)
      Bytes[By.below(All)] = static_cast<uint8_t>(By.word());
  if (By.in(20)) // or all
    for (size_t I = 0; I < Out.Code.size() * sizeof(Operation); ++I)
      Bytes[I] = static_cast<uint8_t>(By.word());
  return Out;
}

TEST_F(AggregateProgram, RandomProgramsEndAndStayInside) {
  const char *Asked = getenv("TP_PROGRAMS");
#ifdef __aarch64__ // under an emulator
  uint64_t Count = 20'000;
#else
  uint64_t Count = 200'000;
#endif
  Count = Asked ? strtoull(Asked, nullptr, 10) : Count;
  Chance By(20261130);
  Hit.result = Result;
  uint64_t Accepted = 0, Counted = 0, Kept = 0;
  for (uint64_t I = 0; I < Count; ++I) {
    const Source From = randomProgram(By);
    Program *Of = place(From);
    if (!bytesOfProgram({Of->operations, Of->textBytes, Of->flags, Of->keys}) ||
        programFault(*Of) || !(Of->places & kAtFunction))
      continue;
    ++Accepted;
    for (uint64_t &Each : Others->vectors)
      Each = By.word();
    Others->knownVectors = static_cast<uint8_t>(By.below(kVectorArguments + 1));
    Others->knownWords = static_cast<uint8_t>(By.below(kStackWords + 1));
    Result->knownVectors = static_cast<uint8_t>(By.below(kResultVectors + 1));
    Entry.traits = traitsOf(static_cast<unsigned>(By.below(4)));
    Others->knownKept = 0;
    if (Of->keeps()) {
      Hit.keepIn = Others;
      EXPECT_TRUE(run(*Of).Keys.empty());
      Hit.keepIn = nullptr;
      Kept += Others->knownKept != 0;
    }
    Counted += run(*Of).How == Outcome::Counts;
  }
  // Most programs break a rule, but many do not.
  EXPECT_GT(Accepted, Count / 50);
  EXPECT_GT(Counted, Count / 100);
  EXPECT_GT(Kept, Count / 1000);
}

} // namespace
