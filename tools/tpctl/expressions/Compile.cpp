// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Program.h. Each operation costs time at each hit, so constants are
// computed here, conditions are inverted where a jump or a comparison can do
// it, and what is used more than once stays in a register.

#include "Check.h"
#include "Emitter.h"
#include "shared/UsageError.h"
#include "tprt/control_program.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tpctl::expressions {
namespace {

class Compiler : Emitter {
public:
  Compiler(const Asked &A, const Signature *Function, const Target &Machine)
      : Emitter(Machine), A(A), Meanings(Function, Machine) {}
  Expected<Program> run();

private:
  Error check();
  void filter(const Node &, bool Negated);
  void key(const Parsed &);
  void value(const Parsed &);
  KeyFormat formatOf(const Parsed &) const;

  Operand gen(const Node &);
  Operand name(const Node &);
  Operand loaded(uint8_t Code, int64_t Number, const Type &);
  Operand inPieces(const Node &);
  Operand inMemory(const Node &);
  Operand address(const Node &);
  Operand partInPieces(const Node &, const Member &);
  Operand partInMemory(const Node &, const Member &);
  Operand parts(const Node &, const Meaning::StringParts &, Operand *Length);
  unsigned text(const Node &);
  Operand length(const Node &);
  Operand arithmetic(const Node &);
  Operand conditional(const Node &);
  Operand negative(unsigned Base, Operand);
  /// A value that is not 0 if, and only if, the node is true; if `Negated`: is
  /// false. If `Inverted` is not null, the operand may be the opposite, and
  /// `*Inverted` says so. If `Exact`, the value is 0 or 1.
  Operand truth(const Node &, bool Negated, bool *Inverted, bool Exact);
  Operand comparison(const Node &, bool Negated, bool *Inverted, bool Exact);
  Operand floatingComparison(Operator, unsigned Base, Operand Left,
                             Operand Right, bool Negated, bool *Inverted);
  Operand textTest(const Node &, bool Negated, bool *Inverted);
  Operand logical(const Node &, bool Negated, bool Exact);
  bool isTextTest(const Node &) const;
  void countNames(const Node &);

