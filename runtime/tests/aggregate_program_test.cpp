// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the check of programs and their interpreter (programs/program.h): each
// rule, the result of each operation, and random programs.
// TP_PROGRAMS=N tries N random programs.
#include "aggregateprogram.h"

#include <cerrno>
#include <climits>
#include <random>

namespace {

constexpr Operation kSet0 = {TPRT_PROGRAM_CONSTANT, 0, 0, 0, 7};
constexpr Operation kKey0 = {TPRT_PROGRAM_KEY, 0, 0, 0, 0};
constexpr Operation kValue0 = {TPRT_PROGRAM_VALUE, 0, 0, 0, 0};

// --- the check ---------------------------------------------------------------

TEST_F(AggregateProgram, HeadsHaveBounds) {
  const tprt_program_head Most = {TPRT_PROGRAM_MOST_OPERATIONS,
                                  TPRT_PROGRAM_MOST_TEXT, 3,
                                  TPRT_PROGRAM_MOST_VALUES};
  EXPECT_EQ(bytesOfProgram(Most),
            sizeof(Program) + 256 * sizeof(Operation) + 1024);
  EXPECT_EQ(bytesOfProgram({0, 0, 0, 0}), sizeof(Program));
  auto More = Most;
  ++More.operations;
  EXPECT_EQ(bytesOfProgram(More), 0u);
  More = Most;
  ++More.text_bytes;
  EXPECT_EQ(bytesOfProgram(More), 0u);
  More = Most;
  More.flags = 8;
  EXPECT_EQ(bytesOfProgram(More), 0u);
  More.flags = TPRT_PROGRAM_AT_END | TPRT_PROGRAM_FLOAT_VALUE;
  EXPECT_EQ(bytesOfProgram(More), bytesOfProgram(Most));
  More.flags |= TPRT_PROGRAM_HISTOGRAM;
  EXPECT_EQ(bytesOfProgram(More), 0u);
  More = Most;
  ++More.keys;
  EXPECT_EQ(bytesOfProgram(More), 0u);
  More = {UINT32_MAX, UINT32_MAX, 0, 0};
  EXPECT_EQ(bytesOfProgram(More), 0u);
}

TEST_F(AggregateProgram, OnlyKnownOperationsAreTaken) {
  const std::string Unknown =
      "this libtprt does not know one of the operations";
  EXPECT_EQ(fault(Operations{}), "");
  for (unsigned Code = 0; Code < 256; ++Code) {
    // These need flags (aggregate_pairs_test.cpp).
    if (Code == TPRT_PROGRAM_PAIR_START || Code == TPRT_PROGRAM_PAIR_END)
      continue;
    if (Code == TPRT_PROGRAM_KEEP || Code == TPRT_PROGRAM_KEPT)
      continue; // ValuesAreKeptFromEntries
    // Registers that are set, and numbers and a text that each operation takes.
    Source Each =
        source({kSet0, {static_cast<uint8_t>(Code), 0, 0, 1, 0}}, "x", 1);
    Operation &Last = Each.Code.back();
    if (Code == TPRT_PROGRAM_SIGN_EXTEND || Code == TPRT_PROGRAM_ZERO_EXTEND)
      Last.number = 8;
    if (Code == TPRT_PROGRAM_KEY_STRING || Code == TPRT_PROGRAM_KEY_STACK ||
        Code == TPRT_PROGRAM_KEY_BYTES)
      Last.number = 1;
    const unsigned Plain = Code & 0x7f;
    const bool Combines =
        Plain >= TPRT_PROGRAM_ADD && Plain <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED;
    if (Combines || (Code >= 96 && Code <= 102))
      Last.b = 0;
    if (Code == TPRT_PROGRAM_BOUND)
      Each.Code.push_back({TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 1});
    if (Code == TPRT_PROGRAM_KEY_BYTES)
      Each.Code.insert(Each.Code.end() - 1, {TPRT_PROGRAM_BOUND, 0, 0, 0, 0});
    Each.Keys = keysOf(Each.Code);
    const bool Known =
        Combines || (Code >= 1 && Code <= 3) || Code == 6 || Code == 7 ||
        (Code >= 8 && Code <= 15) || Code == 40 || Code == 41 ||
        (Code >= 48 && Code <= 51) || (Code >= 56 && Code <= 58) ||
        (Code >= 64 && Code <= 70) || Code == 90 || Code == 91 ||
        (Code >= 96 && Code <= 102) || (Code >= 104 && Code <= 109);
    // These run at other hits than calls.
    const bool IsOfOthers = Code == 120 || Code == 122;
    if (IsOfOthers) {
      EXPECT_NE(fault(Each), Unknown);
      continue;
    }
    EXPECT_EQ(fault(Each), Known ? "" : Unknown) << Code;
    if (Known) {
      run(Each);
    }
  }
}

TEST_F(AggregateProgram, RegistersHaveABound) {
  const std::string None = "there is no register of that number";
  EXPECT_EQ(fault({{TPRT_PROGRAM_CONSTANT, 15, 0, 0, 0}}), "");
  EXPECT_EQ(fault({{TPRT_PROGRAM_CONSTANT, 16, 0, 0, 0}}), None);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_COPY, 16, 0, 0, 0}}), None);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_COPY, 1, 16, 0, 0}}), None);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_ADD, 1, 0, 16, 0}}), None);
  EXPECT_EQ(fault({kSet0, {immediate(TPRT_PROGRAM_ADD), 1, 0, 16, 0}}), "");
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_FLOAT_ADD, 1, 0, 16, 0}}), None);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_FLOAT_TO_SINGLE, 16, 0, 0, 0}}), None);
  EXPECT_EQ(fault({{TPRT_PROGRAM_FLOAT_ARGUMENT, 16, 0, 0, 0}}), None);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_KEY, 0, 255, 0, 0}}), None);
  EXPECT_NE(fault({kSet0, {TPRT_PROGRAM_CONSTANT_HIGH, 16, 0, 0, 0}}), "");
}

