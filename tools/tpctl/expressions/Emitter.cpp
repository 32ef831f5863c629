// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Emitter.h.

#include "Emitter.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace tpctl::expressions {
namespace {

bool isReading(uint8_t Code) {
  return Code == TPRT_PROGRAM_LOAD || Code == TPRT_PROGRAM_MATCH ||
         Code == TPRT_PROGRAM_TEXT_EQUAL || Code == TPRT_PROGRAM_KEY_STRING;
}

bool isCommutative(uint8_t Code) {
  return Code == TPRT_PROGRAM_ADD || Code == TPRT_PROGRAM_MULTIPLY ||
         Code == TPRT_PROGRAM_AND || Code == TPRT_PROGRAM_OR ||
         Code == TPRT_PROGRAM_XOR || Code == TPRT_PROGRAM_EQUAL ||
         Code == TPRT_PROGRAM_NOT_EQUAL || Code == TPRT_PROGRAM_FLOAT_ADD ||
         Code == TPRT_PROGRAM_FLOAT_MULTIPLY ||
         Code == TPRT_PROGRAM_FLOAT_EQUAL;
}

bool isFloating(uint8_t Code) { return Code >= TPRT_PROGRAM_FLOAT_ADD; }

bool isComparison(uint8_t Code) {
  return (Code >= TPRT_PROGRAM_EQUAL &&
          Code <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED) ||
         (Code >= TPRT_PROGRAM_FLOAT_EQUAL &&
          Code <= TPRT_PROGRAM_FLOAT_LESS_EQUAL);
}

/// The bits of a double, which is rounded to a float if the type is one.
uint64_t rounded(double Value, const Type &T) {
  return bit_cast<uint64_t>(
      T.bits() == 32 ? static_cast<double>(static_cast<float>(Value)) : Value);
}

/// Whether a result can have bits beyond those of its type.
bool mayExceed(uint8_t Code, const Operand &Right, const Type &T) {
  if (T.bits() == 64)
    return false;
  auto Number = static_cast<int64_t>(Right.Value);
  switch (Code) {
  case TPRT_PROGRAM_ADD:
  case TPRT_PROGRAM_SUBTRACT:
  case TPRT_PROGRAM_MULTIPLY:
  case TPRT_PROGRAM_SHIFT_LEFT:
    return true;
  case TPRT_PROGRAM_DIVIDE: // -2^31 / -1
    return !Right.IsConstant || Number == -1;
  case TPRT_PROGRAM_XOR: // complement of an unsigned number
    return !T.Signed && Right.IsConstant && Number < 0;
  default:
    return false;
  }
}

} // namespace

void Emitter::fail(Range R, const Twine &Message) {
  if (Failure.empty())
    Failure = messageAt(*S, R, Message);
}

unsigned Emitter::allocate() {
  if (Next < limit())
    return Next++;
  fail(Current, "this needs more than " + Twine(TPRT_PROGRAM_REGISTERS) +
                    " intermediate values at once; write it with fewer "
                    "parentheses");
  return 0;
}

size_t Emitter::emit(uint8_t Code, unsigned To, unsigned A, unsigned B,
                     int32_t Number) {
  if (Operations.size() == TPRT_PROGRAM_MOST_OPERATIONS)
    fail(Current, "the expressions need more than " +
                      Twine(TPRT_PROGRAM_MOST_OPERATIONS) + " operations");
  Reads += isReading(Code);
  if (Reads > TPRT_PROGRAM_MOST_READS)
    fail(Current, "the expressions read memory more than " +
                      Twine(TPRT_PROGRAM_MOST_READS) + " times");
  Operations.push_back({Code, static_cast<uint8_t>(To), static_cast<uint8_t>(A),
                        static_cast<uint8_t>(B), Number});
  return Operations.size() - 1;
}

void Emitter::endJump(size_t Jump) {
  Operations[Jump].number = static_cast<int32_t>(Operations.size() - Jump - 1);
}

