// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Compiler that compute conditions. They are inverted where a jump
// or a comparison can do it.

#include "Compiler.h"

#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tpctl::expressions {

/// A glob without escapes, which libtprt does not know: a class of one
/// character stands for that character.
static std::string withoutEscapes(StringRef Glob) {
  std::string Plain;
  for (size_t I = 0; I < Glob.size(); ++I) {
    char C = Glob[I];
    if (C != '\\' || I + 1 == Glob.size()) {
      Plain += C;
      continue;
    }
    C = Glob[++I];
    Plain += StringRef("*?[\\").contains(C) ? std::string{'[', C, ']'}
                                            : std::string(1, C);
  }
  return Plain;
}

Operand Compiler::textTest(const Node &N, bool Negated, bool *Inverted) {
  const Node *Left = N.Children[0].get(), *String = N.Children[1].get();
  if (Left->Kind == Node::String)
    std::swap(Left, String);
  unsigned Base = Next;
  bool IsGlob = N.Op == Operator::Matches || N.Op == Operator::MatchesNot;
  Current = N.Place;
  int32_t At = textAt(IsGlob ? withoutEscapes(String->Text) : String->Text,
                      String->Place);
  unsigned Address = text(*Left);
  Next = Base;
  Operand O;
  O.Register = allocate();
  emit(IsGlob ? TPRT_PROGRAM_MATCH : TPRT_PROGRAM_TEXT_EQUAL, O.Register,
       Address, 0, At);
  O.T = Type::integer(32, true);
  O.IsTruth = true;
  if (N.Op == Operator::NotEqual || N.Op == Operator::MatchesNot)
    Negated = !Negated;
  return Negated ? invert(O, Inverted) : O;
}

static Operator negationOf(Operator Op) {
  switch (Op) {
  case Operator::Less:
    return Operator::GreaterEqual;
  case Operator::LessEqual:
    return Operator::Greater;
  case Operator::Greater:
    return Operator::LessEqual;
  case Operator::GreaterEqual:
    return Operator::Less;
  case Operator::Equal:
    return Operator::NotEqual;
  default:
    return Operator::Equal;
  }
}

/// The operator with its sides exchanged.
static Operator mirrorOf(Operator Op) {
  switch (Op) {
  case Operator::Less:
    return Operator::Greater;
  case Operator::LessEqual:
    return Operator::GreaterEqual;
  case Operator::Greater:
    return Operator::Less;
  case Operator::GreaterEqual:
    return Operator::LessEqual;
  default:
    return Op;
  }
}

/// An unsigned number is less than 1 if, and only if, it is 0.
static Operator simplified(Operator Op, const Operand &Right, bool IsSigned) {
  if (IsSigned || !Right.IsConstant || Right.Value > 1)
    return Op;
  if (Op == (Right.Value ? Operator::GreaterEqual : Operator::Greater))
    return Operator::NotEqual;
  if (Op == (Right.Value ? Operator::Less : Operator::LessEqual))
    return Operator::Equal;
  return Op;
}

/// A comparison with a NaN is false, so the opposite of < is not >=.
Operand Compiler::floatingComparison(Operator Op, unsigned Base, Operand Left,
                                     Operand Right, bool Negated,
                                     bool *Inverted) {
  if (Op == Operator::Greater || Op == Operator::GreaterEqual)
    std::swap(Left, Right);
  if (Op == Operator::NotEqual)
    Negated = !Negated;
  Operand Result =
      operation(Base, codeOfFloating(Op), Left, Right, Type::integer(32, true));
  return Negated ? invert(Result, Inverted) : Result;
}

