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

Meaning valueOf(Type T) {
  Meaning M;
  M.T = std::move(T);
  return M;
}

/// What other tracers call our names.
struct Synonym {
  StringLiteral Theirs, Ours;
};

constexpr Synonym Synonyms[] = {
    {"retval", "result"},      {"ret", "result"},       {"rval", "result"},
    {"latency", "duration"},   {"elapsed", "duration"}, {"nsecs", "duration"},
    {"time", "duration"},      {"tid", "thread"},       {"pid", "process"},
    {"comm", "process"},       {"execname", "process"}, {"func", "function"},
    {"probefunc", "function"}, {"ucaller", "caller"}};

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
  Arguments = locateArguments(*Function, Machine);
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

std::optional<Meaning> Checker::unknownName(const Node &N) {
  std::vector<std::string> Names = {"str"};
  for (StringRef Each : builtInNames())
    Names.push_back(Each.str());
  for (unsigned I = 0; I < Machine.ArgumentRegisters; ++I)
    Names.push_back("arg" + utostr(I));
  if (Function)
    for (const ArgumentType &A : Function->Arguments)
      Names.push_back(A.Name);
  StringRef Given = N.Text, Best;
  size_t Least = std::max<size_t>(Given.size() / 3, 1) + 1;
  for (StringRef Each : Names) {
    size_t Distance = Given.edit_distance_insensitive(Each);
    if (Distance < Least && Distance < Each.size()) {
      Least = Distance;
      Best = Each;
    }
  }
  for (const Synonym &Each : Synonyms)
    if (Given == Each.Theirs)
      Best = Each.Ours;
  std::string Hint = Best.empty() ? "" : "; did you mean '" + Best.str() + "'?";
  unsigned Number;
  if (Given.starts_with("arg") && !Given.drop_front(3).getAsInteger(10, Number))
    return fail(N.Place, "'" + Given + "': only arg0 to arg" +
                             Twine(Machine.ArgumentRegisters - 1) +
                             " are in registers");
  if (Function && !Function->WhyUnknown.empty())
    return fail(N.Place, "'" + Given + "' is no known name, because " +
                             Function->WhyUnknown +
                             (Hint.empty() ? "" : "; " + Hint.substr(2)));
  if (Function)
    return fail(N.Place, "'" + Given + "' is no argument of " +
                             expressions::text(*Function) + Hint);
  return fail(N.Place,
              "'" + Given + "' is no known name" +
                  (Hint.empty() ? "; arguments without a prototype are arg0 "
                                  "to arg" +
                                      utostr(Machine.ArgumentRegisters - 1)
                                : Hint));
}

std::optional<Meaning> Checker::located(const Node &N, const Type &T,
                                        const Location &L) {
  Meaning M = valueOf(T);
  if (T.isOther() && !T.IsReference)
    return fail(N.Place, "'" + N.Text + "' is a " + T.text() +
                             ", and such values cannot be read");
  if (L.Pieces.empty())
    return fail(N.Place, "'" + N.Text + "' cannot be read: " + L.Why);
  if (L.IsAddress || T.isScalar() || T.IsReference) {
    M.Code = L.Pieces[0].Code;
    M.Number = L.Pieces[0].Number;
    M.Form = L.IsAddress ? Meaning::InMemory : Meaning::Computed;
    return M;
  }
  M.Form = Meaning::InPieces;
  M.Where = &L;
  return M;
}

std::optional<Meaning> Checker::result(const Node &N) {
  if (Function && Function->IsVoid)
    return fail(N.Place, expressions::text(*Function) + " has no result");
  if (Function && Function->Result)
    return located(N, *Function->Result, Result);
  Meaning M;
  M.Code = TPRT_PROGRAM_RESULT;
  return M;
}

/// An enumerator or a global variable.
std::optional<Meaning> Checker::ofScope(const Node &N) {
  if (!Function || !Function->Names)
    return std::nullopt;
  if (auto Found = Function->Names->findConstant(N.Text)) {
    Meaning M = valueOf(Found->first);
    M.Form = Meaning::Constant;
    M.Number = static_cast<int64_t>(Found->second);
    return M;
  }
  if (auto Found = Function->Names->findGlobal(N.Text)) {
    Meaning M = valueOf(Found->T);
    M.Form = Meaning::InMemory;
    M.Number = static_cast<int64_t>(Found->Address);
    return M;
  }
  return std::nullopt;
}

