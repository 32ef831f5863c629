// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lexer.h.

#include "Lexer.h"

#include "Registers.h"
#include "shared/UsageError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;

namespace tpctl::expressions {
namespace {

/// Longer operators come first.
constexpr StringLiteral Operators[] = {
    "<<=", ">>=", "...", "=~", "!~", "==", "!=", "<=", ">=", "<<", ">>", "&&",
    "||",  "->",  "::",  "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=",  "+",   "-",   "*",  "/",  "%",  "&",  "|",  "^",  "~",  "!",  "<",
    ">",   "=",   "?",   ":",  "(",  ")",  "[",  "]",  ",",  "."};

struct Unit {
  StringLiteral Name;
  uint64_t Factor;
  bool IsTime;
};

constexpr Unit Units[] = {{"K", 1024, false},
                          {"M", 1024 * 1024, false},
                          {"G", 1u << 30, false},
                          {"ns", 1, true},
                          {"us", 1000, true},
                          {"ms", 1000 * 1000, true},
                          {"s", 1000 * 1000 * 1000, true}};

class Lexer {
public:
  explicit Lexer(const Source &S) : S(S), Text(S.Text) {}
  Expected<std::vector<Token>> run();

private:
  Error fail(size_t Begin, size_t End, const Twine &Message) {
    return errorAt(S, {Begin, End, Begin}, Message);
  }
  void name();
  size_t moduleBytes() const;
  bool isRegister() const;
  Error number(Token &);
  bool isFloating(size_t End) const;
  Error floating(Token &);
  Error quoted(Token &);
  /// The byte after a backslash at `At`, or nothing.
  bool isGlobal() const;
  std::optional<char> escape();