void Emitter::constant(unsigned Register, uint64_t Value) {
  auto Low = static_cast<int32_t>(Value);
  emit(TPRT_PROGRAM_CONSTANT, Register, 0, 0, Low);
  if (static_cast<uint64_t>(static_cast<int64_t>(Low)) != Value)
    emit(TPRT_PROGRAM_CONSTANT_HIGH, Register, 0, 0,
         static_cast<int32_t>(Value >> 32));
}

unsigned Emitter::registerFor(const Operand &O) {
  return isKept(O.Register) ? allocate() : O.Register;
}

void Emitter::toRegister(Operand &O) {
  if (O.IsConstant) {
    O.Register = allocate();
    constant(O.Register, O.Value);
    O.IsConstant = false;
  } else if (O.Addend) {
    unsigned To = registerFor(O);
    emit(TPRT_PROGRAM_ADD | TPRT_PROGRAM_IMMEDIATE, To, O.Register, 0,
         static_cast<int32_t>(O.Addend));
    O.Register = To;
  }
  O.Addend = 0;
}

void Emitter::moveTo(Operand &O, unsigned Register) {
  Next = Register;
  unsigned To = allocate();
  if (O.IsConstant)
    constant(To, O.Value);
  else if (O.Addend)
    emit(TPRT_PROGRAM_ADD | TPRT_PROGRAM_IMMEDIATE, To, O.Register, 0,
         static_cast<int32_t>(O.Addend));
  else if (O.Register != To)
    emit(TPRT_PROGRAM_COPY, To, O.Register, 0, 0);
  O.IsConstant = false;
  O.Addend = 0;
  O.Register = To;
}

Operand Emitter::convert(Operand O, const Type &T) {
  Type From = O.T;
  if (From.isFloating() || T.isFloating())
    return convertFloating(std::move(O), T);
  O.T = T;
  if (O.IsConstant) {
    O.Value = normal(O.Value, T, Machine);
  } else if (T.isBool()) {
    if (!From.isBool())
      O = exact(O);
    O.T = T;
  } else if (!O.IsTruth && !fits(From, T, Machine)) {
    toRegister(O);
    unsigned To = registerFor(O);
    emit(T.isSigned(Machine) ? TPRT_PROGRAM_SIGN_EXTEND
                             : TPRT_PROGRAM_ZERO_EXTEND,
         To, O.Register, 0, static_cast<int32_t>(T.bits()));
    O.Register = To;
  }
  return O;
}

void Emitter::extend(Operand &O) { extendTo(registerFor(O), O); }

void Emitter::extendTo(unsigned To, Operand &O) {
  if (O.T.isFloating())
    emit(TPRT_PROGRAM_FLOAT_FROM_SINGLE, To, O.Register, 0, 0);
  else
    emit(O.T.isSigned(Machine) ? TPRT_PROGRAM_SIGN_EXTEND
                               : TPRT_PROGRAM_ZERO_EXTEND,
         To, O.Register, 0, static_cast<int32_t>(O.T.bits()));
  O.Register = To;
}

/// Rounds a double to a float.
Operand Emitter::single(Operand O) {
  unsigned To = registerFor(O);
  emit(TPRT_PROGRAM_FLOAT_TO_SINGLE, To, O.Register, 0, 0);
  emit(TPRT_PROGRAM_FLOAT_FROM_SINGLE, To, To, 0, 0);
  O.Register = To;
  return O;
}

/// A double without its fraction. C leaves it open what a number becomes that
/// does not fit; as in a program, such a value is unknown, so it is not folded.
static std::optional<uint64_t> truncated(double Value, bool IsSigned) {
  if (IsSigned && Value >= -0x1p63 && Value < 0x1p63)
    return static_cast<uint64_t>(static_cast<int64_t>(Value));
  if (!IsSigned && Value > -1 && Value < 0x1p64)
    return static_cast<uint64_t>(Value);
  return std::nullopt;
}

