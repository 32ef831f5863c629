// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Check.h.

#include "Check.h"

#include "shared/UsageError.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace tpctl::expressions {
namespace {

const Type Int = Type::integer(32, true);

bool isTextTest(Operator Op) {
  return Op == Operator::Matches || Op == Operator::MatchesNot;
}

bool isEquality(Operator Op) {
  return Op == Operator::Equal || Op == Operator::NotEqual;
}

bool isComparison(Operator Op) {
  return Op >= Operator::Less && Op <= Operator::NotEqual;
}

bool isLogical(Operator Op) {
  return Op == Operator::LogicalAnd || Op == Operator::LogicalOr;
}

} // namespace

Checker::Checker(const Signature *Function, const Target &Machine)
    : Function(Function), Machine(Machine) {
  if (!Function)
    return;
  if (Function->At == Site::Call)
    Arguments = locateArguments(*Function, Machine);
  Arguments.resize(Function->Arguments.size());
  for (size_t I = 0; I < Arguments.size(); ++I)
    if (const auto &Told = Function->Arguments[I].Where)
      Arguments[I] = *Told;
  if (Function->ResultWhere)
    Result = *Function->ResultWhere;
  else if (Function->Result)
    Result = locateResult(*Function->Result, Machine);
}

std::nullopt_t Checker::fail(Range R, const Twine &Message) {
  if (Failure.empty())
    Failure = messageAt(*S, R, Message);
  return std::nullopt;
}

StringRef Checker::textOf(const Node &N) const {
  return StringRef(S->Text).slice(N.Place.Begin, N.Place.End);
}

std::string Checker::castable(const Node &N) const {
  bool HasOperator = N.Kind == Node::Binary || N.Kind == Node::Conditional;
  bool IsOpen = HasOperator && N.Place.Begin == N.Children[0]->Place.Begin;
  std::string Text = textOf(N).str();
  return IsOpen ? "(" + Text + ")" : Text;
}

std::optional<Meaning> Checker::value(const Node &N, StringRef For) {
  auto M = meaningOf(N);
  if (!M)
    return M;
  if (M->Kind == Meaning::Value && M->T.isRecord())
    return fail(N.Place,
                textOf(N) + " is a " + M->T.text() + instead(M->T, textOf(N)));
  if (!M->WhyUntyped.empty())
    return fail(N.Place, textOf(N) + " has no known type, because " +
                             M->WhyUntyped + "; write it, as in *(" +
                             typeOfBits(M->T.Bits) + " *)&" + textOf(N));
  if (M->Kind == Meaning::Value && M->T.isOther())
    return fail(N.Place, textOf(N) + " is a " + M->T.text() +
                             ", and such values cannot be read");
  if (M->Kind == Meaning::Value)
    return M;
  if (M->Parts)
    return fail(N.Place, textOf(N) + " is a " + M->T.text() + ", and " + For +
                             "; len(" + textOf(N) + ") is its length");
  if (M->Kind == Meaning::Text)
    return fail(N.Place, textOf(N) + " is text, and " + For);
  if (M->Kind == Meaning::Stack)
    return fail(N.Place, textOf(N) +
                             " can only be a key or a value alone, as in --by "
                             "'" +
                             textOf(N) + "'");
  if (M->Kind == Meaning::Symbol)
    return fail(N.Place, textOf(N) + " can only be a key or a value alone; " +
                             "compare the address itself");
  if (M->Kind == Meaning::Bytes)
    return fail(N.Place, textOf(N) + " can only be a key or a value alone; " +
                             "compare numbers that you read, as in *(int *)" +
                             castable(*N.Children[0]));
  return fail(N.Place,
              "'" + N.Text + "' can only be a key alone, as in --by " + N.Text);
}

std::optional<Meaning> Checker::pointedTo(const Node &Pointer,
                                          const Meaning &M) {
  if (!M.T.isPointer())
    return fail(Pointer.Place, textOf(Pointer) +
                                   " is no pointer; write the type of what is "
                                   "read, as in *(int *)" +
                                   castable(Pointer));
  Type T = M.T.pointee();
  if (T.isVoid() || T.isOther())
    return fail(Pointer.Place, textOf(Pointer) +
                                   " points to something unknown; cast it, as "
                                   "in *(int *)" +
                                   castable(Pointer));
  Meaning Result = valueOf(T);
  Result.Form = Meaning::InMemory;
  return settled(Pointer, Result);
}