TEST_F(AggregateProgram, RegistersAreSetBeforeTheyAreRead) {
  const std::string Unset = "a register is read before it is set";
  EXPECT_EQ(fault({{TPRT_PROGRAM_COPY, 1, 0, 0, 0}}), Unset);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_COPY, 1, 0, 0, 0}}), "");
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_ADD, 1, 0, 2, 0}}), Unset);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_ADD, 1, 0, 0, 0}}), "");
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_FLOAT_ADD, 1, 0, 2, 0}}), Unset);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_FLOAT_LESS, 1, 2, 0, 0}}), Unset);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_FLOAT_TO_SIGNED, 1, 2, 0, 0}}), Unset);
  EXPECT_EQ(fault({{TPRT_PROGRAM_CONSTANT_HIGH, 0, 0, 0, 1}}), Unset);
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_CONSTANT_HIGH, 0, 0, 0, 1}}), "");
  for (auto Code :
       {TPRT_PROGRAM_FILTER, TPRT_PROGRAM_KEY, TPRT_PROGRAM_VALUE,
        TPRT_PROGRAM_LOAD, TPRT_PROGRAM_SIGN_EXTEND, TPRT_PROGRAM_JUMP_IF_ZERO})
    EXPECT_EQ(fault({{+Code, 0, 0, 0, 0}}), Unset);
}

