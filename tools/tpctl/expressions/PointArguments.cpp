// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PointArguments.h. The syntax of formats: tprt/point.h.

#include "PointArguments.h"

#include "tprt/control_program.h"
#include "tprt/table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace tpctl::expressions {
namespace {

/// What a format tells of an argument.
struct Field {
  std::string Name;
  /// The most bytes of a string. 0: up to its NUL.
  uint64_t Most = 0;
  /// Another argument has that number.
  bool HasLength = false;
};

constexpr StringLiteral Quotes = "\"'`([{<";

/// The name that a text ends with, before a value: "size=", "size: ".
std::string nameAtEnd(StringRef Text) {
  Text.consume_back("0x");
  Text = Text.rtrim(Quotes);
  Text = Text.rtrim(' ');
  if (!Text.consume_back("=") && !Text.consume_back(":"))
    return "";
  Text = Text.rtrim(' ');
  auto isPart = [](char C) { return isAlnum(C) || C == '_'; };
  size_t Begin = Text.size();
  while (Begin && isPart(Text[Begin - 1]))
    --Begin;
  StringRef Name = Text.substr(Begin);
  bool IsMember = Begin && StringRef(".>$").contains(Text[Begin - 1]);
  return Name.empty() || isDigit(Name[0]) || IsMember ? "" : Name.str();
}

/// The fields of a printf format, in the order of the arguments.
std::vector<Field> printfFields(StringRef Format) {
  std::vector<Field> Fields;
  for (size_t At = 0; (At = Format.find('%', At)) != StringRef::npos;) {
    size_t Begin = At++;
    if (Format.substr(At, 1) == "%") {
      ++At;
      continue;
    }
    Field F;
    F.Name = nameAtEnd(Format.take_front(Begin));
    while (At < Format.size() && !isAlpha(Format[At])) {
      if (Format[At] == '.') {
        StringRef Digits = Format.substr(At + 1).take_while(isDigit);
        Digits.getAsInteger(10, F.Most);
      }
      if (Format[At++] == '*') {
        Fields.emplace_back();
        F.HasLength = true;
      }
    }
    At = Format.find_first_not_of("hlLjztq", At);
    At = At == StringRef::npos ? Format.size() : At + 1;
    Fields.push_back(std::move(F));
  }
  return Fields;
}

/// The same of a format of std::format.
std::vector<Field> braceFields(StringRef Format) {
  std::vector<Field> Fields;
  size_t Next = 0;
  for (size_t At = 0; (At = Format.find('{', At)) != StringRef::npos;) {
    if (Format.substr(At, 2) == "{{") {
      At += 2;
      continue;
    }
    size_t End = Format.find('}', At);
    auto [Number, Spec] = Format.slice(At + 1, End).split(':');
    size_t Index = Next;
    if (Number.getAsInteger(10, Index))
      ++Next;
    if (Index < TPRT_MOST_ARGUMENTS) {
      Fields.resize(std::max(Fields.size(), Index + 1));
      Field &F = Fields[Index];
      F.Name = nameAtEnd(Format.take_front(At));
      Spec.split('.').second.take_while(isDigit).getAsInteger(10, F.Most);
    }
    At = End == StringRef::npos ? Format.size() : End + 1;
  }
  return Fields;
}

/// The characters up to a NUL, or `Most` of them.
Type characters(uint64_t Most) {
  auto Of = std::make_shared<Layout>();
  Of->Count = Of->Bytes = Most;
  Of->Element = {Type::Char, true, 8, 0, {}};
  Type T;
  T.Base = Type::Array;
  T.Of = std::move(Of);
  T.Spelling = "string";
  return T;
}

/// A struct tprt_characters, as the text that it is.
Type view() {
  auto Of = std::make_shared<Layout>();
  Of->Name = "std::basic_string_view<char, std::char_traits<char> >";
  Of->Bytes = sizeof(tprt_characters);
  Type Char{Type::Char, true, 8, 1, {}};
  Of->Read = [Char] {
    return std::vector<Member>{
        {"_M_str", Char, offsetof(tprt_characters, begin)},
        {"_M_len", Type::integer(64, false), offsetof(tprt_characters, size)}};
  };
  Type T;
  T.Base = Type::Record;
  T.Of = std::move(Of);
  T.Spelling = "string";
  return T;
}

Type integer(unsigned Bits, bool Signed, const char *Spelling) {
  Type T = Type::integer(Bits, Signed);
  T.Spelling = Spelling;
  return T;
}

Type typeOf(char Letter, const Field &F) {
  switch (Letter) {
  case TPRT_ARGUMENT_BOOL:
    return {Type::Bool, false, 8, 0, {}};
  case TPRT_ARGUMENT_CHAR:
    return {Type::Char, true, 8, 0, {}};
  case TPRT_ARGUMENT_SIGNED_CHAR:
    return integer(8, true, "signed char");
  case TPRT_ARGUMENT_UNSIGNED_CHAR:
    return integer(8, false, "unsigned char");
  case TPRT_ARGUMENT_SHORT:
    return integer(16, true, "short");
  case TPRT_ARGUMENT_UNSIGNED_SHORT:
    return integer(16, false, "unsigned short");
  case TPRT_ARGUMENT_INT:
    return integer(32, true, "int");
  case TPRT_ARGUMENT_UNSIGNED:
    return integer(32, false, "unsigned");
  case TPRT_ARGUMENT_LONG:
    return integer(64, true, "long");
  case TPRT_ARGUMENT_UNSIGNED_LONG:
    return integer(64, false, "unsigned long");
  case TPRT_ARGUMENT_FLOAT: // its word has a double
  case TPRT_ARGUMENT_DOUBLE:
    return Type::floating(64);
  case TPRT_ARGUMENT_STRING:
    // No NUL need be there, and a program cannot ask the argument before.
    if (F.HasLength)
      return {Type::Char, true, 8, 1, {}};
    return characters(F.Most);
  case TPRT_ARGUMENT_CHARACTERS:
    return view();
  default:
    return {Type::Void, false, 8, 1, {}};
  }
}

} // namespace

Signature signatureOfPoint(StringRef Name, StringRef Types, StringRef Format,
                           uint8_t Style) {
  Signature S;
  S.At = Site::Point;
  S.Function = Name.str();
  std::vector<Field> Fields = Style == TPRT_POINT_STYLE_BRACES
                                  ? braceFields(Format)
                                  : printfFields(Format);
  if (Types.empty() && !Fields.empty())
    S.WhyUnknown = "the process has an earlier libtprt, which does not tell "
                   "the types of arguments";
  Fields.resize(Types.size());
  std::map<std::string, unsigned> Uses;
  for (const Field &F : Fields)
    ++Uses[F.Name];
  for (auto [Letter, F] : zip(Types, Fields)) {
    ArgumentType A;
    A.Name = Uses[F.Name] == 1 ? F.Name : "";
    A.T = typeOf(Letter, F);
    A.Where.emplace();
    A.Where->Pieces.push_back(
        {TPRT_PROGRAM_POINT_VALUE, static_cast<int32_t>(S.Arguments.size())});
    A.Where->IsAddress = A.T.isArray() || A.T.isRecord();
    S.Arguments.push_back(std::move(A));
  }
  return S;
}

} // namespace tpctl::expressions