std::optional<Meaning> Checker::unary(const Node &N) {
  const Node &Child = *N.Children[0];
  if (N.Op == Operator::AddressOf)
    return addressOf(N);
  auto M = value(Child, "this operator needs a number");
  if (!M)
    return M;
  if (N.Op == Operator::Not)
    return valueOf(Int);
  if (N.Op == Operator::Dereference)
    return pointedTo(Child, *M);
  if (M->T.isPointer())
    return fail(N.Place,
                textOf(Child) +
                    " is an address, and this operator needs a number");
  if (N.Op == Operator::Complement && M->T.isFloating())
    return fail(N.Place, textOf(Child) + " is a floating-point number, and "
                                         "this operator needs a whole number");
  return valueOf(promoted(M->T, Machine));
}

/// Whether a glob has alternatives, as {one,two}.
static bool hasAlternatives(StringRef Glob) {
  size_t Brace = Glob.find('{');
  size_t Comma = Glob.find(',', Brace);
  return Comma != StringRef::npos && Glob.find('}', Comma) != StringRef::npos;
}

bool isCharArray(const Meaning &M) {
  return M.IsArray && M.T.pointee().isChar();
}

std::optional<Meaning> Checker::textTest(const Node &N) {
  const Node *L = N.Children[0].get(), *R = N.Children[1].get();
  // A string may be on the left of == and !=.
  if (isEquality(N.Op) && L->Kind == Node::String)
    std::swap(L, R);
  if (L->Kind == Node::String && R->Kind == Node::String)
    return fail(N.Place, "these are two strings; one side has to be "
                         "str(ADDRESS)");
  auto isText = [&](const Node *Of) {
    const Meaning &M = Meanings.find(Of)->second;
    return Of->Kind != Node::String &&
           (M.Kind == Meaning::Text || isCharArray(M));
  };
  if (isText(L) && isText(R))
    return fail(N.Place, "two strings of the process cannot be compared; one "
                         "side has to be a string in \"\"");
  if (R->Kind != Node::String)
    return fail(R->Place,
                isTextTest(N.Op)
                    ? "the right side has to be a glob in \"\", as in "
                      "str(arg0) =~ \"/etc/*\""
                    : "str() is compared with a string in \"\"");
  if (!isText(L))
    return fail(L->Place, textOf(*L) + " is no text; write str(" + textOf(*L) +
                              ") for the string at this address");
  if (isTextTest(N.Op) && hasAlternatives(R->Text))
    return fail(R->Place, "a glob of a string has no alternatives in {}; write "
                          "two comparisons with || or && between them");
  if (L->Kind == Node::Str && L->Value)
    return fail(L->Place, "str() with a length is only possible as a key; for "
                          "the beginning of a string write str(" +
                              textOf(*L->Children[0]) + ") =~ \"...*\"");
  if (isEquality(N.Op) && R->Text.size() > TPRT_PROGRAM_MOST_STRING)
    return fail(R->Place, "this string has " + Twine(R->Text.size()) +
                              " bytes, and only " +
                              Twine(TPRT_PROGRAM_MOST_STRING) +
                              " bytes of a string are read");
  return valueOf(Int);
}

std::optional<Meaning> Checker::floating(const Node &N, const Meaning &Left,
                                         const Meaning &Right) {
  bool IsSum = N.Op == Operator::Add || N.Op == Operator::Subtract;
  if (Left.T.isPointer() || Right.T.isPointer())
    return fail(N.Place, "an address and a floating-point number have no "
                         "common type");
  if (!IsSum && N.Op != Operator::Multiply && N.Op != Operator::Divide)
    return fail(N.Place,
                "this operator needs whole numbers; cast, as in "
                "(long)" +
                    castable(*N.Children[Left.T.isFloating() ? 0 : 1]));
  return valueOf(common(Left.T, Right.T, Machine));
}

std::optional<Meaning> Checker::arithmetic(const Node &N, const Meaning &Left,
                                           const Meaning &Right) {
  const Type &L = Left.T, &R = Right.T;
  bool IsSum = N.Op == Operator::Add || N.Op == Operator::Subtract;
  if (L.isFloating() || R.isFloating())
    return floating(N, Left, Right);
  if (!L.isPointer() && !R.isPointer()) {
    bool IsShift = N.Op == Operator::ShiftLeft || N.Op == Operator::ShiftRight;
    Meaning M = valueOf(IsShift ? promoted(L, Machine) : common(L, R, Machine));
    M.IsTime = IsSum && Left.IsTime && Right.IsTime;
    return M;
  }
  auto isNumber = [](const Type &T) { return !T.isPointer(); };
  if (IsSum && L.isPointer() && isNumber(R))
    return valueOf(L);
  if (N.Op == Operator::Add && R.isPointer() && isNumber(L))
    return valueOf(R);
  if (N.Op == Operator::Subtract && L.isPointer() && R.isPointer()) {
    if (L.pointee().step() == R.pointee().step())
      return valueOf(Type::integer(64, true));
    return fail(N.Place, "these pointers point to types of different sizes; "
                         "cast them to char *");
  }
  const Node &Pointer = *N.Children[L.isPointer() ? 0 : 1];
  return fail(N.Place, textOf(Pointer) +
                           " is an address, and this operator needs a number; "
                           "cast it, as in (long)" +
                           castable(Pointer));
}