Operand Emitter::convertFloating(Operand O, const Type &T) {
  Type From = O.T;
  O.T = T;
  if (T.isBool()) {
    O.T = From;
    O = invert(isZero(std::move(O)), nullptr);
    O.T = T;
    return O;
  }
  bool IsSigned = T.isSigned(Machine), WasSigned = From.isSigned(Machine);
  if (!From.isFloating()) {
    if (O.IsConstant) {
      O.Value =
          rounded(WasSigned ? static_cast<double>(static_cast<int64_t>(O.Value))
                            : static_cast<double>(O.Value),
                  T);
      return O;
    }
    toRegister(O);
    unsigned To = registerFor(O);
    emit(WasSigned ? TPRT_PROGRAM_FLOAT_FROM_SIGNED
                   : TPRT_PROGRAM_FLOAT_FROM_UNSIGNED,
         To, O.Register, 0, 0);
    O.Register = To;
    O.IsTruth = false;
    return T.bits() == 32 ? single(O) : O;
  }
  auto Value = bit_cast<double>(O.Value);
  if (T.isFloating()) {
    if (O.IsConstant)
      O.Value = rounded(Value, T);
    else if (T.bits() < From.bits())
      O = single(O);
    return O;
  }
  // All integers but the largest unsigned ones are long ones first.
  bool IsLargest = !IsSigned && T.bits() == 64;
  if (auto Whole = truncated(Value, !IsLargest); O.IsConstant && Whole) {
    O.Value = normal(*Whole, T, Machine);
    return O;
  }
  toRegister(O);
  unsigned To = registerFor(O);
  emit(IsLargest ? TPRT_PROGRAM_FLOAT_TO_UNSIGNED
                 : TPRT_PROGRAM_FLOAT_TO_SIGNED,
       To, O.Register, 0, 0);
  O.Register = To;
  if (T.bits() < 64)
    extend(O);
  return O;
}

Operand Emitter::isZero(Operand O) {
  O = convert(std::move(O), Type::floating(64));
  Type Int = Type::integer(32, true);
  Operand Zero;
  Zero.T = O.T;
  Zero.IsConstant = true;
  if (O.IsConstant)
    return operation(Next, TPRT_PROGRAM_FLOAT_EQUAL, O, Zero, Int);
  toRegister(O);
  return operation(isKept(O.Register) ? Next : O.Register,
                   TPRT_PROGRAM_FLOAT_EQUAL, O, Zero, Int);
}

Operand Emitter::exact(Operand O) {
  if (O.IsConstant) {
    O.Value = O.Value != 0;
  } else if (!O.IsTruth) {
    toRegister(O);
    unsigned To = registerFor(O);
    emit(TPRT_PROGRAM_NOT_EQUAL | TPRT_PROGRAM_IMMEDIATE, To, O.Register, 0, 0);
    O.Register = To;
  }
  O.IsTruth = true;
  O.T = Type::integer(32, true);
  return O;
}

Operand Emitter::invert(Operand O, bool *Inverted) {
  if (O.IsConstant) {
    O.Value = !O.Value;
  } else if (Inverted) {
    *Inverted = !*Inverted;
    return O;
  } else {
    toRegister(O);
    unsigned To = registerFor(O);
    emit(TPRT_PROGRAM_EQUAL | TPRT_PROGRAM_IMMEDIATE, To, O.Register, 0, 0);
    O.Register = To;
  }
  O.IsTruth = true;
  O.T = Type::integer(32, true);
  return O;
}