std::optional<Meaning> Checker::named(const Node &N) {
  StringRef Given = N.Text;
  Meaning M;
  if (Given == "duration") {
    M.Code = TPRT_PROGRAM_DURATION;
    M.T = Type::integer(64, false);
    M.IsTime = true;
    return M;
  }
  if (Given == "errno" || Given == "thread") {
    M.Code = Given == "errno" ? TPRT_PROGRAM_ERROR : TPRT_PROGRAM_THREAD;
    M.T = Int;
    return M;
  }
  if (Given == "caller") {
    M.Code = TPRT_PROGRAM_CALLER;
    M.T = {Type::Void, false, 8, 1, {}};
    return M;
  }
  if (Given == "function" || Given == "process") {
    M.Kind = Given == "process" ? Meaning::Process : Meaning::Function;
    M.Code = TPRT_PROGRAM_FUNCTION;
    return M;
  }
  if (Given == "result")
    return result(N);
  M.Code = TPRT_PROGRAM_ARGUMENT;
  for (unsigned I = 0; I < Machine.ArgumentRegisters; ++I)
    if (Given == "arg" + utostr(I)) {
      M.Number = static_cast<int64_t>(I);
      return M;
    }
  if (Function)
    for (size_t I = 0; I < Arguments.size(); ++I)
      if (const ArgumentType &A = Function->Arguments[I]; A.Name == Given)
        return located(N, A.T, Arguments[I]);
  // Many functions have an argument of this name.
  if (Given == "line") {
    M.Code = TPRT_PROGRAM_CALLER;
    M.T = {Type::Void, false, 8, 1, {}};
    M.IsLine = true;
    return M;
  }
  auto Found = ofScope(N);
  return Found ? Found : unknownName(N);
}

std::optional<Meaning> Checker::name(const Node &N) {
  auto M = named(N);
  return M ? settled(N, *M) : M;
}

/// Where the parts of a C++ string are, if the type is one of those of
/// libstdc++ or libc++ whose layout is known.
static std::optional<Meaning::StringParts> stringParts(const Type &T) {
  StringRef Name = T.Of ? StringRef(T.Of->Name) : StringRef();
  if (!T.isRecord() || !Name.starts_with("std::") ||
      !(Name.contains("basic_string<char,") ||
        Name.contains("basic_string_view<char,")))
    return std::nullopt;
  auto find = [&](std::initializer_list<const char *> Names) {
    std::optional<Member> Found;
    for (const char *Each : Names)
      if (!Found)
        Found = T.layout()->find(Each);
    return Found;
  };
  auto Length = find({"_M_string_length", "_M_len", "__size_", "__size"});
  auto Address = find({"_M_dataplus", "_M_str", "__data_", "__data"});
  if (!Length || !Address)
    return std::nullopt;
  if (Address->T.isRecord() && Address->T.Of) {
    auto Inner = Address->T.layout()->find("_M_p");
    if (!Inner)
      return std::nullopt;
    Inner->Offset += Address->Offset;
    Address = Inner;
  }
  return Meaning::StringParts{*Address, *Length,
                              Name.contains("basic_string<")};
}

/// Where a std::vector's elements begin and end.
static std::optional<Meaning::StringParts> vectorParts(const Type &T) {
  if (!T.isRecord() || !T.Of || !StringRef(T.Of->Name).starts_with("std::") ||
      !StringRef(T.Of->Name).contains("vector<"))
    return std::nullopt;
  const Layout *In = T.layout();
  uint64_t Offset = 0;
  if (auto Impl = In->find("_M_impl"); Impl && Impl->T.isRecord()) {
    In = Impl->T.layout();
    Offset = Impl->Offset;
  }
  auto First = In ? In->find("_M_start") : std::nullopt,
       Last = In ? In->find("_M_finish") : std::nullopt;
  if (!First || !Last) {
    First = T.layout()->find("__begin_");
    Last = T.layout()->find("__end_");
    Offset = 0;
  }
  // The bits of a std::vector<bool> are counted in another way.
  if (!First || !Last || !First->T.isPointer() || !First->T.pointee().bytes())
    return std::nullopt;
  First->Offset += Offset;
  Last->Offset += Offset;
  return Meaning::StringParts{*First, *Last};
}