std::optional<Meaning> Checker::binary(const Node &N) {
  const Node &Left = *N.Children[0], &Right = *N.Children[1];
  bool MayBeText = isEquality(N.Op) || isTextTest(N.Op);
  auto check = [&](const Node &Child) {
    auto M = MayBeText ? meaningOf(Child)
                       : value(Child, "this operator needs a number");
    if (M && M->Kind != Meaning::Text &&
        (M->Kind != Meaning::Value || M->T.isRecord()))
      return value(Child, "");
    return M;
  };
  auto L = check(Left);
  if (!L)
    return L;
  auto R = check(Right);
  if (!R)
    return R;
  if (isTextTest(N.Op) || L->Kind == Meaning::Text || R->Kind == Meaning::Text)
    return textTest(N);
  if (isComparison(N.Op) && (L->T.isPointer() || R->T.isPointer()) &&
      (L->T.isFloating() || R->T.isFloating()))
    return floating(N, *L, *R);
  if (isComparison(N.Op) || isLogical(N.Op))
    return valueOf(Int);
  return arithmetic(N, *L, *R);
}

std::optional<Meaning> Checker::conditional(const Node &N) {
  if (!value(*N.Children[0], "a condition needs a number"))
    return std::nullopt;
  StringRef Hint = "'?:' needs numbers; choose the address inside of str()";
  auto Then = value(*N.Children[1], Hint);
  if (!Then)
    return Then;
  auto Else = value(*N.Children[2], Hint);
  if (!Else)
    return Else;
  bool HasPointer = Then->T.isPointer() || Else->T.isPointer();
  if (HasPointer && (Then->T.isFloating() || Else->T.isFloating()))
    return fail(N.Place, "an address and a floating-point number have no "
                         "common type");
  Type T = Then->T.isPointer()   ? Then->T
           : Else->T.isPointer() ? Else->T
           : Then->T.isWord() && Else->T.isWord()
               ? Type()
               : common(Then->T, Else->T, Machine);
  Meaning M = valueOf(T);
  M.IsTime = Then->IsTime && Else->IsTime;
  return M;
}

std::optional<Meaning> Checker::index(const Node &N) {
  const Node &Pointer = *N.Children[0], &Which = *N.Children[1];
  auto P = value(Pointer, "[] needs a pointer");
  if (!P)
    return P;
  auto W = value(Which, "[] needs a number");
  if (!W)
    return W;
  if (W->T.isPointer() || W->T.isFloating())
    return fail(Which.Place,
                textOf(Which) + (W->T.isPointer()
                                     ? " is an address, and [] needs a number"
                                     : " is a floating-point number, and [] "
                                       "needs a whole number"));
  return pointedTo(Pointer, *P);
}

std::optional<Meaning> Checker::str(const Node &N) {
  const Node &Child = *N.Children[0];
  auto M = meaningOf(Child);
  if (M && M->Parts)
    return M; // str(s) of a std::string is s
  M = value(Child, "str() needs its address");
  if (!M || !isAddress(Child, *M, "str()"))
    return std::nullopt;
  Meaning Result;
  Result.Kind = Meaning::Text;
  return Result;
}

bool Checker::isAddress(const Node &N, const Meaning &M, StringRef For) {
  if (M.T.bits() == 64 && !M.T.isFloating())
    return true;
  fail(N.Place, textOf(N) + " is of the type " + M.T.text() + ", and " + For +
                    " needs an address");
  return false;
}

std::optional<Meaning> Checker::sym(const Node &N) {
  const Node &Child = *N.Children[0];
  auto M = value(Child, "sym() needs an address");
  if (!M || !isAddress(Child, *M, "sym()"))
    return std::nullopt;
  Meaning Result;
  Result.Kind = Meaning::Symbol;
  return Result;
}

std::optional<Meaning> Checker::buf(const Node &N) {
  const Node &Child = *N.Children[0], &Count = *N.Children[1];
  auto M = value(Child, "buf() needs its address");
  if (!M || !isAddress(Child, *M, "buf()"))
    return std::nullopt;
  auto Bytes = value(Count, "buf() needs the number of bytes");
  if (!Bytes)
    return Bytes;
  if (Bytes->T.isPointer() || Bytes->T.isFloating())
    return fail(Count.Place, textOf(Count) + " is of the type " +
                                 Bytes->T.text() +
                                 ", and buf() needs a number of bytes");
  Meaning Result;
  Result.Kind = Meaning::Bytes;
  return Result;
}

