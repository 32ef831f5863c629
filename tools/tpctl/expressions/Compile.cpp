// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Program.h. Each operation costs time at each hit, so constants are
// computed here, conditions are inverted where a jump or a comparison can do
// it, and what is used more than once stays in a register.

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
  else if (M.Kind == Meaning::Stack)
    F.Kind = KeyFormat::Stack;
  else if (M.Kind == Meaning::Symbol)
    F.Kind = KeyFormat::Symbol;
  else if (M.Kind == Meaning::Bytes)
    F.Kind = KeyFormat::Bytes;
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
  if (M.Kind == Meaning::Stack) {
    Current = N.Place;
    emit(TPRT_PROGRAM_KEY_STACK, 0, 0, 0, static_cast<int32_t>(N.Value));
    return;
  }
  if (M.Kind == Meaning::Text || isCharArray(M)) {
    Current = N.Place;
    unsigned Address = text(N);
    emit(TPRT_PROGRAM_KEY_STRING, 0, Address, 0,
         N.Kind == Node::Str && N.Value ? static_cast<int32_t>(N.Value)
                                        : TPRT_PROGRAM_MOST_STRING);
    return;
  }
  if (M.Kind == Meaning::Bytes) {
    Operand Address = gen(*N.Children[0]);
    toRegister(Address);
    Operand Count = gen(*N.Children[1]);
    Count = convert(Count, Type::integer(64, Count.T.isSigned(Machine)));
    toRegister(Count);
    emit(TPRT_PROGRAM_BOUND, 0, Count.Register, 0, 0);
    emit(TPRT_PROGRAM_KEY_BYTES, 0, Address.Register, 0,
         TPRT_PROGRAM_MOST_STRING);
    return;
  }
  Operand O = gen(M.Kind == Meaning::Symbol ? *N.Children[0] : N);
  toRegister(O);
  emit(TPRT_PROGRAM_KEY, 0, O.Register, 0, 0);
}

/// The functions of --in.
void Compiler::inside() {
  Next = 0;
  const unsigned Register = allocate();
  emit(TPRT_PROGRAM_INSIDE, Register, 0, 0, A.usesDepth());
  emit(TPRT_PROGRAM_FILTER, 0, Register, 0, 0);
  Next = 0;
}

/// --stop-if and --hits.
void Compiler::stops() {
  if (A.StopIf) {
    S = &A.StopIf->source();
    Next = 0;
    Operand O = truth(A.StopIf->root(), false, nullptr, false);
    toRegister(O);
    emit(TPRT_PROGRAM_STOP_IF, 0, O.Register, 0, 0);
  }
  Next = 0;
  if (!A.Hits)
    return;
  const unsigned Register = allocate();
  emit(TPRT_PROGRAM_CONSTANT, Register, 0, 0, 1);
  emit(TPRT_PROGRAM_STOP_IF, 0, Register, 0, static_cast<int32_t>(A.Hits));
  Next = 0;
}

void Compiler::value(const Parsed &P) {
  S = &P.source();
  Next = 0;
  Operand O = gen(P.root());
  toRegister(O);
  emit(TPRT_PROGRAM_VALUE, 0, O.Register, 0, 0);
}

/// The operation that starts a pair, or ends one. The end's value is the time.
void Compiler::pair(const PairOfCalls &Of) {
  S = &Of.Key.source();
  Next = 0;
  Operand O = gen(Of.Key.root());
  toRegister(O);
  if (Of.Starts) {
    emit(TPRT_PROGRAM_PAIR_START, 0, O.Register, 0, 0);
    return;
  }
  unsigned Time = registerFor(O);
  emit(TPRT_PROGRAM_PAIR_END, Time, O.Register, 0, 0);
  if (A.Histogram)
    emit(TPRT_PROGRAM_VALUE, 0, Time, 0, 0);
}

/// Writes what keeps the values of entry(). All of it comes first.
void Compiler::keepValues(const Node &N) {
  for (const std::unique_ptr<Node> &Child : N.Children)
    if (Child)
      keepValues(*Child);
  if (N.Kind != Node::Entry)
    return;
  if (!IsCall) {
    fail(N.Place, "entry() is about the beginning of a call of a function");
    return;
  }
  const auto Number = static_cast<unsigned>(EntryValues.size());
  if (Number == TPRT_PROGRAM_MOST_KEPT) {
    fail(N.Place, "entry() is possible at most " +
                      Twine(TPRT_PROGRAM_MOST_KEPT) + " times");
    return;
  }
  Next = 0;
  Operand O = gen(*N.Children[0]);
  toRegister(O);
  emit(TPRT_PROGRAM_KEEP, 0, O.Register, 0, static_cast<int32_t>(Number));
  EntryValues[&N] = Number;
}

void Compiler::keepValues(const Parsed &P) {
  S = &P.source();
  keepValues(P.root());
}

void Compiler::countNames(const Node &N) {
  const Meaning &M = Meanings[N];
  if (M.Form == Meaning::InPieces && M.Kind == Meaning::Value) {
    if (const Location::Piece *P = pieceOf(M))
      ++Uses[loadedBy(P->Code, P->Number, whole(), Machine)];
    return;
  }
  if (N.Kind == Node::Name && M.Form != Meaning::Constant && M.Code)
    ++Uses[loadedBy(M.Code, M.Number,
                    M.Form == Meaning::InMemory || M.Offset ? whole() : M.T,
                    Machine)];
  for (const std::unique_ptr<Node> &Child : N.Children)
    if (Child)
      countNames(*Child);
}