TEST_F(AggregateProgram, RegistersAreSetOnEachWay) {
  const std::string Unset = "a register is read before it is set";
  const Operation Set1 = {TPRT_PROGRAM_CONSTANT, 1, 0, 0, 1};
  const Operation Read1 = {TPRT_PROGRAM_COPY, 2, 1, 0, 0};
  auto skip = [](tprt_program_code Code, int32_t Count) {
    return Operation{+Code, 0, 0, 0, Count};
  };
  // The jump may pass the operation that sets the register.
  EXPECT_EQ(fault({kSet0, skip(TPRT_PROGRAM_JUMP_IF_ZERO, 1), Set1, Read1}),
            Unset);
  EXPECT_EQ(fault({kSet0, skip(TPRT_PROGRAM_JUMP_IF_ZERO, 2), Set1, Read1}),
            "");
  // Both ways set it.
  EXPECT_EQ(fault({kSet0, skip(TPRT_PROGRAM_JUMP_IF_NOT_ZERO, 2), Set1,
                   skip(TPRT_PROGRAM_JUMP, 1), Set1, Read1}),
            "");
  // Only the way that ends with the jump sets it.
  EXPECT_EQ(fault({kSet0, skip(TPRT_PROGRAM_JUMP_IF_NOT_ZERO, 2), Set1,
                   skip(TPRT_PROGRAM_JUMP, 1), kSet0, Read1}),
            Unset);
  // Two jumps to one place.
  EXPECT_EQ(fault({kSet0, skip(TPRT_PROGRAM_JUMP_IF_ZERO, 2), Set1,
                   skip(TPRT_PROGRAM_JUMP_IF_ZERO, 0), Read1}),
            Unset);
}

TEST_F(AggregateProgram, JumpsLeadForwardAndStayInside) {
  const std::string Out = "a jump leads backward or out of the program";
  for (auto Code : {TPRT_PROGRAM_JUMP, TPRT_PROGRAM_JUMP_IF_ZERO,
                    TPRT_PROGRAM_JUMP_IF_NOT_ZERO}) {
    EXPECT_EQ(fault({kSet0, {+Code, 0, 0, 0, 0}}), "");
    EXPECT_EQ(fault({kSet0, {+Code, 0, 0, 0, 1}}), Out);
    EXPECT_EQ(fault({kSet0, {+Code, 0, 0, 0, -1}}), Out);
    EXPECT_EQ(fault({kSet0, {+Code, 0, 0, 0, INT32_MAX}}), Out);
    EXPECT_EQ(fault({kSet0, {+Code, 0, 0, 0, INT32_MIN}}), Out);
  }
  EXPECT_EQ(fault({{TPRT_PROGRAM_JUMP, 0, 0, 0, 1}, kSet0}),
            "an operation can never run");
  EXPECT_EQ(fault({{TPRT_PROGRAM_JUMP, 0, 0, 0, 0}, kSet0}), "");
}

TEST_F(AggregateProgram, JumpsPassNoKeyNoValueAndNoFilter) {
  const std::string Passed =
      "a jump leads past a key, a value, a filter or a stop";
  for (auto Code :
       {TPRT_PROGRAM_KEY, TPRT_PROGRAM_KEY_STRING, TPRT_PROGRAM_VALUE,
        TPRT_PROGRAM_FILTER, TPRT_PROGRAM_STOP_IF}) {
    const Operation Each = {+Code, 0, 0, 0, 1};
    const Operation Jump = {TPRT_PROGRAM_JUMP_IF_ZERO, 0, 0, 0, 1};
    EXPECT_EQ(fault({kSet0, Jump, Each}), Passed);
    EXPECT_EQ(fault({kSet0, Jump, kSet0, Each}), "");
  }
}

TEST_F(AggregateProgram, KeysValuesAndReadsHaveABound) {
  EXPECT_EQ(fault({kSet0, kValue0}), "");
  EXPECT_EQ(fault({kSet0, kValue0, kValue0}), "a program has two values");
  Source Keys = source({kSet0, kKey0, kKey0, kKey0, kKey0});
  EXPECT_EQ(fault(Keys), "");
  Keys.Keys = 3;
  EXPECT_EQ(fault(Keys),
            "a program has another number of keys than its head states");
  const Operation Load = {TPRT_PROGRAM_LOAD, 1, 0, 8, 0};
  const Operation Match = {TPRT_PROGRAM_MATCH, 1, 0, 0, 0};
  const Operation Text = {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 1};
  Operations Reads = {kSet0, Load, Load, Load, Match, Match, Match, Text, Text};
  EXPECT_EQ(fault(source(Reads, "x")), "");
  for (const Operation &Each : {Load, Match, Text}) {
    Operations More = Reads;
    More.push_back(Each);
    EXPECT_EQ(fault(source(More, "x")),
              "a program reads memory more than 8 times");
  }
}

