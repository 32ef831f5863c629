// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Declarations.h.

#include "Declarations.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl::expressions {
namespace {

struct TypeName {
  StringLiteral Name;
  Type::BaseKind Base;
  uint8_t Bits;
  bool Signed;
};

/// The types of one name.
constexpr TypeName TypeNames[] = {
    {"void", Type::Void, 8, false},
    {"bool", Type::Bool, 8, false},
    {"_Bool", Type::Bool, 8, false},
    {"float", Type::Floating, 32, true},
    {"double", Type::Floating, 64, true},
    {"int8_t", Type::Integer, 8, true},
    {"int16_t", Type::Integer, 16, true},
    {"int32_t", Type::Integer, 32, true},
    {"int64_t", Type::Integer, 64, true},
    {"uint8_t", Type::Integer, 8, false},
    {"uint16_t", Type::Integer, 16, false},
    {"uint32_t", Type::Integer, 32, false},
    {"uint64_t", Type::Integer, 64, false},
    {"size_t", Type::Integer, 64, false},
    {"ssize_t", Type::Integer, 64, true},
    {"ptrdiff_t", Type::Integer, 64, true},
    {"intptr_t", Type::Integer, 64, true},
    {"uintptr_t", Type::Integer, 64, false},
    {"off_t", Type::Integer, 64, true},
    {"off64_t", Type::Integer, 64, true},
    {"time_t", Type::Integer, 64, true},
    {"pid_t", Type::Integer, 32, true},
    {"uid_t", Type::Integer, 32, false},
    {"gid_t", Type::Integer, 32, false},
    {"mode_t", Type::Integer, 32, false},
    {"socklen_t", Type::Integer, 32, false},
    {"clockid_t", Type::Integer, 32, true},
    {"pthread_t", Type::Integer, 64, false},
    {"nfds_t", Type::Integer, 64, false},
};

/// The words of which a type may have several.
constexpr StringLiteral Words[] = {"unsigned", "signed", "char",
                                   "short",    "int",    "long"};
/// These change nothing about a value.
constexpr StringLiteral Qualifiers[] = {"const", "volatile", "restrict"};

const TypeName *findType(StringRef Name) {
  const TypeName *Found = find_if(
      TypeNames, [&](const TypeName &Each) { return Each.Name == Name; });
  return Found == std::end(TypeNames) ? nullptr : Found;
}

/// The type of words such as `unsigned long`, or nothing.
std::optional<Type> typeOfWords(ArrayRef<StringRef> Given) {
  auto times = [&](StringRef Word) { return count(Given, Word); };
  auto Unsigned = times("unsigned"), Signed = times("signed"),
       Char = times("char"), Short = times("short"), Int = times("int"),
       Long = times("long");
  bool Fits = Unsigned + Signed <= 1 && Int <= 1 && Long <= 2 &&
              Char + Short + (Long != 0) <= 1 && !(Char && Int);
  if (!Fits)
    return std::nullopt;
  if (Char && !Unsigned && !Signed)
    return Type{Type::Char, true, 8, 0, {}};
  return Type::integer(Char ? 8 : Short ? 16 : Long ? 64 : 32, !Unsigned);
}

} // namespace

bool beginsType(StringRef Name) {
  return findType(Name) || is_contained(Words, Name) ||
         is_contained(Qualifiers, Name);
}

Expected<Type> parseType(const Source &S, ArrayRef<Token> Tokens, size_t &At) {
  Range R = Tokens[At].range();
  SmallVector<StringRef> Given;
  const TypeName *Named = nullptr;
  std::string Spelling;
  bool Wrong = false;
  unsigned Pointers = 0;
  for (;; ++At) {
    const Token &T = Tokens[At];
    if (T.is("*")) {
      Spelling += Pointers++ ? "*" : " *";
    } else if (T.Kind == Token::Name && is_contained(Qualifiers, T.Text)) {
      if (!Pointers)
        Spelling += (Spelling.empty() ? "" : " ") + T.Text.str();
    } else if (T.Kind == Token::Name && !Pointers && beginsType(T.Text)) {
      const TypeName *Next = findType(T.Text);
      Wrong |= Named || (Next && !Given.empty());
      Named = Next ? Next : Named;
      if (!Next)
        Given.push_back(T.Text);
      Spelling += (Spelling.empty() ? "" : " ") + T.Text.str();
    } else {
      break;
    }
    R.End = T.end();
  }
  if (Given.empty() && !Named)
    return errorAt(S, R, "a type is missing here");
  std::optional<Type> Result;
  if (Named)
    Result = Type{Named->Base, Named->Signed, Named->Bits, 0, {}};
  else
    Result = typeOfWords(Given);
  if (Wrong || !Result)
    return errorAt(S, R, "'" + Spelling + "' is no type of C");
  if (Pointers > 8)
    return errorAt(S, R, "'" + Spelling + "' has more than 8 '*'");
  Result->Pointers = static_cast<uint8_t>(Pointers);
  Result->Spelling = std::move(Spelling);
  return *Result;
}

Expected<Signature> parseDeclaration(StringRef Text) {
  Source S{"declaration", Text.str()};
  auto Read = tokensOf(S);
  if (!Read)
    return Read.takeError();
  ArrayRef<Token> Tokens = *Read;
  size_t At = 0;
  auto expect = [&](StringRef Operator) -> Error {
    if (!Tokens[At].is(Operator))
      return errorAt(S, Tokens[At].range(),
                     "'" + Operator + "' is missing here");
    ++At;
    return Error::success();
  };
  Signature Result;
  Result.IsPrototype = true;
  auto ResultType = parseType(S, Tokens, At);
  if (!ResultType)
    return ResultType.takeError();
  Result.IsVoid = ResultType->isVoid();
  if (!Result.IsVoid)
    Result.Result = *ResultType;
  if (Tokens[At].Kind != Token::Name)
    return errorAt(S, Tokens[At].range(),
                   "the function's name is missing here");
  Result.Function = Tokens[At++].Text.str();
  if (Error E = expect("("))
    return E;
  if (Tokens[At].Text == "void" && Tokens[At + 1].is(")"))
    ++At;
  else if (!Tokens[At].is(")"))
    for (;;) {
      if (Tokens[At].is("...")) {
        Result.IsVariadic = true;
        ++At;
        break;
      }
      auto T = parseType(S, Tokens, At);
      if (!T)
        return T.takeError();
      ArgumentType Argument;
      Argument.T = *T;
      if (Tokens[At].Kind == Token::Name)
        Argument.Name = Tokens[At++].Text.str();
      Result.Arguments.push_back(std::move(Argument));
      if (!Tokens[At].is(","))
        break;
      ++At;
    }
  if (Error E = expect(")"))
    return E;
  if (Tokens[At].Kind != Token::End)
    return errorAt(S, Tokens[At].range(), "the declaration ends before this");
  return Result;
}

std::string text(const Signature &S) {
  std::string Result = S.Function + "(";
  StringRef Separator;
  for (const ArgumentType &A :
       ArrayRef(S.Arguments)
           .take_front(S.ArgumentsOfProbe.value_or(S.Arguments.size()))) {
    Result += Separator;
    std::string Of = A.T.text();
    bool Touches = Of.ends_with('*') || Of.ends_with('&');
    Result += Of;
    if (!A.Name.empty())
      Result += (Touches ? "" : " ") + A.Name;
    Separator = ", ";
  }
  if (S.IsVariadic)
    Result += (Separator + "...").str();
  return Result + ")";
}

} // namespace tpctl::expressions
