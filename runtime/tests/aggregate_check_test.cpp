// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the check of programs (programs/program.h): each rule.
#include "aggregateprogram.h"
#include "programs/program_check.h"

#include <climits>

namespace {

class AggregateCheck : public AggregateProgram {};

TEST_F(AggregateCheck, HeadsHaveBounds) {
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
  More.flags = 0x40;
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

TEST_F(AggregateCheck, OnlyKnownOperationsAreTaken) {
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

TEST_F(AggregateCheck, RegistersHaveABound) {
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

TEST_F(AggregateCheck, RegistersAreSetBeforeTheyAreRead) {
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

TEST_F(AggregateCheck, RegistersAreSetOnEachWay) {
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

TEST_F(AggregateCheck, JumpsLeadForwardAndStayInside) {
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

TEST_F(AggregateCheck, JumpsPassNoKeyNoValueAndNoFilter) {
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

TEST_F(AggregateCheck, KeysValuesAndReadsHaveABound) {
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

TEST_F(AggregateCheck, ValuesAreKeptFromEntries) {
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

TEST_F(AggregateCheck, NumbersAreChecked) {
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

TEST_F(AggregateCheck, StacksHaveSoManyFrames) {
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
  EXPECT_FALSE(Of->keepsModules());
  EXPECT_EQ(programFault(*Of), nullptr);
  EXPECT_TRUE(Of->keepsModules());
}

// Another call's hit has noticed that the call was left.
TEST_F(AggregateCheck, OfACallThatWasLeftOnlyTheCallerIsKnown) {
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

TEST_F(AggregateCheck, TheCheckFindsWhatHitsHaveToRead) {
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

TEST_F(AggregateCheck, ValuesThatAreDoublesMustBeComputed) {
  EXPECT_EQ(fault(source({kSet0}, "", TPRT_PROGRAM_FLOAT_VALUE)),
            "a program for values that are doubles has no value");
  EXPECT_EQ(fault(source({kSet0, kValue0}, "", TPRT_PROGRAM_FLOAT_VALUE)), "");
}

TEST_F(AggregateCheck, TextsEndInsideTheText) {
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

} // namespace