/// Why the types of a function's module are unknown.
static std::string whyNoTypes(const Signature &S) {
  return S.WhyUnknown.empty() ? S.Function + " is known by its prototype only"
                              : S.WhyUnknown;
}

/// An example of its members, for messages.
static std::string firstMember(const Type &T) {
  if (T.Of)
    for (const Member &M : T.layout()->members())
      if (!M.Name.empty())
        return ", such as '" + M.Name + "'";
  return "";
}

std::optional<Meaning> Checker::settled(const Node &N, Meaning M) {
  if (M.Kind != Meaning::Value)
    return M;
  if (M.T.IsReference) {
    if (M.Form == Meaning::InPieces)
      return fail(N.Place, textOf(N) + " is a reference in a register, and "
                                       "cannot be followed");
    M.IsIndirect = M.Form == Meaning::InMemory;
    M.Form = Meaning::InMemory;
    M.T = M.T.referent();
  }
  if (M.T.isArray() && M.T.Of) {
    if (M.Form != Meaning::InMemory)
      return fail(N.Place,
                  textOf(N) + " is an array in registers, and cannot be read");
    M.IsArray = true;
    M.ArrayBytes = M.T.layout()->Bytes;
    M.Array = M.T;
    M.T = M.T.Of->Element.pointer();
  }
  if (auto Parts = stringParts(M.T)) {
    M.Kind = Meaning::Text;
    M.Parts = Parts;
  }
  return M;
}

std::string Checker::noMember(const Node &N, const Type &T) const {
  std::string Names;
  size_t Count = 0;
  StringRef Best;
  size_t Least = std::max<size_t>(N.Text.size() / 3, 1) + 1;
  for (const Member &M : T.layout()->members()) {
    if (M.Name.empty())
      continue;
    size_t Distance = StringRef(N.Text).edit_distance_insensitive(M.Name);
    if (Distance < Least) {
      Least = Distance;
      Best = M.Name;
    }
    if (Count++ < 8)
      Names += (Names.empty() ? "" : ", ") + M.Name;
  }
  if (!Best.empty())
    return "; did you mean '" + Best.str() + "'?";
  if (!Count)
    return ", which has no members";
  return ", whose members are " + Names + (Count > 8 ? " and others" : "");
}

std::optional<Meaning> Checker::member(const Node &N) {
  const Node &Child = *N.Children[0];
  auto M = meaningOf(Child);
  if (!M)
    return M;
  bool IsArrow = N.Kind == Node::ArrowMember;
  bool IsValue = M->Kind == Meaning::Value || M->Parts;
  Type T = M->T;
  if (IsValue && IsArrow && T.isRecord())
    return fail(N.Place, textOf(Child) + " is no pointer; write '.' in place "
                                         "of '->'");
  if (IsValue && !IsArrow && T.isPointer() && T.pointee().isRecord())
    return fail(N.Place, textOf(Child) + " is a pointer; write '->' in place "
                                         "of '.'");
  if (IsArrow && IsValue && T.isPointer())
    T = T.pointee();
  else if (IsArrow)
    T = Type();
  if (!IsValue || !T.isRecord() || !T.Of) {
    bool IsUntyped = IsValue && (M->T.isWord() || T.isVoid());
    return fail(N.Place, textOf(Child) +
                             (IsUntyped ? " has no known type; cast it, as "
                                          "in ((struct NAME *)" +
                                              castable(Child) + ")->" + N.Text
                                        : " has no members"));
  }
  if (T.layout()->IsIncomplete)
    return fail(N.Place, "the members of " + T.text() +
                             " are not in the debug information");
  auto Found = T.layout()->find(N.Text);
  if (!Found)
    return fail(N.Place, "'" + N.Text + "' is no member of " + T.text() +
                             noMember(N, T));
  Meaning Result = valueOf(Found->T);
  if (Found->T.isOther() && !Found->T.IsReference)
    return fail(N.Place, textOf(N) + " is a " + Found->T.text() +
                             ", and such values cannot be read");
  Result.FirstBit = Found->FirstBit;
  Result.BitCount = Found->BitCount;
  Result.Form = Meaning::InMemory;
  Result.Offset = Found->Offset;
  if (!IsArrow && M->Form == Meaning::InPieces) {
    Result.Form = Meaning::InPieces;
    Result.Where = M->Where;
    Result.Offset += M->Offset;
  }
  return settled(N, Result);
}

