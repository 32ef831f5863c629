// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of Checker about names, members and types.

#include "Check.h"

#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace tpctl::expressions {
namespace {

/// What other tracers call our names.
struct Synonym {
  StringLiteral Theirs, Ours;
};

constexpr Synonym Synonyms[] = {
    {"retval", "result"},      {"ret", "result"},       {"rval", "result"},
    {"latency", "duration"},   {"elapsed", "duration"}, {"nsecs", "duration"},
    {"time", "duration"},      {"tid", "thread"},       {"pid", "process"},
    {"comm", "process"},       {"execname", "process"}, {"usym", "sym"},
    {"probefunc", "function"}, {"ucaller", "caller"},   {"stack", "stack()"},
    {"ustack", "stack()"},     {"backtrace", "stack()"}};

bool isAmbiguous(const Signature &S, StringRef Name) {
  return S.Names && S.Names->isAmbiguous(Name);
}

constexpr StringLiteral SeveralMeanings =
    " has different meanings in several source files, and that of the function "
    "does not define it";

} // namespace

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
  if (Function && isAmbiguous(*Function, Given))
    return fail(N.Place, "'" + Given + "'" + SeveralMeanings);
  if (Function && Function->Names)
    if (std::string Why = Function->Names->whyNoGlobal(Given); !Why.empty())
      return fail(N.Place, "'" + Given + "' cannot be read: " + Why);
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
  if (L.IsConstant) {
    M.Form = L.IsAddress ? Meaning::InMemory : Meaning::Constant;
    M.Number = L.Addend;
    if (!L.IsAddress)
      M.Number = static_cast<int64_t>(
          normal(static_cast<uint64_t>(L.Addend), T, Machine));
    return M;
  }
  if (L.Pieces.empty())
    return fail(N.Place, "'" + N.Text + "' cannot be read: " + L.Why);
  M.Offset = static_cast<uint64_t>(L.Addend);
  M.IsIndirect = L.IsIndirect;
  M.Index = L.Index;
  M.Scale = L.Scale;
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
std::optional<Meaning> Checker::ofScope(const Node &N, const Scope &Names) {
  if (auto Found = Names.findConstant(N.Text)) {
    Meaning M = valueOf(Found->first);
    M.Form = Meaning::Constant;
    M.Number = static_cast<int64_t>(Found->second);
    return M;
  }
  if (auto Found = Names.findGlobal(N.Text)) {
    Meaning M = valueOf(Found->T);
    M.Form = Meaning::InMemory;
    M.Number = static_cast<int64_t>(Found->Address);
    M.WhyUntyped = Found->WhyUntyped;
    return M;
  }
  return std::nullopt;
}

std::optional<Meaning> Checker::ofModule(const Node &N) {
  if (!Function || !Function->Modules)
    return fail(N.Place, "'" + N.Text +
                             "' is a variable of a module of a "
                             "process, and no process was given");
  if (auto Found = ofScope(N, *Function->Modules))
    return Found;
  return fail(N.Place, "'" + N.Text + "' cannot be read: " +
                           Function->Modules->whyNoGlobal(N.Text));
}

/// expandArguments() has replaced it where it has a meaning.
std::optional<Meaning> Checker::allArguments(const Node &N) {
  if (Function && !Function->WhyUnknown.empty())
    return fail(N.Place, "the arguments are not known, because " +
                             Function->WhyUnknown + "; write arg0, arg1 ...");
  return fail(N.Place, "'args' is only a value alone of trace --print and "
                       "record --values; name one argument");
}