/// A part that is known only at the end of a call.
const Node *Checker::lateIn(const Node &N) const {
  const uint8_t Code = N.Kind == Node::Name ? Meanings.lookup(&N).Code : 0;
  if (N.Kind == Node::Entry || Code == TPRT_PROGRAM_RESULT ||
      Code == TPRT_PROGRAM_FLOAT_RESULT || Code == TPRT_PROGRAM_DURATION ||
      Code == TPRT_PROGRAM_ERROR ||
      (N.Kind == Node::Name && N.Text == "result" && !N.Value))
    return &N;
  for (const std::unique_ptr<Node> &Child : N.Children)
    if (const Node *Late = Child ? lateIn(*Child) : nullptr)
      return Late;
  return nullptr;
}

std::optional<Meaning> Checker::entry(const Node &N) {
  const Node &Child = *N.Children[0];
  auto M = value(Child, "entry() needs a number");
  if (!M)
    return M;
  if (const Node *Late = lateIn(Child))
    return fail(Late->Place, textOf(*Late) +
                                 " is of the end of a call, and entry() is of "
                                 "its beginning");
  Meaning Result = valueOf(M->T);
  Result.IsTime = M->IsTime;
  return Result;
}

std::optional<Meaning> Checker::meaningOf(const Node &N) {
  auto find = [&]() -> std::optional<Meaning> {
    switch (N.Kind) {
    case Node::Number: {
      Meaning M = valueOf(N.T);
      M.IsTime = N.IsTime;
      return M;
    }
    case Node::Character:
      return valueOf(Int);
    case Node::String: {
      Meaning M;
      M.Kind = Meaning::Text;
      return M;
    }
    case Node::Name:
      return name(N);
    case Node::Unary:
      return unary(N);
    case Node::Binary:
      return binary(N);
    case Node::Conditional:
      return conditional(N);
    case Node::Cast:
      return cast(N);
    case Node::Member:
    case Node::ArrowMember:
      return member(N);
    case Node::Len:
      return len(N);
    case Node::Index:
      return index(N);
    case Node::Str:
      return str(N);
    case Node::Stack: {
      Meaning M;
      M.Kind = Meaning::Stack;
      return M;
    }
    case Node::Sym:
      return sym(N);
    case Node::Buf:
      return buf(N);
    case Node::Entry:
      return entry(N);
    }
    return std::nullopt;
  };
  auto Found = find();
  if (Found)
    Meanings[&N] = *Found;
  return Found;
}

const Node *Checker::lineIn(const Node &N) const {
  if (N.Kind == Node::Name && Meanings.lookup(&N).IsLine)
    return &N;
  for (const std::unique_ptr<Node> &Child : N.Children)
    if (const Node *Line = Child ? lineIn(*Child) : nullptr)
      return Line;
  return nullptr;
}

Error Checker::check(const Parsed &P, Need For) {
  S = &P.source();
  Failure.clear();
  const Node &Root = P.root();
  std::optional<Meaning> M;
  switch (For) {
  case Need::Condition:
    M = value(Root, "a condition needs a number; compare it, as in " +
                        textOf(Root).str() + " == \"text\"");
    break;
  case Need::Number:
    M = value(Root, "a sum needs a number");
    if (M && M->T.isPointer())
      fail(Root.Place,
           textOf(Root) + " is an address, and a sum needs a number");
    break;
  case Need::PairKey:
    M = value(Root, "the key of a pair is a number or an address");
    if (M && M->T.isFloating())
      fail(Root.Place, textOf(Root) + " is a floating-point number, and the "
                                      "key of a pair is a whole number or an "
                                      "address");
    break;
  case Need::Key:
  case Need::Shown:
    M = meaningOf(Root);
    if (M && M->Kind == Meaning::Value && (M->T.isRecord() || M->T.isOther()))
      value(Root, "");
    if (M && Root.Kind == Node::String)
      fail(Root.Place, "this string is the same for all calls; a key is "
                       "str(ADDRESS) or a number");
    break;
  }
  if (const Node *Line = Failure.empty() ? lineIn(Root) : nullptr;
      Line && (Line != &Root || For != Need::Key))
    fail(Line->Place, "'line' is only a key, as in --by line, and the "
                      "function has no argument of this name; caller is the "
                      "address to which the call returns");
  return Failure.empty() ? Error::success() : wrongUsage(Failure);
}

} // namespace tpctl::expressions