uint64_t Emitter::fold(uint8_t Code, uint64_t L, uint64_t R,
                       const Type &T) const {
  auto A = static_cast<int64_t>(L), B = static_cast<int64_t>(R);
  auto X = bit_cast<double>(L), Y = bit_cast<double>(R);
  auto compute = [&]() -> uint64_t {
    switch (Code) {
    case TPRT_PROGRAM_ADD:
      return L + R;
    case TPRT_PROGRAM_SUBTRACT:
      return L - R;
    case TPRT_PROGRAM_MULTIPLY:
      return L * R;
    case TPRT_PROGRAM_DIVIDE:
      return B == -1 ? 0 - L : static_cast<uint64_t>(A / B);
    case TPRT_PROGRAM_DIVIDE_UNSIGNED:
      return L / R;
    case TPRT_PROGRAM_REMAINDER:
      return B == -1 ? 0 : static_cast<uint64_t>(A % B);
    case TPRT_PROGRAM_REMAINDER_UNSIGNED:
      return L % R;
    case TPRT_PROGRAM_AND:
      return L & R;
    case TPRT_PROGRAM_OR:
      return L | R;
    case TPRT_PROGRAM_XOR:
      return L ^ R;
    case TPRT_PROGRAM_SHIFT_LEFT:
      return L << (R & 63);
    case TPRT_PROGRAM_SHIFT_RIGHT:
      return static_cast<uint64_t>(A >> (R & 63));
    case TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED:
      return L >> (R & 63);
    case TPRT_PROGRAM_EQUAL:
      return L == R;
    case TPRT_PROGRAM_NOT_EQUAL:
      return L != R;
    case TPRT_PROGRAM_LESS:
      return A < B;
    case TPRT_PROGRAM_LESS_UNSIGNED:
      return L < R;
    case TPRT_PROGRAM_LESS_EQUAL:
      return A <= B;
    case TPRT_PROGRAM_FLOAT_ADD:
      return rounded(X + Y, T);
    case TPRT_PROGRAM_FLOAT_SUBTRACT:
      return rounded(X - Y, T);
    case TPRT_PROGRAM_FLOAT_MULTIPLY:
      return rounded(X * Y, T);
    case TPRT_PROGRAM_FLOAT_DIVIDE:
      return rounded(X / Y, T);
    case TPRT_PROGRAM_FLOAT_EQUAL:
      return X == Y;
    case TPRT_PROGRAM_FLOAT_LESS:
      return X < Y;
    case TPRT_PROGRAM_FLOAT_LESS_EQUAL:
      return X <= Y;
    default: // TPRT_PROGRAM_LESS_EQUAL_UNSIGNED
      return L <= R;
    }
  };
  return normal(compute(), T, Machine);
}

Operand Emitter::operation(unsigned Base, uint8_t Code, Operand Left,
                           Operand Right, const Type &T) {
  Operand Result;
  Result.T = T;
  Result.IsTruth = isComparison(Code);
  if (Left.IsConstant && Right.IsConstant) {
    Result.IsConstant = true;
    Result.Value = fold(Code, Left.Value, Right.Value, T);
    return Result;
  }
  if (isCommutative(Code) && Left.IsConstant)
    std::swap(Left, Right);
  toRegister(Left);
  auto Immediate = static_cast<int64_t>(Right.Value);
  bool Exceeds = mayExceed(Code, Right, T);
  bool IsImmediate =
      Right.IsConstant && isInt<32>(Immediate) && !isFloating(Code);
  if (!IsImmediate)
    toRegister(Right);
  Next = Base;
  Result.Register = allocate();
  if (IsImmediate)
    emit(Code | TPRT_PROGRAM_IMMEDIATE, Result.Register, Left.Register, 0,
         static_cast<int32_t>(Immediate));
  else
    emit(Code, Result.Register, Left.Register, Right.Register, 0);
  if (T.isFloating() && T.bits() == 32)
    return single(Result);
  if (Exceeds)
    extend(Result);
  return Result;
}

Operand Emitter::load(Operand Address, const Type &T) {
  if (Address.IsConstant)
    toRegister(Address);
  Operand O;
  O.T = T;
  O.Register = registerFor(Address);
  emit(TPRT_PROGRAM_LOAD, O.Register, Address.Register, T.bits() / 8,
       static_cast<int32_t>(Address.Addend));
  if (T.bits() < 64 && T.isSigned(Machine))
    extend(O);
  // A bool in memory is 0 or 1; other bytes count as true.
  return T.isBool() ? convert(exact(O), T) : O;
}