std::optional<Meaning> Checker::named(const Node &N) {
  StringRef Given = N.Text;
  if (N.Value)
    return located(N, Function->Arguments[N.Value - 1].T,
                   Arguments[N.Value - 1]);
  if (Given.starts_with("$"))
    return ofRegister(N);
  if (Given.contains('!'))
    return ofModule(N);
  if (Function && Function->At != Site::Call)
    return namedInside(N);
  Meaning M;
  if (Given == "duration") {
    M.Code = TPRT_PROGRAM_DURATION;
    M.T = Type::integer(64, false);
    M.IsTime = true;
    return M;
  }
  if (Given == "errno" || Given == "thread") {
    M.Code = Given == "errno" ? TPRT_PROGRAM_ERROR : TPRT_PROGRAM_THREAD;
    M.T = Type::integer(32, true);
    return M;
  }
  if (Given == "depth") {
    M.Code = TPRT_PROGRAM_DEPTH;
    M.T = Type::integer(32, true);
    return M;
  }
  if (Given == "caller") {
    M.Code = TPRT_PROGRAM_CALLER;
    M.T = {Type::Void, false, 8, 1, {}};
    return M;
  }
  if (Given == "function" || Given == "func" || Given == "process") {
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
  if (Given == AllArguments)
    return allArguments(N);
  if (Given == "true" || Given == "false") {
    M = valueOf({Type::Bool, false, 8, 0, {}});
    M.Form = Meaning::Constant;
    M.Number = Given == "true";
    return M;
  }
  // Many functions have an argument of this name.
  if (Given == "line") {
    M.Code = TPRT_PROGRAM_CALLER;
    M.T = {Type::Void, false, 8, 1, {}};
    M.IsLine = true;
    return M;
  }
  auto Found =
      Function && Function->Names ? ofScope(N, *Function->Names) : std::nullopt;
  return Found ? Found : unknownName(N);
}

std::optional<Meaning> Checker::name(const Node &N) {
  auto M = named(N);
  return M ? settled(N, *M) : M;
}

/// A member of a member, with its offset in the whole.
static std::optional<Member> inside(const std::optional<Member> &Outer,
                                    const char *Name) {
  if (!Outer || !Outer->T.isRecord() || !Outer->T.Of)
    return std::nullopt;
  auto Found = Outer->T.layout()->find(Name);
  if (Found)
    Found->Offset += Outer->Offset;
  return Found;
}

/// libc++'s std::string: <string> of LLVM 6 to 22, in both of its layouts.
/// Until LLVM 19, the union of the two forms is in a pair with the allocator.
/// Since LLVM 15, a bit-field tells the forms apart. Before, it was a bit of
/// the short form's length: the lowest if that is the first byte, else the
/// highest.
static std::optional<Meaning::StringParts> libcxxStringParts(const Type &T) {
  auto Form = T.layout()->find("__rep_");
  if (!Form)
    Form = inside(T.layout()->find("__r_"), "__value_");
  const auto Long = inside(Form, "__l"), Short = inside(Form, "__s");
  const auto Address = inside(Long, "__data_"),
             Length = inside(Long, "__size_"), Text = inside(Short, "__data_");
  auto IsLong = inside(Short, "__is_long_"),
       ShortLength = inside(Short, "__size_");
  if (!Address || !Length || !Text || !ShortLength)
    return std::nullopt;
  if (!IsLong) {
    const bool IsFirst = ShortLength->Offset < Text->Offset;
    IsLong = ShortLength;
    IsLong->BitCount = 1;
    IsLong->FirstBit = IsFirst ? 0 : 7;
    ShortLength->BitCount = 7;
    ShortLength->FirstBit = IsFirst ? 1 : 0;
  }
  for (const auto &Each : {*IsLong, *ShortLength})
    if (!Each.BitCount || Each.FirstBit + Each.BitCount > 8)
      return std::nullopt;
  return Meaning::StringParts{
      *Address, *Length, /*HasNul=*/true,
      Meaning::StringParts::Inside{*IsLong, *ShortLength, Text->Offset}};
}

/// Where the parts of a C++ string are, if the type is one of those of
/// libstdc++ or libc++ whose layout is known.
static std::optional<Meaning::StringParts> stringParts(const Type &T) {
  StringRef Name = T.Of ? StringRef(T.Of->Name) : StringRef();
  if (!T.isRecord() || !Name.starts_with("std::") ||
      !(Name.contains("basic_string<char,") ||
        Name.contains("basic_string_view<char,")))
    return std::nullopt;
  if (auto Parts = libcxxStringParts(T))
    return Parts;
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
    Address = inside(Address, "_M_p");
    if (!Address)
      return std::nullopt;
  }
  return Meaning::StringParts{
      *Address, *Length, Name.contains("basic_string<"), {}};
}

std::optional<Meaning::StringParts> vectorParts(const Type &T) {
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
  return Meaning::StringParts{*First, *Last, false, {}};
}

/// Why the types of a function's module are unknown.
static std::string whyNoTypes(const Signature &S) {
  return S.WhyUnknown.empty() ? S.Function + " is known by its prototype only"
                              : S.WhyUnknown;
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
  if (M->Kind == Meaning::Stack)
    return value(Child, "");
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
    if (!Found && Function && isAmbiguous(*Function, N.Text))
      return fail(N.Place, "the type '" + N.Text + "'" + SeveralMeanings);
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

} // namespace tpctl::expressions