  const Source &S;
  StringRef Text;
  size_t At = 0;
};

/// The first type of C's list that holds the value.
std::optional<Type> typeOfNumber(uint64_t Value, bool IsDecimal,
                                 StringRef Suffix) {
  std::string Lower = Suffix.lower();
  StringRef Rest = Lower;
  bool Unsigned = Rest.consume_front("u");
  bool Long = Rest.consume_front("ll") || Rest.consume_front("l");
  Unsigned |= !Unsigned && Rest.consume_front("u");
  if (!Rest.empty())
    return std::nullopt;
  for (unsigned Bits : {32u, 64u}) {
    if (Long && Bits == 32)
      continue;
    if (!Unsigned && isUIntN(Bits - 1, Value))
      return Type::integer(Bits, true);
    if ((Unsigned || !IsDecimal) && isUIntN(Bits, Value))
      return Type::integer(Bits, false);
  }
  return Type(); // a decimal number that no signed type holds
}

/// Whether a number, whose letters and digits end at `End`, is written as C
/// writes doubles.
bool Lexer::isFloating(size_t End) const {
  StringRef Begin = Text.slice(At, End);
  if (Begin.starts_with_insensitive("0x"))
    return false;
  return Text.substr(End, 1) == "." ||
         Begin.drop_while(isDigit).starts_with_insensitive("e");
}

Error Lexer::floating(Token &T) {
  size_t End = At;
  auto isPart = [&](char C) {
    bool IsSign = (C == '+' || C == '-') && toLower(Text[End - 1]) == 'e';
    return isAlnum(C) || C == '.' || IsSign;
  };
  while (End < Text.size() && isPart(Text[End]))
    ++End;
  T.Kind = Token::Number;
  T.Text = Text.slice(At, End);
  At = End;
  StringRef Digits = T.Text;
  if (size_t Unit =
          Digits.find_if_not([](char C) { return isDigit(C) || C == '.'; });
      Unit != StringRef::npos && toLower(Digits[Unit]) != 'e' &&
      Digits.substr(Unit) != "f")
    return fail(T.Begin, End,
                "'" + T.Text +
                    "': a number with a unit is a whole number; "
                    "use a smaller unit, as in 1500us or 1536");
  bool IsSingle = Digits.consume_back_insensitive("f");
  double Value;
  if (Digits.getAsDouble(Value))
    return fail(T.Begin, End, "'" + T.Text + "' is no number");
  T.Value = bit_cast<uint64_t>(
      IsSingle ? static_cast<double>(static_cast<float>(Value)) : Value);
  T.T = Type::floating(IsSingle ? 32 : 64);
  return Error::success();
}

Error Lexer::number(Token &T) {
  size_t End = At;
  while (End < Text.size() && (isAlnum(Text[End]) || Text[End] == '_'))
    ++End;
  if (isFloating(End))
    return floating(T);
  T.Kind = Token::Number;
  T.Text = Text.slice(At, End);
  At = End;
  StringRef Rest = T.Text;
  unsigned Radix = 10;
  if (Rest.consume_front_insensitive("0x"))
    Radix = 16;
  else if (Rest.consume_front_insensitive("0b"))
    Radix = 2;
  else if (Rest.size() > 1 && Rest[0] == '0' && isDigit(Rest[1]))
    Radix = 8;
  StringRef Digits = Rest.take_while(
      [&](char C) { return Radix == 16 ? isHexDigit(C) : isDigit(C); });
  StringRef Suffix = Rest.drop_front(Digits.size());
  if (Digits.empty())
    return fail(T.Begin, End, "'" + T.Text + "' has no digits");
  size_t Wrong = Radix < 10 ? Digits.find_if([&](char C) {
    return static_cast<unsigned>(C - '0') >= Radix;
  })
                            : StringRef::npos;
  if (Wrong != StringRef::npos)
    return fail(T.Begin, End,
                "'" + T.Text + "' is " +
                    (Radix == 8 ? "octal, as a 0 begins it" : "binary") +
                    ", so " + Digits.substr(Wrong, 1) +
                    " is none of its digits");
  bool TooLarge = Digits.getAsInteger(Radix, T.Value);
  for (const Unit &U : Units) {
    if (TooLarge || Suffix != U.Name || Radix == 16 || Radix == 2)
      continue;
    if (Radix == 8)
      return fail(T.Begin, End,
                  "'" + T.Text +
                      "' is octal, and a unit needs a decimal number; "
                      "leave out the first 0");
    TooLarge = T.Value > static_cast<uint64_t>(INT64_MAX) / U.Factor;
    T.Value *= U.Factor;
    T.IsTime = U.IsTime;
    Suffix = "";
  }
  auto Found = typeOfNumber(T.Value, Radix == 10, Suffix);
  if (!Found)
    return fail(T.Begin, End,
                "'" + Suffix +
                    "' is no unit; the units of decimal numbers are K, M, G, "
                    "ns, us, ms and s");
  if (TooLarge || Found->isWord())
    return fail(T.Begin, End,
                "'" + T.Text + "' is too large for " +
                    (TooLarge ? "64 bits" : "a long; append U to it"));
  T.T = *Found;
  return Error::success();
}

std::optional<char> Lexer::escape() {
  if (At == Text.size())
    return std::nullopt;
  char C = Text[At++];
  if (C == 'x') {
    unsigned Value = 0, Count = 0;
    for (; At < Text.size() && isHexDigit(Text[At]) && Count < 2; ++Count)
      Value = Value * 16 + hexDigitValue(Text[At++]);
    if (!Count)
      return std::nullopt;
    return static_cast<char>(Value);
  }
  if (C >= '0' && C <= '7') {
    unsigned Value = static_cast<unsigned>(C - '0');
    for (unsigned Count = 1;
         Count < 3 && At < Text.size() && Text[At] >= '0' && Text[At] <= '7';
         ++Count)
      Value = Value * 8 + static_cast<unsigned>(Text[At++] - '0');
    if (Value > 255)
      return std::nullopt;
    return static_cast<char>(Value);
  }
  static constexpr StringLiteral From = "abefnrtv\\'\"?";
  static constexpr StringLiteral To = "\a\b\x1b\f\n\r\t\v\\'\"?";
  size_t Which = From.find(C);
  if (Which == StringRef::npos)
    return std::nullopt;
  return To[Which];
}

Error Lexer::quoted(Token &T) {
  char Quote = Text[At++];
  T.Kind = Quote == '"' ? Token::String : Token::Character;
  while (At < Text.size() && Text[At] != Quote) {
    size_t Begin = At;
    char C = Text[At++];
    if (C == '\\') {
      // A glob needs most of its backslashes itself.
      auto Escaped = escape();
      if (!Escaped)
        return fail(Begin, std::max(At, Begin + 1),
                    "'" + Text.slice(Begin, At) +
                        "' is no escape of C; write \\\\ for a backslash");
      C = *Escaped;
    }
    T.Bytes += C;
  }
  if (At == Text.size())
    return fail(T.Begin, At,
                Twine("the closing ") + StringRef(&Quote, 1) + " is missing");
  T.Text = Text.slice(T.Begin, ++At);
  if (T.Kind == Token::String && StringRef(T.Bytes).contains('\0'))
    return fail(T.Begin, At, "a string ends at its NUL; leave out the \\0");
  if (T.Kind == Token::Character) {
    if (T.Bytes.size() != 1)
      return fail(T.Begin, At,
                  "'' contains one character; a string is written in \"\"");
    T.Value = static_cast<unsigned char>(T.Bytes[0]);
  }
  return Error::success();
}

/// Whether a name begins here with `::`.
bool Lexer::isGlobal() const {
  StringRef Rest = Text.drop_front(At);
  return Rest.consume_front("::") && !Rest.empty() &&
         (isAlpha(Rest[0]) || Rest[0] == '_');
}

/// The bytes of `module!` and of `::` after it, if a name with a module begins
/// here. In other expressions, a name and a '!' have an operator between them.
size_t Lexer::moduleBytes() const {
  StringRef Rest = Text.drop_front(At);
  StringRef Module = Rest.take_while(
      [](char C) { return isAlnum(C) || StringRef("_.+-").contains(C); });
  Rest = Rest.drop_front(Module.size());
  if (Module.empty() || !(isAlnum(Module.back()) || Module.back() == '_') ||
      !Rest.consume_front("!"))
    return 0;
  Rest.consume_front("::");
  const bool IsName = !Rest.empty() && (isAlpha(Rest[0]) || Rest[0] == '_');
  return IsName ? Text.size() - At - Rest.size() : 0;
}

/// A name, also `a::b`, and `module!a`. `::` before it was skipped.
void Lexer::name() {
  At += moduleBytes();
  auto isPart = [&](size_t Where) {
    return Where < Text.size() && (isAlnum(Text[Where]) || Text[Where] == '_');
  };
  auto isFirst = [&](size_t Where) {
    return isPart(Where) && !isDigit(Text[Where]);
  };
  for (;;) {
    while (isPart(At))
      ++At;
    if (Text.substr(At, 2) != "::" || !isFirst(At + 2))
      return;
    At += 2;
  }
}

/// Whether the name of a register follows, as in $rdi.
bool Lexer::isRegister() const {
  StringRef Rest = Text.drop_front(At);
  return Rest.consume_front("$") && isRegisterName(Rest.take_while(isAlnum));
}

Expected<std::vector<Token>> Lexer::run() {
  std::vector<Token> Result;
  for (;;) {
    while (At < Text.size() && isSpace(Text[At]))
      ++At;
    Token T;
    T.Begin = At;
    T.Text = Text.substr(At, 0);
    if (At == Text.size()) {
      Result.push_back(std::move(T));
      return Result;
    }
    char C = Text[At];
    if (isDigit(C)) {
      if (Error E = number(T))
        return E;
    } else if (C == '"' || C == '\'') {
      if (Error E = quoted(T))
        return E;
    } else if (isAlpha(C) || C == '_' || isGlobal() || isRegister()) {
      At += C == ':' ? 2 : 0;
      T.Kind = Token::Name;
      At += C == '$';
      name();
      T.Text = Text.slice(T.Begin, At);
    } else {
      T.Kind = Token::Operator;
      for (StringRef Each : Operators)
        if (Text.drop_front(At).starts_with(Each)) {
          T.Text = Text.substr(At, Each.size());
          break;
        }
      if (C == '$' && At + 1 < Text.size() && isAlpha(Text[At + 1]))
        return fail(At, At + 1, "names have no '$' here; leave it out");
      if (T.Text.empty())
        return fail(At, At + 1, "this character has no meaning here");
      At = T.end();
    }
    Result.push_back(std::move(T));
  }
}

/// The columns of a text in UTF-8, each character as one.
size_t columnsOf(StringRef Text) {
  return static_cast<size_t>(
      count_if(Text, [](char C) { return (C & 0xc0) != 0x80; }));
}

} // namespace

std::string messageAt(const Source &S, Range R, const Twine &Message) {
  std::string Line = S.Text;
  for (char &C : Line)
    if (static_cast<unsigned char>(C) < ' ')
      C = ' ';
  StringRef L = Line;
  size_t Begin = columnsOf(L.take_front(R.Begin));
  size_t End = std::max(columnsOf(L.take_front(R.End)), Begin + 1);
  std::string Marks(End, ' ');
  for (size_t I = Begin; I < End; ++I)
    Marks[I] = '~';
  Marks[std::min(columnsOf(L.take_front(R.At)), End - 1)] = '^';
  return (S.Option + ": " + Message + "\n    " + Line + "\n    " + Marks).str();
}

Error errorAt(const Source &S, Range R, const Twine &Message) {
  return wrongUsage(messageAt(S, R, Message));
}

Expected<std::vector<Token>> tokensOf(const Source &S) {
  return Lexer(S).run();
}

} // namespace tpctl::expressions