void Emitter::cutBits(Operand &O, unsigned First, unsigned Count) {
  unsigned To = registerFor(O);
  bool IsSigned = O.T.isSigned(Machine);
  auto shift = [&](uint8_t Code, unsigned By) {
    if (By)
      emit(Code | TPRT_PROGRAM_IMMEDIATE, To, O.Register, 0,
           static_cast<int32_t>(By));
    O.Register = By ? To : O.Register;
  };
  shift(TPRT_PROGRAM_SHIFT_LEFT, 64 - First - Count);
  shift(IsSigned ? TPRT_PROGRAM_SHIFT_RIGHT : TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED,
        64 - Count);
}

void Emitter::advance(Operand &Address, uint64_t Bytes) {
  if (Address.IsConstant) {
    Address.Value += Bytes;
    return;
  }
  auto Sum =
      static_cast<int64_t>(static_cast<uint64_t>(Address.Addend) + Bytes);
  if (isInt<32>(Sum)) {
    Address.Addend = Sum;
    return;
  }
  fail(Current, "this member is more than 2 GiB after the beginning");
}

Operand Emitter::sum(unsigned Base, bool IsSubtraction, Operand Left,
                     Operand Right, const Type &T) {
  bool PointerLeft = Left.T.isPointer(), PointerRight = Right.T.isPointer();
  auto scale = [&](Operand &O, const Type &Pointer) {
    Type Long = Type::integer(64, true);
    Operand Size;
    Size.IsConstant = true;
    Size.Value = Pointer.pointee().step();
    O = convert(O, Long);
    unsigned InUse = Next;
    if (O.IsConstant || Size.Value > 1)
      O = operation(isKept(O.Register) || O.IsConstant ? Next : O.Register,
                    TPRT_PROGRAM_MULTIPLY, O, Size, Long);
    Next = std::max(Next, InUse);
  };
  if (PointerLeft && !PointerRight)
    scale(Right, Left.T);
  else if (PointerRight && !PointerLeft)
    scale(Left, Right.T);
  if (!IsSubtraction && Left.IsConstant)
    std::swap(Left, Right);
  if (Right.IsConstant && !Left.IsConstant) {
    uint64_t Change = IsSubtraction ? 0 - Right.Value : Right.Value;
    int64_t Addend =
        static_cast<int64_t>(static_cast<uint64_t>(Left.Addend) + Change);
    if (isInt<32>(Addend)) {
      Left.Addend = Addend;
      Left.T = T;
      Left.IsTruth = false;
      return Left;
    }
  }
  Operand Result =
      operation(Base, IsSubtraction ? TPRT_PROGRAM_SUBTRACT : TPRT_PROGRAM_ADD,
                Left, Right, T);
  if (PointerLeft && PointerRight) {
    // C divides without a remainder, so a shift will do for powers of 2.
    Operand By;
    By.IsConstant = true;
    By.Value = Left.T.pointee().step();
    bool IsPower = isPowerOf2_64(By.Value);
    if (IsPower)
      By.Value = Log2_64(By.Value);
    if (By.Value)
      Result = operation(
          Base, IsPower ? TPRT_PROGRAM_SHIFT_RIGHT : TPRT_PROGRAM_DIVIDE,
          Result, By, T);
  }
  return Result;
}

int32_t Emitter::textAt(StringRef String, Range Place) {
  std::string Bytes = String.str() + '\0';
  // A string may also be the end of another one.
  size_t At = Text.find(Bytes);
  if (At == std::string::npos) {
    At = Text.size();
    Text += Bytes;
    if (Text.size() > TPRT_PROGRAM_MOST_TEXT)
      fail(Place, "the strings of the expressions have more than " +
                      Twine(TPRT_PROGRAM_MOST_TEXT) + " bytes");
  }
  return static_cast<int32_t>(At);
}

} // namespace tpctl::expressions