Error Compiler::checkFrames() const {
  uint64_t Frames = 0;
  for (const Parsed &P : concat<const Parsed>(A.By, A.Print)) {
    if (P.root().Kind != Node::Stack)
      continue;
    Frames += P.root().Value;
    if (Frames > TPRT_PROGRAM_MOST_FRAMES)
      return errorAt(P.source(), P.root().Place,
                     "the stacks have " + Twine(Frames) +
                         " frames together, and at most " +
                         Twine(TPRT_PROGRAM_MOST_FRAMES) + " are possible");
  }
  return Error::success();
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
  if (A.StopIf)
    if (Error E = take(*A.StopIf, Need::Condition))
      return E;
  for (const Parsed &P : A.By)
    if (Error E = take(P, Need::Key))
      return E;
  for (const Parsed &P : A.Print)
    if (Error E = take(P, Need::Shown))
      return E;
  if (A.Pair)
    if (Error E = take(A.Pair->Key, Need::PairKey))
      return E;
  if (Error E = checkFrames())
    return E;
  if (!A.Of)
    return Error::success();
  if (Error E = take(*A.Of, Need::Number))
    return E;
  if (A.Pair && A.Pair->IsOpen && Meanings[A.Of->root()].T.isFloating())
    return errorAt(A.Of->source(), A.Of->root().Place,
                   "--open adds up whole numbers, and this is a " +
                       Meanings[A.Of->root()].T.text() + "; cast it to long");
  if (A.Histogram && Meanings[A.Of->root()].T.isFloating())
    return errorAt(A.Of->source(), A.Of->root().Place,
                   "a histogram needs whole numbers, and this is a " +
                       Meanings[A.Of->root()].T.text() +
                       "; cast it, as in (long)((" + A.Of->text() +
                       ") * 1000)");
  return Error::success();
}

/// At other sites than calls, such a name is that of a variable.
bool Compiler::needsEnd(const Parsed &P) const {
  return IsCall && P.needsEnd();
}

Expected<Program> Compiler::run() {
  if (Error E = check())
    return E;
  Program Result;
  if (A.If)
    keepValues(*A.If);
  for (const Parsed &P : concat<const Parsed>(A.By, A.Print))
    keepValues(P);
  if (A.Of)
    keepValues(*A.Of);
  if (A.StopIf)
    keepValues(*A.StopIf);
  if (A.Pair)
    keepValues(A.Pair->Key);
  // The part for the end of the call has registers of its own.
  KeptIn.clear();
  Kept = Next = 0;
  if (A.IsInside)
    inside();
  if (A.If) {
    S = &A.If->source();
    Result.AtEnd |= needsEnd(*A.If);
    filter(A.If->root(), false);
  }
  Result.AtEnd |= A.StopIf && needsEnd(*A.StopIf);
  stops();
  tprt_program_head Head = {};
  if (A.Pair) {
    Result.AtEnd |= A.Pair->Key.needsEnd();
    Head.flags |=
        (A.Pair->Starts ? TPRT_PROGRAM_STARTS_PAIR : TPRT_PROGRAM_ENDS_PAIR) |
        (A.Pair->IsOpen ? uint32_t{TPRT_PROGRAM_OPEN_PAIRS} : 0);
    if (!A.Pair->Starts)
      pair(*A.Pair);
    if (A.Histogram)
      Result.Value = ValueFormat::Time;
  }
  for (const Parsed &P : concat<const Parsed>(A.By, A.Print)) {
    Result.AtEnd |= needsEnd(P);
    Result.Keys.push_back(formatOf(P));
    Head.keys += Result.Keys.back().Kind != KeyFormat::Process;
    key(P);
  }
  if (A.Of) {
    Result.AtEnd |= needsEnd(*A.Of);
    const Meaning &Of = Meanings[A.Of->root()];
    if (Of.IsTime)
      Result.Value = ValueFormat::Time;
    if (Of.T.isFloating())
      Result.Value = ValueFormat::Floating;
    Result.IsUnsigned = Of.T.bits() == 64 && !Of.T.isSigned(Machine) &&
                        Result.Value == ValueFormat::Number;
    value(*A.Of);
  }
  if (A.Pair && A.Pair->Starts)
    pair(*A.Pair);
  if (!Failure.empty())
    return wrongUsage(Failure);
  Head.operations = static_cast<uint32_t>(Operations.size());
  Head.text_bytes = static_cast<uint32_t>(Text.size());
  if (Result.AtEnd)
    Head.flags |= TPRT_PROGRAM_AT_END;
  if (!EntryValues.empty())
    Head.flags |= TPRT_PROGRAM_KEEPS;
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

bool Asked::any(function_ref<bool(const Parsed &)> Is) const {
  return (If && Is(*If)) || (Of && Is(*Of)) || (StopIf && Is(*StopIf)) ||
         (Pair && Is(Pair->Key)) || any_of(By, Is) || any_of(Print, Is);
}

bool Asked::usesDepth() const {
  return any([](const Parsed &Of) {
    return Of.usesName([](StringRef Name) { return Name == "depth"; });
  });
}

Expected<Program> compile(const Asked &A, const Signature *Function,
                          const Target &Machine) {
  if (!Function)
    return Compiler(A, nullptr, Machine).run();
  std::string LeftOut;
  const Asked Expanded = expandArguments(A, *Function, Machine, LeftOut);
  auto Done = Compiler(Expanded, Function, Machine).run();
  if (Done)
    Done->LeftOut = std::move(LeftOut);
  return Done;
}

} // namespace tpctl::expressions
