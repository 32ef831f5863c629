// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program as tprt/control_program.h describes it, and checks its rules.
// It is written from that text, without libtprt's code.

#ifndef TPCTL_PROGRAM_RUNNER_H
#define TPCTL_PROGRAM_RUNNER_H

#include "expressions/Program.h"
#include "names/glob.h"
#include "tprt/control_program.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <gtest/gtest.h>

namespace tpctl::expressions {

/// What is known of one hit.
struct Hit {
  std::array<uint64_t, 8> Arguments = {}, Stack = {};
  std::array<uint64_t, 8> Vectors = {}, VectorResults = {};
  uint64_t SecondResult = 0;
  uint64_t Result = 0, Duration = 0, Thread = 0, Caller = 0, Function = 0;
  uint64_t ErrorNumber = 0;
  std::optional<uint64_t> Inside = 0, Depth = 0;
};

struct Outcome {
  enum KindType { Counted, Filtered, Unread } Kind = Counted;
  /// As on the wire, one string for each key.
  std::vector<std::string> Keys;
  std::optional<int64_t> Value = 1;
  /// The numbers of the STOP_IF that are true.
  std::vector<int32_t> Stops;
};

class ProgramRunner {
public:
  ProgramRunner(const Program &P, const Hit &H) : H(H) {
    EXPECT_GE(P.Bytes.size(), sizeof Head);
    memcpy(&Head, P.Bytes.data(), sizeof Head);
    EXPECT_EQ(P.Bytes.size(),
              sizeof Head + Head.operations * sizeof(tprt_program_operation) +
                  Head.text_bytes);
    Operations.resize(Head.operations);
    if (Head.operations)
      memcpy(Operations.data(), P.Bytes.data() + sizeof Head,
             Head.operations * sizeof(tprt_program_operation));
    Text = P.Bytes.substr(P.Bytes.size() - Head.text_bytes);
    EXPECT_EQ(P.AtEnd, (Head.flags & TPRT_PROGRAM_AT_END) != 0);
    check();
  }
  Outcome run();

private:
  using Known = std::optional<uint64_t>;
  static bool isReading(uint8_t Code) {
    return Code == TPRT_PROGRAM_LOAD || Code == TPRT_PROGRAM_MATCH ||
           Code == TPRT_PROGRAM_TEXT_EQUAL || Code == TPRT_PROGRAM_KEY_STRING ||
           Code == TPRT_PROGRAM_KEY_BYTES;
  }
  static bool isJump(uint8_t Code) {
    return Code >= TPRT_PROGRAM_JUMP && Code <= TPRT_PROGRAM_JUMP_IF_NOT_ZERO;
  }
  static bool isOutput(uint8_t Code) {
    return (Code >= TPRT_PROGRAM_FILTER && Code <= TPRT_PROGRAM_VALUE) ||
           Code == TPRT_PROGRAM_STOP_IF || Code == TPRT_PROGRAM_KEY_BYTES;
  }
  void check();
  Known get(unsigned Register) {
    EXPECT_LT(Register, unsigned{TPRT_PROGRAM_REGISTERS});
    EXPECT_TRUE(IsSet[Register]) << "r" << Register << " has no value";
    return Registers[Register];
  }
  void set(unsigned Register, Known Value) {
    EXPECT_LT(Register, unsigned{TPRT_PROGRAM_REGISTERS});
    Registers[Register] = Value;
    IsSet[Register] = true;
  }
  Known compute(unsigned Code, Known A, Known B);
  Known computeFloating(unsigned Code, Known A, Known B);
  /// The string there, at most `Most` bytes and one more.
  std::optional<std::string> read(Known Address, size_t Most);
  const Hit &H;
  tprt_program_head Head;
  std::vector<tprt_program_operation> Operations;
  std::string Text;
  std::array<Known, TPRT_PROGRAM_REGISTERS> Registers;
  std::array<bool, TPRT_PROGRAM_REGISTERS> IsSet = {};
  Known Bound = UINT64_MAX;
};

inline void ProgramRunner::check() {
  EXPECT_LE(Head.operations, unsigned{TPRT_PROGRAM_MOST_OPERATIONS});
  EXPECT_LE(Head.text_bytes, unsigned{TPRT_PROGRAM_MOST_TEXT});
  EXPECT_TRUE(Text.empty() || Text.back() == '\0');
  unsigned Reads = 0, Keys = 0;
  for (size_t I = 0; I < Operations.size(); ++I) {
    const tprt_program_operation &O = Operations[I];
    Reads += isReading(O.code);
    Keys += O.code == TPRT_PROGRAM_KEY || O.code == TPRT_PROGRAM_KEY_STRING ||
            O.code == TPRT_PROGRAM_KEY_STACK ||
            O.code == TPRT_PROGRAM_KEY_BYTES;
    if (O.code == TPRT_PROGRAM_RESULT || O.code == TPRT_PROGRAM_DURATION ||
        O.code == TPRT_PROGRAM_ERROR)
      EXPECT_TRUE(Head.flags & TPRT_PROGRAM_AT_END);
    if (!isJump(O.code))
      continue;
    EXPECT_GE(O.number, 0);
    EXPECT_LE(I + 1 + static_cast<size_t>(O.number), Operations.size());
    for (size_t J = I + 1; J < I + 1 + static_cast<size_t>(O.number); ++J)
      EXPECT_FALSE(isOutput(Operations[J].code));
  }
  EXPECT_LE(Reads, unsigned{TPRT_PROGRAM_MOST_READS});
  EXPECT_EQ(Keys, Head.keys);
}

inline ProgramRunner::Known ProgramRunner::compute(unsigned Code, Known First,
                                                   Known Second) {
  if (!First || !Second)
    return std::nullopt;
  uint64_t A = *First, B = *Second;
  auto X = static_cast<int64_t>(A), Y = static_cast<int64_t>(B);
  bool Divides =
      Code >= TPRT_PROGRAM_DIVIDE && Code <= TPRT_PROGRAM_REMAINDER_UNSIGNED;
  if (Divides && !B)
    return std::nullopt;
  bool Overflows = X == INT64_MIN && Y == -1;
  switch (Code) {
  case TPRT_PROGRAM_ADD:
    return A + B;
  case TPRT_PROGRAM_SUBTRACT:
    return A - B;
  case TPRT_PROGRAM_MULTIPLY:
    return A * B;
  case TPRT_PROGRAM_DIVIDE:
    return Overflows ? A : static_cast<uint64_t>(X / Y);
  case TPRT_PROGRAM_DIVIDE_UNSIGNED:
    return A / B;
  case TPRT_PROGRAM_REMAINDER:
    return Overflows ? 0 : static_cast<uint64_t>(X % Y);
  case TPRT_PROGRAM_REMAINDER_UNSIGNED:
    return A % B;
  case TPRT_PROGRAM_AND:
    return A & B;
  case TPRT_PROGRAM_OR:
    return A | B;
  case TPRT_PROGRAM_XOR:
    return A ^ B;
  case TPRT_PROGRAM_SHIFT_LEFT:
    return A << (B & 63);
  case TPRT_PROGRAM_SHIFT_RIGHT:
    return static_cast<uint64_t>(X >> (B & 63));
  case TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED:
    return A >> (B & 63);
  case TPRT_PROGRAM_EQUAL:
    return A == B;
  case TPRT_PROGRAM_NOT_EQUAL:
    return A != B;
  case TPRT_PROGRAM_LESS:
    return X < Y;
  case TPRT_PROGRAM_LESS_UNSIGNED:
    return A < B;
  case TPRT_PROGRAM_LESS_EQUAL:
    return X <= Y;
  case TPRT_PROGRAM_LESS_EQUAL_UNSIGNED:
    return A <= B;
  default:
    ADD_FAILURE() << "no operation has the code " << Code;
    return std::nullopt;
  }
}

inline ProgramRunner::Known
ProgramRunner::computeFloating(unsigned Code, Known First, Known Second) {
  if (!First || !Second)
    return std::nullopt;
  auto X = llvm::bit_cast<double>(*First), Y = llvm::bit_cast<double>(*Second);
  auto bits = [](double Of) { return llvm::bit_cast<uint64_t>(Of); };
  switch (Code) {
  case TPRT_PROGRAM_FLOAT_ADD:
    return bits(X + Y);
  case TPRT_PROGRAM_FLOAT_SUBTRACT:
    return bits(X - Y);
  case TPRT_PROGRAM_FLOAT_MULTIPLY:
    return bits(X * Y);
  case TPRT_PROGRAM_FLOAT_DIVIDE:
    return bits(X / Y);
  case TPRT_PROGRAM_FLOAT_EQUAL:
    return X == Y;
  case TPRT_PROGRAM_FLOAT_LESS:
    return X < Y;
  case TPRT_PROGRAM_FLOAT_LESS_EQUAL:
    return X <= Y;
  case TPRT_PROGRAM_FLOAT_FROM_SIGNED:
    return bits(static_cast<double>(static_cast<int64_t>(*First)));
  case TPRT_PROGRAM_FLOAT_FROM_UNSIGNED:
    return bits(static_cast<double>(*First));
  case TPRT_PROGRAM_FLOAT_TO_SIGNED:
    if (!(X >= -0x1p63 && X < 0x1p63))
      return std::nullopt;
    return static_cast<uint64_t>(static_cast<int64_t>(X));
  case TPRT_PROGRAM_FLOAT_TO_UNSIGNED:
    if (!(X > -1 && X < 0x1p64))
      return std::nullopt;
    return static_cast<uint64_t>(X);
  case TPRT_PROGRAM_FLOAT_FROM_SINGLE:
    return bits(llvm::bit_cast<float>(static_cast<uint32_t>(*First)));
  case TPRT_PROGRAM_FLOAT_TO_SINGLE:
    return llvm::bit_cast<uint32_t>(static_cast<float>(X));
  default:
    ADD_FAILURE() << "no operation has the code " << Code;
    return std::nullopt;
  }
}

inline std::optional<std::string> ProgramRunner::read(Known Address,
                                                      size_t Most) {
  Known Limit = std::exchange(Bound, Known(UINT64_MAX));
  if (!Address || *Address < 4096 || !Limit)
    return std::nullopt;
  const char *Begin = reinterpret_cast<const char *>(*Address);
  return std::string(Begin, strnlen(Begin, std::min(Most + 1, *Limit)));
}

inline Outcome ProgramRunner::run() {
  Outcome Result;
  for (size_t I = 0; I < Operations.size(); ++I) {
    const tprt_program_operation &O = Operations[I];
    bool IsImmediate = O.code & TPRT_PROGRAM_IMMEDIATE;
    unsigned Code = O.code & ~unsigned{TPRT_PROGRAM_IMMEDIATE};
    auto Number = static_cast<uint64_t>(static_cast<int64_t>(O.number));
    if (Code >= TPRT_PROGRAM_ADD && Code <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED) {
      EXPECT_TRUE(IsImmediate ? O.b == 0 : O.number == 0);
      set(O.to,
          compute(Code, get(O.a), IsImmediate ? Known(Number) : get(O.b)));
      continue;
    }
    EXPECT_FALSE(IsImmediate);
    if (Code >= TPRT_PROGRAM_FLOAT_ADD &&
        Code <= TPRT_PROGRAM_FLOAT_TO_SINGLE) {
      bool IsUnary = Code >= TPRT_PROGRAM_FLOAT_FROM_SIGNED;
      set(O.to, computeFloating(Code, get(O.a), IsUnary ? Known(0) : get(O.b)));
      continue;
    }
    switch (Code) {
    case TPRT_PROGRAM_CONSTANT:
      set(O.to, Number);
      break;
    case TPRT_PROGRAM_CONSTANT_HIGH:
      set(O.to, (*get(O.to) & 0xffffffff) | Number << 32);
      break;
    case TPRT_PROGRAM_COPY:
      set(O.to, get(O.a));
      break;
    case TPRT_PROGRAM_ARGUMENT:
      set(O.to, H.Arguments.at(Number));
      break;
    case TPRT_PROGRAM_RESULT:
      set(O.to, Number ? H.SecondResult : H.Result);
      break;
    case TPRT_PROGRAM_STACK_ARGUMENT:
      set(O.to, H.Stack.at(Number));
      break;
    case TPRT_PROGRAM_FLOAT_ARGUMENT:
      set(O.to, H.Vectors.at(Number));
      break;
    case TPRT_PROGRAM_FLOAT_RESULT:
      set(O.to, H.VectorResults.at(Number));
      break;
    case TPRT_PROGRAM_DURATION:
      set(O.to, H.Duration);
      break;
    case TPRT_PROGRAM_THREAD:
      set(O.to, H.Thread);
      break;
    case TPRT_PROGRAM_CALLER:
      set(O.to, H.Caller);
      break;
    case TPRT_PROGRAM_FUNCTION:
      set(O.to, H.Function);
      break;
    case TPRT_PROGRAM_ERROR:
      set(O.to, H.ErrorNumber);
      break;
    case TPRT_PROGRAM_INSIDE:
      EXPECT_LT(Number, 2u);
      set(O.to, H.Inside);
      break;
    case TPRT_PROGRAM_DEPTH:
      EXPECT_EQ(Number, 0u);
      set(O.to, H.Depth);
      break;
    case TPRT_PROGRAM_SIGN_EXTEND:
    case TPRT_PROGRAM_ZERO_EXTEND: {
      EXPECT_TRUE(Number == 8 || Number == 16 || Number == 32);
      Known A = get(O.a);
      if (A && Code == TPRT_PROGRAM_SIGN_EXTEND)
        A = static_cast<uint64_t>(static_cast<int64_t>(*A << (64 - Number)) >>
                                  (64 - Number));
      else if (A)
        A = *A << (64 - Number) >> (64 - Number);
      set(O.to, A);
      break;
    }
    case TPRT_PROGRAM_LOAD: {
      EXPECT_TRUE(O.b == 1 || O.b == 2 || O.b == 4 || O.b == 8);
      Known A = get(O.a), Value;
      if (A && *A + Number >= 4096) {
        uint64_t Word = 0;
        memcpy(&Word, reinterpret_cast<const char *>(*A + Number), O.b);
        Value = Word;
      }
      set(O.to, Value);
      break;
    }
    case TPRT_PROGRAM_BOUND:
      Bound = get(O.a);
      EXPECT_TRUE(I + 1 < Operations.size() &&
                  (Operations[I + 1].code == TPRT_PROGRAM_MATCH ||
                   Operations[I + 1].code == TPRT_PROGRAM_TEXT_EQUAL ||
                   Operations[I + 1].code == TPRT_PROGRAM_KEY_STRING ||
                   Operations[I + 1].code == TPRT_PROGRAM_KEY_BYTES));
      break;
    case TPRT_PROGRAM_MATCH:
    case TPRT_PROGRAM_TEXT_EQUAL: {
      auto Read = read(get(O.a), TPRT_PROGRAM_MOST_STRING);
      EXPECT_LT(Number, Text.size());
      Known Value;
      if (Read) {
        Read->resize(std::min<size_t>(Read->size(), TPRT_PROGRAM_MOST_STRING));
        const char *Constant = Text.data() + Number;
        Value = Code == TPRT_PROGRAM_MATCH
                    ? tprt::plainGlobMatches(Constant, Read->c_str())
                    : *Read == Constant;
      }
      set(O.to, Value);
      break;
    }
    case TPRT_PROGRAM_JUMP:
      I += Number;
      break;
    case TPRT_PROGRAM_JUMP_IF_ZERO:
    case TPRT_PROGRAM_JUMP_IF_NOT_ZERO:
    case TPRT_PROGRAM_STOP_IF:
    case TPRT_PROGRAM_FILTER: {
      Known A = get(O.a);
      if (!A) {
        Result.Kind = Outcome::Unread;
        return Result;
      }
      if (Code == TPRT_PROGRAM_FILTER && !*A) {
        Result.Kind = Outcome::Filtered;
        return Result;
      }
      if (Code == TPRT_PROGRAM_STOP_IF) {
        if (*A)
          Result.Stops.push_back(O.number);
        break;
      }
      if (Code != TPRT_PROGRAM_FILTER &&
          (*A != 0) == (Code == TPRT_PROGRAM_JUMP_IF_NOT_ZERO))
        I += Number;
      break;
    }
    case TPRT_PROGRAM_KEY: {
      std::string Key(1, TPRT_PROGRAM_KEY_UNKNOWN);
      if (Known A = get(O.a)) {
        Key[0] = TPRT_PROGRAM_KEY_NUMBER;
        Key.append(reinterpret_cast<const char *>(&*A), 8);
      }
      Result.Keys.push_back(Key);
      break;
    }
    case TPRT_PROGRAM_KEY_STRING: {
      std::string Key(1, TPRT_PROGRAM_KEY_UNKNOWN);
      if (auto Read = read(get(O.a), Number)) {
        bool IsCut = Read->size() > Number;
        Key[0] = IsCut ? TPRT_PROGRAM_KEY_CUT_TEXT : TPRT_PROGRAM_KEY_TEXT;
        Read->resize(std::min<size_t>(Read->size(), Number));
        Key += static_cast<char>(Read->size());
        Key += *Read;
      }
      Result.Keys.push_back(Key);
      break;
    }
    case TPRT_PROGRAM_KEY_STACK:
      Result.Keys.push_back("stack(" + std::to_string(Number) + ")");
      break;
    case TPRT_PROGRAM_KEY_BYTES: {
      EXPECT_TRUE(I && Operations[I - 1].code == TPRT_PROGRAM_BOUND);
      Known A = get(O.a), Count = std::exchange(Bound, Known(UINT64_MAX));
      std::string Key(1, TPRT_PROGRAM_KEY_UNKNOWN);
      if (A && *A >= 4096 && Count && static_cast<int64_t>(*Count) >= 0) {
        Key[0] =
            *Count > Number ? TPRT_PROGRAM_KEY_CUT_TEXT : TPRT_PROGRAM_KEY_TEXT;
        uint64_t Length = std::min(*Count, Number);
        Key += static_cast<char>(Length);
        Key.append(reinterpret_cast<const char *>(*A), Length);
      }
      Result.Keys.push_back(Key);
      break;
    }
    case TPRT_PROGRAM_VALUE: {
      Known A = get(O.a);
      Result.Value.reset();
      if (A)
        Result.Value = static_cast<int64_t>(*A);
      break;
    }
    default:
      ADD_FAILURE() << "no operation has the code " << Code;
    }
  }
  return Result;
}

} // namespace tpctl::expressions

#endif
