// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Compiler that make a program out of expressions: its conditions,
// keys and values, what it keeps of entries, and where it ends.

#include "Compiler.h"
#include "shared/UsageError.h"
#include "tprt/control_program.h"

using namespace llvm;

namespace tpctl::expressions {

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
  if (A.Self)
    Head.flags |= TPRT_PROGRAM_SELF;
  if (A.namesModules())
    Head.flags |= TPRT_PROGRAM_OF_MODULES;
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

bool Asked::namesModules() const {
  return any([](const Parsed &Of) {
    return Of.usesName([](StringRef Name) { return Name.contains('!'); });
  });
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