TEST_F(AggregateProgram, ValuesAreKeptFromEntries) {
  constexpr uint32_t Flags = TPRT_PROGRAM_AT_END | TPRT_PROGRAM_KEEPS;
  const Operation Keep = {TPRT_PROGRAM_KEEP, 0, 0, 0, 3},
                  Kept = {TPRT_PROGRAM_KEPT, 0, 0, 0, 3},
                  Skip = {TPRT_PROGRAM_JUMP_IF_ZERO, 0, 0, 0, 1},
                  Error = {TPRT_PROGRAM_ERROR, 0, 0, 0, 0};
  auto faultOf = [&](Operations Code) {
    return fault(source(Code, "", Flags));
  };
  EXPECT_EQ(bytesOfProgram({0, 0, TPRT_PROGRAM_KEEPS, 0}), 0u);
  EXPECT_NE(bytesOfProgram({0, 0, Flags, 0}), 0u);
  EXPECT_EQ(faultOf({kSet0, Keep, Kept, kKey0}), "");
  EXPECT_EQ(faultOf({kSet0, Skip, Keep, Kept, kKey0}), "");
  const std::string Head =
      "a program keeps values, and its head does not state "
      "it, or the reverse";
  EXPECT_EQ(fault({kSet0, Keep}), Head);
  EXPECT_EQ(faultOf({kSet0, kKey0}), Head);
  EXPECT_EQ(faultOf({kSet0, Keep, kKey0}),
            "a register is read before it is set");
  for (int32_t Number : {INT32_MIN, -1, 4, INT32_MAX})
    EXPECT_EQ(faultOf({kSet0, {TPRT_PROGRAM_KEEP, 0, 0, 0, Number}}),
              "a program can keep 4 values");
  for (int32_t Number : {INT32_MIN, -1, 0, 4, INT32_MAX})
    EXPECT_EQ(faultOf({kSet0, Keep, {TPRT_PROGRAM_KEPT, 0, 0, 0, Number}}),
              "a program reads a value that it does not keep");
  EXPECT_EQ(faultOf({kSet0, kKey0, Keep}),
            "a key, a value or a filter is before what is kept");
  for (auto Code :
       {TPRT_PROGRAM_RESULT, TPRT_PROGRAM_FLOAT_RESULT, TPRT_PROGRAM_DURATION,
        TPRT_PROGRAM_ERROR, TPRT_PROGRAM_KEPT})
    EXPECT_EQ(faultOf({{+Code, 0, 0, 0, 0}, Keep}),
              "what is known at the end is read at the entry");
  EXPECT_EQ(faultOf({kSet0, Keep, Error, kKey0}), "");
  EXPECT_EQ(
      faultOf(
          {kSet0, {TPRT_PROGRAM_JUMP_IF_ZERO, 0, 0, 0, 2}, Keep, kSet0, kKey0}),
      "a jump leads backward or out of the program");

  // The two parts run apart.
  auto kept = [&](Operations Before) {
    const Source From =
        source(join({Before, {Keep, Kept, kValue0}}), "", Flags);
    Program *Of = place(From);
    EXPECT_EQ(programFault(*Of), nullptr); // finds the parts
    EXPECT_FALSE(run(*Of).Value);
    Hit.keepIn = Others;
    EXPECT_TRUE(run(*Of).Keys.empty());
    Hit.keepIn = nullptr;
    const auto Value = run(*Of).Value;
    Others->knownKept = 0;
    return Value;
  };
  Others->knownKept = 0;
  EXPECT_EQ(kept({{TPRT_PROGRAM_CONSTANT, 0, 0, 0, 77}}), 77);
  EXPECT_EQ(kept({{TPRT_PROGRAM_CONSTANT, 0, 0, 0, 0}, Skip}), std::nullopt);
  EXPECT_EQ(kept({{TPRT_PROGRAM_CONSTANT, 0, 0, 0, 0},
                  {TPRT_PROGRAM_LOAD, 0, 0, 8, 0}}),
            std::nullopt);
}