Operand Compiler::comparison(const Node &N, bool Negated, bool *Inverted,
                             bool Exact) {
  unsigned Base = Next;
  Operand Left = gen(*N.Children[0]), Right = gen(*N.Children[1]);
  Current = N.Place;
  bool HasPointer = Left.T.isPointer() || Right.T.isPointer();
  Type T =
      HasPointer ? Type::integer(64, false) : common(Left.T, Right.T, Machine);
  Left = convert(Left, T);
  Right = convert(Right, T);
  if (T.isFloating())
    return floatingComparison(N.Op, Base, Left, Right, Negated, Inverted);
  Operator Op = Negated ? negationOf(N.Op) : N.Op;
  if (Left.IsConstant) {
    std::swap(Left, Right);
    Op = mirrorOf(Op);
  }
  Operator Simple = simplified(Op, Right, T.Signed);
  if (Simple != Op) {
    Op = Simple;
    Right.Value = 0;
  }
  bool WithZero = Right.IsConstant && !Left.IsConstant && !Right.Value;
  if (WithZero && !Exact && !Left.Addend) {
    if (Op == Operator::NotEqual)
      return Left;
    if (Op == Operator::Equal && Inverted)
      return invert(Left, Inverted);
  }
  bool IsGreater = Op == Operator::Greater || Op == Operator::GreaterEqual;
  if (IsGreater && Right.IsConstant && !Left.IsConstant && Inverted &&
      isInt<32>(static_cast<int64_t>(Right.Value))) {
    Op = negationOf(Op);
    *Inverted = !*Inverted;
  } else if (IsGreater) {
    std::swap(Left, Right);
    Op = mirrorOf(Op);
  }
  return operation(Base, codeOf(Op, T.Signed), Left, Right,
                   Type::integer(32, true));
}

Operand Compiler::logical(const Node &N, bool Negated, bool Exact) {
  unsigned Base = Next;
  // !(a && b) is !a || !b.
  bool IsAnd = (N.Op == Operator::LogicalAnd) != Negated;
  Operand Left = truth(*N.Children[0], Negated, nullptr, Exact && !IsAnd);
  if (Left.IsConstant) {
    if ((Left.Value != 0) == IsAnd)
      return truth(*N.Children[1], Negated, nullptr, Exact);
    Left.Value = !IsAnd;
    Left.IsTruth = true;
    Left.T = Type::integer(32, true);
    return Left;
  }
  moveTo(Left, Base);
  size_t Jump =
      emit(IsAnd ? TPRT_PROGRAM_JUMP_IF_ZERO : TPRT_PROGRAM_JUMP_IF_NOT_ZERO, 0,
           Base, 0, 0);
  auto Before = std::pair(KeptIn, Kept);
  Next = Base;
  Operand Right = truth(*N.Children[1], Negated, nullptr, Exact);
  moveTo(Right, Base);
  std::tie(KeptIn, Kept) = Before;
  endJump(Jump);
  Right.IsTruth = Exact || (Left.IsTruth && Right.IsTruth);
  Right.T = Type::integer(32, true);
  return Right;
}

/// Whether a comparison is one of a text with a string.
bool Compiler::isTextTest(const Node &N) const {
  return any_of(ArrayRef(N.Children, 2), [&](const auto &Child) {
    return Meanings[*Child].Kind == Meaning::Text;
  });
}

Operand Compiler::truth(const Node &N, bool Negated, bool *Inverted,
                        bool Exact) {
  if (N.Kind == Node::Unary && N.Op == Operator::Not)
    return truth(*N.Children[0], !Negated, Inverted, Exact);
  if (N.Kind == Node::Binary &&
      (N.Op == Operator::LogicalAnd || N.Op == Operator::LogicalOr))
    return logical(N, Negated, Exact);
  if (N.Kind == Node::Binary && N.Op >= Operator::Less &&
      N.Op <= Operator::MatchesNot) {
    bool IsText = isTextTest(N);
    return IsText ? textTest(N, Negated, Inverted)
                  : comparison(N, Negated, Inverted, Exact);
  }
  Operand O = gen(N);
  Current = N.Place;
  if (O.T.isFloating()) {
    O = isZero(O);
    return Negated ? O : invert(O, Inverted);
  }
  if (!O.IsConstant)
    toRegister(O);
  if (Negated)
    return invert(O, Inverted);
  return Exact ? exact(O) : O;
}

} // namespace tpctl::expressions
