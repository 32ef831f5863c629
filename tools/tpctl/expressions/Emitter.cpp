// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Emitter.h.

#include "Emitter.h"

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
         Code == TPRT_PROGRAM_NOT_EQUAL;
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
  Result.IsTruth = Code >= TPRT_PROGRAM_EQUAL;
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
  bool IsImmediate = Right.IsConstant && isInt<32>(Immediate);
  if (!IsImmediate)
    toRegister(Right);
  Next = Base;
  Result.Register = allocate();
  if (IsImmediate)
    emit(Code | TPRT_PROGRAM_IMMEDIATE, Result.Register, Left.Register, 0,
         static_cast<int32_t>(Immediate));
  else
    emit(Code, Result.Register, Left.Register, Right.Register, 0);
  if (Exceeds)
    emit(T.isSigned(Machine) ? TPRT_PROGRAM_SIGN_EXTEND
                             : TPRT_PROGRAM_ZERO_EXTEND,
         Result.Register, Result.Register, 0, static_cast<int32_t>(T.bits()));
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
    emit(TPRT_PROGRAM_SIGN_EXTEND, O.Register, O.Register, 0,
         static_cast<int32_t>(T.bits()));
  // A bool in memory is 0 or 1; other bytes count as true.
  return T.isBool() ? convert(exact(O), T) : O;
}

Operand Emitter::sum(unsigned Base, bool IsSubtraction, Operand Left,
                     Operand Right, const Type &T) {
  bool PointerLeft = Left.T.isPointer(), PointerRight = Right.T.isPointer();
  auto scale = [&](Operand &O, const Type &Pointer) {
    Type Long = Type::integer(64, true);
    Operand Size;
    Size.IsConstant = true;
    Size.Value = Pointer.pointee().bits() / 8;
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
    // C divides without a remainder, so a shift will do.
    Operand Shift;
    Shift.IsConstant = true;
    Shift.Value = Log2_32(Left.T.pointee().bits() / 8);
    if (Shift.Value)
      Result = operation(Base, TPRT_PROGRAM_SHIFT_RIGHT, Result, Shift, T);
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
