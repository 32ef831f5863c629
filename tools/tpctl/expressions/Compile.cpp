// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Compiler that compute numbers. Each operation costs time at each
// hit, so constants are computed here, conditions are inverted where a jump or
// a comparison can do it, and what is used more than once stays in a register.

#include "Compiler.h"
#include "shared/UsageError.h"
#include "tprt/control_program.h"

using namespace llvm;

namespace tpctl::expressions {

uint8_t codeOfFloating(Operator Op) {
  switch (Op) {
  case Operator::Add:
    return TPRT_PROGRAM_FLOAT_ADD;
  case Operator::Subtract:
    return TPRT_PROGRAM_FLOAT_SUBTRACT;
  case Operator::Multiply:
    return TPRT_PROGRAM_FLOAT_MULTIPLY;
  case Operator::Divide:
    return TPRT_PROGRAM_FLOAT_DIVIDE;
  case Operator::Less:
  case Operator::Greater:
    return TPRT_PROGRAM_FLOAT_LESS;
  case Operator::LessEqual:
  case Operator::GreaterEqual:
    return TPRT_PROGRAM_FLOAT_LESS_EQUAL;
  default: // Equal and NotEqual
    return TPRT_PROGRAM_FLOAT_EQUAL;
  }
}

uint8_t codeOf(Operator Op, bool IsSigned) {
  switch (Op) {
  case Operator::Multiply:
    return TPRT_PROGRAM_MULTIPLY;
  case Operator::Divide:
    return IsSigned ? TPRT_PROGRAM_DIVIDE : TPRT_PROGRAM_DIVIDE_UNSIGNED;
  case Operator::Remainder:
    return IsSigned ? TPRT_PROGRAM_REMAINDER : TPRT_PROGRAM_REMAINDER_UNSIGNED;
  case Operator::Add:
    return TPRT_PROGRAM_ADD;
  case Operator::Subtract:
    return TPRT_PROGRAM_SUBTRACT;
  case Operator::ShiftLeft:
    return TPRT_PROGRAM_SHIFT_LEFT;
  case Operator::ShiftRight:
    return IsSigned ? TPRT_PROGRAM_SHIFT_RIGHT
                    : TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED;
  case Operator::And:
    return TPRT_PROGRAM_AND;
  case Operator::Xor:
    return TPRT_PROGRAM_XOR;
  case Operator::Or:
    return TPRT_PROGRAM_OR;
  case Operator::Less:
  case Operator::Greater:
    return IsSigned ? TPRT_PROGRAM_LESS : TPRT_PROGRAM_LESS_UNSIGNED;
  case Operator::LessEqual:
  case Operator::GreaterEqual:
    return IsSigned ? TPRT_PROGRAM_LESS_EQUAL
                    : TPRT_PROGRAM_LESS_EQUAL_UNSIGNED;
  case Operator::Equal:
    return TPRT_PROGRAM_EQUAL;
  default:
    return TPRT_PROGRAM_NOT_EQUAL;
  }
}

Operand Compiler::arithmetic(const Node &N) {
  const Type &T = Meanings[N].T;
  unsigned Base = Next;
  Operand Left = gen(*N.Children[0]), Right = gen(*N.Children[1]);
  Current = N.Place;
  bool IsSum = N.Op == Operator::Add || N.Op == Operator::Subtract;
  bool IsShift = N.Op == Operator::ShiftLeft || N.Op == Operator::ShiftRight;
  if (Left.T.isPointer() || Right.T.isPointer())
    return sum(Base, N.Op == Operator::Subtract, Left, Right, T);
  Left = convert(Left, T);
  Right =
      IsShift ? convert(Right, promoted(Right.T, Machine)) : convert(Right, T);
  if (T.isFloating())
    return operation(Base, codeOfFloating(N.Op), Left, Right, T);
  if (IsSum && T.bits() == 64)
    return sum(Base, N.Op == Operator::Subtract, Left, Right, T);
  bool Divides = N.Op == Operator::Divide || N.Op == Operator::Remainder;
  if (Right.IsConstant && Divides && !Right.Value) {
    fail(N.Place, "this is a division by 0");
    return Left;
  }
  if (Right.IsConstant && IsShift && Right.Value >= T.bits()) {
    fail(N.Place, "a shift of " + T.text() + " is by 0 to " +
                      Twine(T.bits() - 1) + " bits");
    return Left;
  }
  return operation(Base, codeOf(N.Op, T.isSigned(Machine)), Left, Right, T);
}

Operand Compiler::conditional(const Node &N) {
  unsigned Base = Next;
  const Type &T = Meanings[N].T;
  bool Inverted = false;
  Operand Condition = truth(*N.Children[0], false, &Inverted, false);
  if (Condition.IsConstant) {
    bool IsTrue = (Condition.Value != 0) != Inverted;
    return convert(gen(*N.Children[IsTrue ? 1 : 2]), T);
  }
  size_t ToElse =
      emit(Inverted ? TPRT_PROGRAM_JUMP_IF_NOT_ZERO : TPRT_PROGRAM_JUMP_IF_ZERO,
           0, Condition.Register, 0, 0);
  auto Before = std::pair(KeptIn, Kept);
  Next = Base;
  Operand Then = convert(gen(*N.Children[1]), T);
  moveTo(Then, Base);
  std::tie(KeptIn, Kept) = Before;
  size_t ToEnd = emit(TPRT_PROGRAM_JUMP, 0, 0, 0, 0);
  endJump(ToElse);
  Next = Base;
  Operand Else = convert(gen(*N.Children[2]), T);
  moveTo(Else, Base);
  std::tie(KeptIn, Kept) = Before;
  endJump(ToEnd);
  Else.IsTruth = Then.IsTruth && Else.IsTruth;
  return Else;
}

/// With the other sign, also of 0 and of a NaN.
Operand Compiler::negative(unsigned Base, Operand O) {
  constexpr uint64_t Sign = uint64_t{1} << 63;
  if (O.IsConstant) {
    O.Value ^= Sign;
    return O;
  }
  Operand Bit;
  Bit.IsConstant = true;
  Bit.Value = Sign;
  Type T = O.T;
  O.T = whole();
  O = operation(Base, TPRT_PROGRAM_XOR, O, Bit, whole());
  O.T = T;
  return O;
}

Operand Compiler::gen(const Node &N) {
  Current = N.Place;
  const Meaning &M = Meanings[N];
  Operand O;
  O.T = M.T;
  if (M.Form == Meaning::Constant) {
    O.IsConstant = true;
    O.Value = static_cast<uint64_t>(M.Number);
    return O;
  }
  if (M.Form == Meaning::InPieces)
    return inPieces(N);
  if (M.Form == Meaning::InMemory)
    return inMemory(N);
  switch (N.Kind) {
  case Node::Number:
  case Node::Character:
    O.IsConstant = true;
    O.Value = N.Value;
    if (N.Kind == Node::Character)
      O.Value = normal(N.Value, {Type::Char, true, 8, 0, {}}, Machine);
    return O;
  case Node::Name:
    return name(N);
  case Node::Cast:
    return convert(gen(*N.Children[0]), M.T);
  case Node::Conditional:
    return conditional(N);
  case Node::Len:
    return length(N);
  case Node::Entry:
    O.Register = allocate();
    emit(TPRT_PROGRAM_KEPT, O.Register, 0, 0,
         static_cast<int32_t>(EntryValues[&N]));
    return O;
  case Node::Unary:
    break;
  case Node::Binary:
    if (N.Op >= Operator::Less && N.Op <= Operator::MatchesNot)
      return truth(N, false, nullptr, true);
    if (N.Op == Operator::LogicalAnd || N.Op == Operator::LogicalOr)
      return truth(N, false, nullptr, true);
    return arithmetic(N);
  case Node::String:
  case Node::Str:
  case Node::Stack:
  case Node::Sym:
  case Node::Buf:
  case Node::Index:
  case Node::Member:
  case Node::ArrowMember:
    return O; // these are texts or in memory
  }
  unsigned Base = Next;
  if (N.Op == Operator::Not)
    return truth(N, false, nullptr, true);
  if (N.Op == Operator::AddressOf) {
    O = address(*N.Children[0]);
    O.T = M.T;
    return O;
  }
  Operand Child = convert(gen(*N.Children[0]), M.T);
  if (N.Op == Operator::Plus)
    return Child;
  if (M.T.isFloating())
    return negative(Base, Child);
  Operand MinusOne;
  MinusOne.IsConstant = true;
  MinusOne.Value = ~uint64_t{0};
  return operation(
      Base, N.Op == Operator::Minus ? TPRT_PROGRAM_MULTIPLY : TPRT_PROGRAM_XOR,
      Child, MinusOne, M.T);
}

} // namespace tpctl::expressions