std::optional<Meaning> Checker::addressOf(const Node &N) {
  const Node &Child = *N.Children[0];
  auto M = meaningOf(Child);
  if (!M)
    return M;
  if (M->Form != Meaning::InMemory || M->BitCount)
    return fail(N.Place, textOf(Child) + " is not in memory, so it has no "
                                         "address");
  return valueOf((M->IsArray ? M->Array : M->T).pointer());
}

std::optional<Meaning> Checker::len(const Node &N) {
  const Node &Child = *N.Children[0];
  auto M = meaningOf(Child);
  if (!M)
    return M;
  Meaning Result = valueOf(Type::integer(64, false));
  if (M->Parts) {
    Result.Parts = M->Parts;
    return Result;
  }
  if (M->IsArray && M->ArrayBytes && M->T.pointee().bytes()) {
    Result.Form = Meaning::Constant;
    Result.Number =
        static_cast<int64_t>(M->ArrayBytes / M->T.pointee().bytes());
    return Result;
  }
  auto Vector = vectorParts(M->T);
  if (!Vector || M->Form != Meaning::InMemory)
    return fail(N.Place, textOf(Child) +
                             " has no known length; len() takes a "
                             "std::string, a std::string_view, a std::vector "
                             "or an array");
  Result.Parts = Vector;
  return Result;
}

std::optional<Meaning> Checker::cast(const Node &N) {
  auto M = value(*N.Children[0], "a cast needs a number");
  if (!M)
    return M;
  Type To = N.T;
  if (!N.Text.empty()) {
    auto Found = Function && Function->Names ? Function->Names->findType(N.Text)
                                             : std::nullopt;
    if (!Found)
      return fail(N.Place, "the type '" + N.Text + "' is unknown" +
                               (!Function ? std::string()
                                : Function->Names
                                    ? " to the debug information"
                                    : ", because " + whyNoTypes(*Function)));
    To = *Found;
    To.Pointers = static_cast<uint8_t>(To.Pointers + N.Value);
    if (N.Value)
      To.Spelling.clear();
    if (To.isVoid() || !To.isScalar() || To.IsReference)
      return fail(N.Place, "a cast is to a number or a pointer, as in (" +
                               N.Text + " *)" + castable(*N.Children[0]));
  }
  if (To.isFloating() && M->T.isPointer())
    return fail(N.Place, textOf(*N.Children[0]) +
                             " is an address, and a cast to " + To.text() +
                             " needs a number");
  if (To.isPointer() && M->T.isFloating())
    return fail(N.Place, textOf(*N.Children[0]) +
                             " is a floating-point number, and no address");
  return valueOf(To);
}

std::optional<Meaning> Checker::value(const Node &N, StringRef For) {
  auto M = meaningOf(N);
  if (!M)
    return M;
  if (M->Kind == Meaning::Value && M->T.isRecord())
    return fail(N.Place, textOf(N) + " is a " + M->T.text() +
                             "; choose one of its members" + firstMember(M->T));
  if (M->Kind == Meaning::Value)
    return M;
  if (M->Parts)
    return fail(N.Place, textOf(N) + " is a " + M->T.text() + ", and " + For +
                             "; len(" + textOf(N) + ") is its length");
  if (M->Kind == Meaning::Text)
    return fail(N.Place, textOf(N) + " is text, and " + For);
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
  if (!M)
    return M;
  if (M->T.bits() != 64 || M->T.isFloating())
    return fail(Child.Place, textOf(Child) + " is of the type " + M->T.text() +
                                 ", and str() needs an address");
  Meaning Result;
  Result.Kind = Meaning::Text;
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
    }
    return std::nullopt;
  };
  auto Found = find();
  if (Found)
    Meanings[&N] = *Found;
  return Found;
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
  case Need::Key:
    M = meaningOf(Root);
    if (M && M->Kind == Meaning::Value && M->T.isRecord())
      value(Root, "");
    if (M && Root.Kind == Node::String)
      fail(Root.Place, "this string is the same for all calls; a key is "
                       "str(ADDRESS) or a number");
    break;
  }
  return Failure.empty() ? Error::success() : wrongUsage(Failure);
}

} // namespace tpctl::expressions