  const Asked &A;
  Checker Meanings;
  std::map<Loaded, unsigned> Uses; ///< how often an expression names it
};

Loaded loadedBy(uint8_t Code, int64_t Number, const Type &T,
                const Target &Machine) {
  return {Code, Number, T.bits(), T.isSigned(Machine), T.isFloating()};
}

/// A register as it is.
const Type Whole = Type::integer(64, false);

/// The piece that has the value of a scalar in pieces, or nothing.
const Location::Piece *pieceOf(const Meaning &M) {
  uint64_t End = M.Offset + std::max<uint64_t>(M.T.bytes(), 1);
  for (const Location::Piece &P : M.Where->Pieces)
    if (P.Offset <= M.Offset && End <= P.Offset + P.Bytes)
      return &P;
  return nullptr;
}

Operand Compiler::loaded(uint8_t Code, int64_t Number, const Type &T) {
  Operand O;
  O.T = T;
  Loaded Which = loadedBy(Code, Number, T, Machine);
  if (auto Found = KeptIn.find(Which); Found != KeptIn.end()) {
    O.Register = Found->second;
    return O;
  }
  bool Keep = Uses[Which] > 1 && Kept < MostKept && Next + 1 < limit();
  O.Register = Keep ? TPRT_PROGRAM_REGISTERS - ++Kept : allocate();
  if (Keep)
    KeptIn[Which] = O.Register;
  emit(Code, O.Register, 0, 0, static_cast<int32_t>(Number));
  // An int in a register may have anything in the upper half.
  bool IsWhole = T.bits() == 64 || Code == TPRT_PROGRAM_ERROR ||
                 Code == TPRT_PROGRAM_THREAD;
  if (!IsWhole)
    extendTo(O.Register, O);
  return O;
}

/// What a name stands for, or a member of what is in registers.
Operand Compiler::inPieces(const Node &N) {
  const Meaning &M = Meanings[N];
  const Location::Piece *P = pieceOf(M);
  Operand O;
  O.T = M.T;
  if (!P) {
    fail(N.Place, "this member is not in a register of its own, and cannot be "
                  "read");
    return O;
  }
  O = loaded(P->Code, P->Number, Whole);
  O.T = M.T;
  auto First = static_cast<unsigned>(8 * (M.Offset - P->Offset)) + M.FirstBit;
  if (M.T.isFloating()) {
    if (First)
      cutBits(O, First, M.T.bits());
    if (M.T.bits() == 32)
      extend(O);
    return O;
  }
  unsigned Count = M.BitCount ? M.BitCount : M.T.bits();
  if (Count < 64)
    cutBits(O, First, Count);
  return M.T.isBool() ? convert(exact(O), M.T) : O;
}

Operand Compiler::name(const Node &N) {
  const Meaning &M = Meanings[N];
  return loaded(M.Code, M.Number, M.T);
}

/// The address of what is in memory. Its type is that of a number.
Operand Compiler::address(const Node &N) {
  const Meaning &M = Meanings[N];
  unsigned Base = Next;
  Operand O;
  switch (N.Kind) {
  case Node::Name:
    if (M.Code) {
      O = loaded(M.Code, M.Number, Whole);
    } else {
      O.IsConstant = true;
      O.Value = static_cast<uint64_t>(M.Number);
    }
    break;
  case Node::Unary:
    O = gen(*N.Children[0]);
    break;
  case Node::Index: {
    Operand Pointer = gen(*N.Children[0]), Which = gen(*N.Children[1]);
    O = sum(Base, false, Pointer, Which, Pointer.T);
    break;
  }
  case Node::ArrowMember:
    O = gen(*N.Children[0]);
    break;
  default: // Node::Member
    O = address(*N.Children[0]);
    break;
  }
  Current = N.Place;
  if (N.Kind == Node::Member || N.Kind == Node::ArrowMember)
    advance(O, M.Offset);
  O.T = Whole;
  return M.IsIndirect ? load(O, Whole) : O;
}

/// The value of what is in memory.
Operand Compiler::inMemory(const Node &N) {
  const Meaning &M = Meanings[N];
  Operand O = address(N);
  Current = N.Place;
  if (M.IsArray) {
    O.T = M.T;
    return O;
  }
  if (!M.BitCount)
    return load(O, M.T);
  unsigned Bits = 8;
  while (Bits < M.FirstBit + M.BitCount)
    Bits *= 2;
  if (Bits > 64) {
    fail(N.Place, "this bit-field is in more than 8 bytes, and cannot be read");
    return O;
  }
  O = load(O, Type::integer(Bits, false));
  O.T = M.T;
  cutBits(O, M.FirstBit, M.BitCount);
  return O;
}

/// One of the two parts of a C++ string or vector in registers.
Operand Compiler::partInPieces(const Node &N, const Member &Part) {
  Meaning M = Meanings[N];
  M.Offset += Part.Offset;
  M.T = Whole;
  if (const Location::Piece *P = pieceOf(M))
    return loaded(P->Code, P->Number, Whole);
  fail(N.Place, "this object is not in registers of its own, and cannot be "
                "read");
  return {};
}

Operand Compiler::partInMemory(const Node &N, const Member &Part) {
  Operand Object = address(N);
  advance(Object, Part.Offset);
  return load(Object, Whole);
}

/// The parts of a C++ string or vector. `Length` may be null.
Operand Compiler::parts(const Node &N, const Meaning::StringParts &Parts,
                        Operand *Length) {
  if (Meanings[N].Form == Meaning::InPieces) {
    if (Length)
      *Length = partInPieces(N, Parts.Length);
    return partInPieces(N, Parts.Address);
  }
  Operand Object = address(N);
  if (Object.IsConstant)
    toRegister(Object);
  if (Length) {
    Length->T = Whole;
    Length->Register = allocate();
    emit(TPRT_PROGRAM_LOAD, Length->Register, Object.Register, 8,
         static_cast<int32_t>(Object.Addend +
                              static_cast<int64_t>(Parts.Length.Offset)));
  }
  advance(Object, Parts.Address.Offset);
  return load(Object, Whole);
}

/// Loads the address of a text to a register, and bounds a text that may have
/// no NUL. The operation that reads the text comes right after that.
unsigned Compiler::text(const Node &N) {
  const Node &Of = N.Kind == Node::Str ? *N.Children[0] : N;
  const Meaning &M = Meanings[Of];
  Operand Address, Length;
  bool IsBounded = false;
  if (M.Parts) {
    IsBounded = !M.Parts->HasNul;
    Address = parts(Of, *M.Parts, IsBounded ? &Length : nullptr);
    toRegister(Address);
  } else {
    Address = gen(Of);
    toRegister(Address);
    IsBounded =
        M.IsArray && M.ArrayBytes && M.ArrayBytes <= TPRT_PROGRAM_MOST_STRING;
    if (IsBounded) {
      Length.IsConstant = true;
      Length.Value = M.ArrayBytes;
      toRegister(Length);
    }
  }
  if (IsBounded)
    emit(TPRT_PROGRAM_BOUND, 0, Length.Register, 0, 0);
  return Address.Register;
}

/// The number of elements.
Operand Compiler::length(const Node &N) {
  const Node &Child = *N.Children[0];
  const Meaning::StringParts &Parts = *Meanings[N].Parts;
  if (Meanings[Child].Parts) {
    return Meanings[Child].Form == Meaning::InPieces
               ? partInPieces(Child, Parts.Length)
               : partInMemory(Child, Parts.Length);
  }
  unsigned Base = Next;
  Operand Last, First = parts(Child, Parts, &Last);
  First.T = Last.T = Parts.Address.T;
  Operand Count = sum(Base, true, Last, First, Type::integer(64, true));
  Count.T = Whole;
  return Count;
}

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

Operator negationOf(Operator Op) {
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
Operator mirrorOf(Operator Op) {
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
Operator simplified(Operator Op, const Operand &Right, bool IsSigned) {
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
  O.T = Whole;
  O = operation(Base, TPRT_PROGRAM_XOR, O, Bit, Whole);
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

void Compiler::filter(const Node &N, bool Negated) {
  if (N.Kind == Node::Unary && N.Op == Operator::Not)
    return filter(*N.Children[0], !Negated);
  Operator And = Negated ? Operator::LogicalOr : Operator::LogicalAnd;
  if (N.Kind == Node::Binary && N.Op == And) {
    filter(*N.Children[0], Negated);
    return filter(*N.Children[1], Negated);
  }
  Operand O = truth(N, Negated, nullptr, false);
  if (O.IsConstant && O.Value)
    return;
  toRegister(O);
  emit(TPRT_PROGRAM_FILTER, 0, O.Register, 0, 0);
  Next = 0;
}

KeyFormat Compiler::formatOf(const Parsed &P) const {
  const Meaning &M = Meanings[P.root()];
  KeyFormat F;
  F.Heading = P.text().str();
  F.Bits = M.T.bits();
  if (M.Kind == Meaning::Text || isCharArray(M))
    F.Kind = KeyFormat::Text;
  else if (M.Kind == Meaning::Function)
    F.Kind = KeyFormat::Function;
  else if (M.Kind == Meaning::Process)
    F.Kind = KeyFormat::Process;
  else if (M.IsLine)
    F.Kind = KeyFormat::Line;
  else if (M.Code == TPRT_PROGRAM_CALLER)
    F.Kind = KeyFormat::Code;
  else if (M.Code == TPRT_PROGRAM_THREAD)
    F.Kind = KeyFormat::Thread;
  else if (M.IsTime)
    F.Kind = KeyFormat::Time;
  else if (M.T.isPointer())
    F.Kind = KeyFormat::Address;
  else if (M.T.isWord())
    F.Kind = KeyFormat::Hex;
  else if (M.T.isFloating())
    F.Kind = KeyFormat::Floating;
  else if (M.T.isBool())
    F.Kind = KeyFormat::Bool;
  else if (M.T.isChar())
    F.Kind = KeyFormat::Character;
  else
    F.Kind = M.T.isSigned(Machine) ? KeyFormat::Signed : KeyFormat::Unsigned;
  if (M.T.isEnumeration())
    F.Names = M.T.Of;
  return F;
}

void Compiler::key(const Parsed &P) {
  const Node &N = P.root();
  const Meaning &M = Meanings[N];
  S = &P.source();
  Next = 0;
  if (M.Kind == Meaning::Process)
    return;
  if (M.Kind == Meaning::Text || isCharArray(M)) {
    Current = N.Place;
    unsigned Address = text(N);
    emit(TPRT_PROGRAM_KEY_STRING, 0, Address, 0,
         N.Kind == Node::Str && N.Value ? static_cast<int32_t>(N.Value)
                                        : TPRT_PROGRAM_MOST_STRING);
    return;
  }
  Operand O = gen(N);
  toRegister(O);
  emit(TPRT_PROGRAM_KEY, 0, O.Register, 0, 0);
}

void Compiler::value(const Parsed &P) {
  S = &P.source();
  Next = 0;
  Operand O = gen(P.root());
  toRegister(O);
  emit(TPRT_PROGRAM_VALUE, 0, O.Register, 0, 0);
}

void Compiler::countNames(const Node &N) {
  const Meaning &M = Meanings[N];
  if (M.Form == Meaning::InPieces && M.Kind == Meaning::Value) {
    if (const Location::Piece *P = pieceOf(M))
      ++Uses[loadedBy(P->Code, P->Number, Whole, Machine)];
    return;
  }
  if (N.Kind == Node::Name && M.Form != Meaning::Constant && M.Code)
    ++Uses[loadedBy(M.Code, M.Number, M.Form == Meaning::InMemory ? Whole : M.T,
                    Machine)];
  for (const std::unique_ptr<Node> &Child : N.Children)
    if (Child)
      countNames(*Child);
}

Error Compiler::check() {
  using Need = Checker::Need;
  if (A.By.size() > TPRT_PROGRAM_MOST_KEYS)
    return wrongUsage(A.By[0].source().Option + ": there are " +
                      Twine(A.By.size()) + " keys, and at most " +
                      Twine(TPRT_PROGRAM_MOST_KEYS) + " are possible");
  if (A.Print.size() > TPRT_PROGRAM_MOST_VALUES)
    return wrongUsage(A.Print[0].source().Option + ": there are " +
                      Twine(A.Print.size()) + " values, and at most " +
                      Twine(TPRT_PROGRAM_MOST_VALUES) + " are possible");
  auto take = [&](const Parsed &P, Need For) -> Error {
    if (Error E = Meanings.check(P, For))
      return E;
    countNames(P.root());
    return Error::success();
  };
  if (A.If)
    if (Error E = take(*A.If, Need::Condition))
      return E;
  for (const Parsed &P : A.By)
    if (Error E = take(P, Need::Key))
      return E;
  for (const Parsed &P : A.Print)
    if (Error E = take(P, Need::Key))
      return E;
  if (!A.Of)
    return Error::success();
  if (Error E = take(*A.Of, Need::Number))
    return E;
  if (A.Histogram && Meanings[A.Of->root()].T.isFloating())
    return errorAt(A.Of->source(), A.Of->root().Place,
                   "a histogram needs whole numbers, and this is a " +
                       Meanings[A.Of->root()].T.text() +
                       "; cast it, as in (long)((" + A.Of->text() +
                       ") * 1000)");
  return Error::success();
}

Expected<Program> Compiler::run() {
  if (Error E = check())
    return E;
  Program Result;
  if (A.If) {
    S = &A.If->source();
    Result.AtEnd |= A.If->needsEnd();
    filter(A.If->root(), false);
  }
  tprt_program_head Head = {};
  for (const Parsed &P : concat<const Parsed>(A.By, A.Print)) {
    Result.AtEnd |= P.needsEnd();
    Result.Keys.push_back(formatOf(P));
    Head.keys += Result.Keys.back().Kind != KeyFormat::Process;
    key(P);
  }
  if (A.Of) {
    Result.AtEnd |= A.Of->needsEnd();
    const Meaning &Of = Meanings[A.Of->root()];
    if (Of.IsTime)
      Result.Value = ValueFormat::Time;
    if (Of.T.isFloating())
      Result.Value = ValueFormat::Floating;
    value(*A.Of);
  }
  if (!Failure.empty())
    return wrongUsage(Failure);
  Head.operations = static_cast<uint32_t>(Operations.size());
  Head.text_bytes = static_cast<uint32_t>(Text.size());
  if (Result.AtEnd)
    Head.flags |= TPRT_PROGRAM_AT_END;
  if (A.Histogram)
    Head.flags |= TPRT_PROGRAM_HISTOGRAM;
  if (Result.Value == ValueFormat::Floating)
    Head.flags |= TPRT_PROGRAM_FLOAT_VALUE;
  Result.Bytes.assign(reinterpret_cast<const char *>(&Head), sizeof Head);
  Result.Bytes.append(reinterpret_cast<const char *>(Operations.data()),
                      Operations.size() * sizeof(tprt_program_operation));
  Result.Bytes += Text;
  return Result;
}

} // namespace

Expected<Program> compile(const Asked &A, const Signature *Function,
                          const Target &Machine) {
  return Compiler(A, Function, Machine).run();
}

} // namespace tpctl::expressions