TEST_F(AggregateProgram, NumbersAreChecked) {
  const std::string Argument = "there is no argument register of that number";
  EXPECT_EQ(
      fault({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, TPRT_ARGUMENT_REGISTERS - 1}}),
      "");
  EXPECT_EQ(fault({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, TPRT_ARGUMENT_REGISTERS}}),
            Argument);
  EXPECT_EQ(fault({{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, -1}}), Argument);
  for (auto Code : {TPRT_PROGRAM_RESULT, TPRT_PROGRAM_FLOAT_RESULT,
                    TPRT_PROGRAM_DURATION}) {
    EXPECT_EQ(fault({{+Code, 0, 0, 0, 0}}),
              "a program at entries has no result and no duration");
    EXPECT_EQ(fault(source({{+Code, 0, 0, 0, 0}}, "", TPRT_PROGRAM_AT_END)),
              "");
  }
  for (int32_t Number : {INT32_MIN, -256, -1, 0, 1, 2, 3, 4, 7, 8, 256}) {
    auto at = [&](tprt_program_code Code) {
      return fault(source({{+Code, 0, 0, 0, Number}}, "", TPRT_PROGRAM_AT_END));
    };
    auto isBelow = [&](unsigned Most) {
      return Number >= 0 && Number < static_cast<int32_t>(Most);
    };
    const std::string NoResult = "there is no result register of that number";
    EXPECT_EQ(at(TPRT_PROGRAM_RESULT), isBelow(2) ? "" : NoResult);
    EXPECT_EQ(at(TPRT_PROGRAM_FLOAT_RESULT),
              isBelow(kResultVectors) ? "" : NoResult);
    EXPECT_EQ(at(TPRT_PROGRAM_FLOAT_ARGUMENT),
              isBelow(8) ? ""
                         : "there is no vector argument register of that "
                           "number");
    EXPECT_EQ(at(TPRT_PROGRAM_STACK_ARGUMENT),
              isBelow(8) ? ""
                         : "a program can read the first 8 words of arguments "
                           "in memory");
  }
  for (int32_t Bits = -64; Bits <= 64; ++Bits)
    for (auto Code : {TPRT_PROGRAM_SIGN_EXTEND, TPRT_PROGRAM_ZERO_EXTEND})
      EXPECT_EQ(fault({kSet0, {+Code, 0, 0, 0, Bits}}),
                Bits == 8 || Bits == 16 || Bits == 32
                    ? ""
                    : "a number cannot be extended from that many bits");
  for (unsigned Bytes = 0; Bytes < 256; ++Bytes)
    EXPECT_EQ(
        fault(
            {kSet0, {TPRT_PROGRAM_LOAD, 0, 0, static_cast<uint8_t>(Bytes), 0}}),
        Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8
            ? ""
            : "a load has a wrong number of bytes");
  for (int32_t Bytes : {INT32_MIN, -1, 0, 1, 128, 129, INT32_MAX})
    EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, Bytes}}),
              Bytes == 1 || Bytes == 128
                  ? ""
                  : "a string has a wrong number of bytes");
}

TEST_F(AggregateProgram, StacksHaveSoManyFrames) {
  auto stack = [](int32_t Frames) {
    return Operation{TPRT_PROGRAM_KEY_STACK, 0, 0, 0, Frames};
  };
  for (int32_t Frames : {INT32_MIN, -1, 0, 1, 64, 65, INT32_MAX})
    EXPECT_EQ(fault({stack(Frames)}),
              Frames == 1 || Frames == 64
                  ? ""
                  : "a stack has a wrong number of frames");
  EXPECT_EQ(fault({stack(32), stack(32)}), "");
  EXPECT_EQ(fault({stack(32), stack(33)}),
            "the stacks of a program have more than 64 frames");
  EXPECT_EQ(fault({kSet0, {TPRT_PROGRAM_JUMP_IF_ZERO, 0, 0, 0, 1}, stack(1)}),
            "a jump leads past a key, a value, a filter or a stop");
  Program *Of = place(source({stack(1), stack(2)}));
  EXPECT_FALSE(Of->usesStacks());
  EXPECT_EQ(programFault(*Of), nullptr);
  EXPECT_TRUE(Of->usesStacks());
}

// Another call's hit has noticed that the call was left.
TEST_F(AggregateProgram, OfACallThatWasLeftOnlyTheCallerIsKnown) {
  Hit.caller = 0x401234;
  Hit.place = {};
  const Ran Out = run(source({{TPRT_PROGRAM_KEY_STACK, 0, 0, 0, 8},
                              {TPRT_PROGRAM_CALLER, 0, 0, 0, 0},
                              {TPRT_PROGRAM_KEY, 0, 0, 0, 0}}));
  constexpr uint64_t kHead = TPRT_PROGRAM_KEY_STACK_FRAMES |
                             1 << kKeyLengthShift |
                             TPRT_PROGRAM_STACK_LOST << kStackEndShift;
  EXPECT_EQ(Out.Keys, (std::vector<uint64_t>{kHead, 0x401234, 1, 0x401234}));
}

TEST_F(AggregateProgram, TheCheckFindsWhatHitsHaveToRead) {
  auto uses = [&](Operations Code) {
    Program *Of = place(source(Code, "", TPRT_PROGRAM_AT_END));
    Of->vectorArguments = Of->vectorResults = Of->stackWords = 99;
    EXPECT_EQ(programFault(*Of), nullptr);
    EXPECT_EQ(Of->usesOtherArguments(), Of->vectorArguments || Of->stackWords);
    return std::vector<int>{Of->vectorArguments, Of->vectorResults,
                            Of->stackWords};
  };
  using Uses = std::vector<int>;
  EXPECT_EQ(uses({kSet0, {TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 1}}),
            (Uses{0, 0, 0}));
  EXPECT_EQ(uses({{TPRT_PROGRAM_FLOAT_ARGUMENT, 0, 0, 0, 0}}), (Uses{1, 0, 0}));
  EXPECT_EQ(uses({{TPRT_PROGRAM_FLOAT_RESULT, 0, 0, 0, 1}}), (Uses{0, 2, 0}));
  EXPECT_EQ(uses({{TPRT_PROGRAM_STACK_ARGUMENT, 0, 0, 0, 7},
                  {TPRT_PROGRAM_STACK_ARGUMENT, 0, 0, 0, 2},
                  {TPRT_PROGRAM_FLOAT_ARGUMENT, 0, 0, 0, 4}}),
            (Uses{5, 0, 8}));
}

TEST_F(AggregateProgram, ValuesThatAreDoublesMustBeComputed) {
  EXPECT_EQ(fault(source({kSet0}, "", TPRT_PROGRAM_FLOAT_VALUE)),
            "a program for values that are doubles has no value");
  EXPECT_EQ(fault(source({kSet0, kValue0}, "", TPRT_PROGRAM_FLOAT_VALUE)), "");
}

TEST_F(AggregateProgram, TextsEndInsideTheText) {
  const std::string None = "there is no text at that offset";
  for (auto Code : {TPRT_PROGRAM_MATCH, TPRT_PROGRAM_TEXT_EQUAL}) {
    auto at = [&](const std::string &Text, int32_t Offset) {
      return fault(source({kSet0, {+Code, 0, 0, 0, Offset}}, Text));
    };
    const std::string Two("abc\0de\0x", 8);
    EXPECT_EQ(at(Two, 0), "");
    EXPECT_EQ(at(Two, 6), "");
    EXPECT_EQ(at(Two, 7), None); // no NUL before the end
    EXPECT_EQ(at(Two, 8), None);
    EXPECT_EQ(at(Two, -1), None);
    EXPECT_EQ(at(Two, INT32_MAX), None);
    EXPECT_EQ(at("", 0), None);
  }
}

// --- the interpreter ---------------------------------------------------------

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
