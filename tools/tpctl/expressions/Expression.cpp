// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Expression.h. The parser descends by precedence.

#include "Parser.h"

#include "Declarations.h"
#include "shared/UsageError.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tpctl::expressions {
namespace {

/// Longer texts are refused, so that trees do not become deep.
constexpr size_t MostBytes = 2048;
constexpr unsigned MostDepth = 100;

struct BinaryOperator {
  StringLiteral Text;
  Operator Op;
  unsigned Precedence; ///< higher ones bind tighter
};

constexpr BinaryOperator BinaryOperators[] = {
    {"*", Operator::Multiply, 10},     {"/", Operator::Divide, 10},
    {"%", Operator::Remainder, 10},    {"+", Operator::Add, 9},
    {"-", Operator::Subtract, 9},      {"<<", Operator::ShiftLeft, 8},
    {">>", Operator::ShiftRight, 8},   {"<", Operator::Less, 7},
    {"<=", Operator::LessEqual, 7},    {">", Operator::Greater, 7},
    {">=", Operator::GreaterEqual, 7}, {"==", Operator::Equal, 6},
    {"!=", Operator::NotEqual, 6},     {"=~", Operator::Matches, 6},
    {"!~", Operator::MatchesNot, 6},   {"&", Operator::And, 5},
    {"^", Operator::Xor, 4},           {"|", Operator::Or, 3},
    {"&&", Operator::LogicalAnd, 2},   {"||", Operator::LogicalOr, 1}};

/// A word that may stand beside a type's name.
bool isWordOfType(StringRef Word) {
  return Word == "struct" || Word == "union" || Word == "enum" ||
         Word == "class" || Word == "const" || Word == "volatile";
}

const BinaryOperator *findBinary(const Token &T) {
  const BinaryOperator *Found =
      find_if(BinaryOperators,
              [&](const BinaryOperator &Each) { return T.is(Each.Text); });
  return Found == std::end(BinaryOperators) ? nullptr : Found;
}

} // namespace

void Parser::failAfter() {
  const Token &T = next();
  Range R = T.range();
  StringRef Text = T.Text;
  if (T.is("="))
    fail(R, "'=' would assign; compare with '=='");
  else if (T.is("++") || T.is("--") ||
           (T.Kind == Token::Operator && Text.size() > 1 &&
            Text.ends_with("=")))
    fail(R, "'" + Text + "' would change a value, and expressions only read");
  else if (T.is("("))
    fail(R, "an expression cannot call a function; only str(ADDRESS), "
            "len(STRING), sym(ADDRESS), buf(ADDRESS, BYTES), entry(NUMBER) "
            "and stack(FRAMES) look like calls");
  else if (T.is(","))
    fail(R, "only --by takes several expressions");
  else if (T.is(")") || T.is("]"))
    fail(R, "there is no '" + Twine(Text == ")" ? "(" : "[") +
                "' before this '" + Text + "'");
  else if (T.is(":"))
    fail(R, "there is no '?' before this ':'");
  else
    fail(R, "an operator is missing before this");
}

bool Parser::close(StringRef Operator, const Token &Open) {
  if (skip(Operator))
    return true;
  if (next().Kind == Token::End)
    fail(Open.range(), "the closing '" + Operator + "' is missing");
  else
    failAfter();
  return false;
}

std::unique_ptr<Node> Parser::conditional() {
  auto Condition = binary(1);
  if (!Condition || !next().is("?"))
    return Condition;
  Token Question = next();
  ++At;
  if (++Depth > MostDepth)
    return fail(Question.range(), "the expression is nested too deeply");
  auto Then = conditional();
  if (!Then)
    return nullptr;
  if (!skip(":")) {
    if (next().Kind == Token::End)
      return fail(Question.range(), "the ':' of this '?' is missing");
    failAfter();
    return nullptr;
  }
  auto Else = conditional();
  if (!Else)
    return nullptr;
  --Depth;
  auto Result = make(Node::Conditional,
                     {Condition->Place.Begin, Else->Place.End, Question.Begin});
  Result->Children[0] = std::move(Condition);
  Result->Children[1] = std::move(Then);
  Result->Children[2] = std::move(Else);
  return Result;
}

std::unique_ptr<Node> Parser::binary(unsigned Least) {
  auto Left = unary();
  while (Left) {
    const BinaryOperator *Op = findBinary(next());
    if (!Op || Op->Precedence < Least)
      break;
    size_t Where = next().Begin;
    ++At;
    auto Right = binary(Op->Precedence + 1);
    if (!Right)
      return nullptr;
    auto Result =
        make(Node::Binary, {Left->Place.Begin, Right->Place.End, Where});
    Result->Op = Op->Op;
    Result->Children[0] = std::move(Left);
    Result->Children[1] = std::move(Right);
    Left = std::move(Result);
  }
  return Left;
}

std::unique_ptr<Node> Parser::cast(const Token &Open) {
  auto To = parseType(S, Tokens, At);
  if (!To) {
    Failure = toString(To.takeError());
    return nullptr;
  }
  if (!close(")", Open))
    return nullptr;
  Range R{Open.Begin, last().end(), Open.Begin};
  if (To->isVoid())
    return fail(R, "a cast to void has no value");
  auto Child = unary();
  if (!Child)
    return nullptr;
  R.End = Child->Place.End;
  auto Result = make(Node::Cast, R);
  Result->T = *To;
  Result->Children[0] = std::move(Child);
  return Result;
}

/// Whether this is a cast to a type that debug information describes, such as
/// (struct request *)x or (ns::mode)x. (x) - 1 and (x)(1) are no casts.
bool Parser::isNamedCast() const {
  size_t I = At + 1;
  bool HasWord = false;
  for (; isWordOfType(Tokens[I].Text); ++I)
    HasWord |= !beginsType(Tokens[I].Text);
  if (Tokens[I].Kind != Token::Name || beginsType(Tokens[I].Text))
    return false;
  for (++I; beginsType(Tokens[I].Text) && isWordOfType(Tokens[I].Text); ++I)
    ;
  bool HasStar = Tokens[I].is("*");
  while (Tokens[I].is("*"))
    ++I;
  if (!Tokens[I].is(")"))
    return false;
  const Token &Next = Tokens[I + 1];
  return HasWord || HasStar ||
         (Next.Kind != Token::End && Next.Kind != Token::Operator);
}

std::unique_ptr<Node> Parser::namedCast(const Token &Open) {
  while (isWordOfType(next().Text))
    ++At;
  StringRef Name = next().Text;
  ++At;
  while (isWordOfType(next().Text))
    ++At;
  uint64_t Pointers = 0;
  for (; skip("*"); ++Pointers)
    ;
  Range R{Open.Begin, next().end(), Open.Begin};
  if (Pointers > 8)
    return fail(R, "this type has more than 8 '*'");
  if (!close(")", Open))
    return nullptr;
  auto Child = unary();
  if (!Child)
    return nullptr;
  R.End = Child->Place.End;
  auto Result = make(Node::Cast, R);
  Result->Text = Name.str();
  Result->Value = Pointers;
  Result->Children[0] = std::move(Child);
  return Result;
}

std::unique_ptr<Node> Parser::unary() {
  Token T = next();
  if (++Depth > MostDepth)
    return fail(T.range(), "the expression is nested too deeply");
  std::unique_ptr<Node> Result;
  Operator Op = T.Kind != Token::Operator
                    ? Operator::None
                    : StringSwitch<Operator>(T.Text)
                          .Case("+", Operator::Plus)
                          .Case("-", Operator::Minus)
                          .Case("~", Operator::Complement)
                          .Case("!", Operator::Not)
                          .Case("*", Operator::Dereference)
                          .Case("&", Operator::AddressOf)
                          .Default(Operator::None);
  if (Op != Operator::None) {
    ++At;
    if (auto Child = unary()) {
      Result = make(Node::Unary, {T.Begin, Child->Place.End, T.Begin});
      Result->Op = Op;
      Result->Children[0] = std::move(Child);
    }
  } else if (T.is("(") && isNamedCast()) {
    ++At;
    Result = namedCast(T);
  } else if (T.is("(") && Tokens[At + 1].Kind == Token::Name &&
             beginsType(Tokens[At + 1].Text)) {
    ++At;
    Result = cast(T);
  } else {
    Result = postfix();
  }
  --Depth;
  return Result;
}

std::unique_ptr<Node> Parser::index(std::unique_ptr<Node> Of) {
  Token Open = next();
  ++At;
  auto Child = conditional();
  if (!Child || !close("]", Open))
    return nullptr;
  auto Whole = make(Node::Index, {Of->Place.Begin, last().end(), Open.Begin});
  Whole->Children[0] = std::move(Of);
  Whole->Children[1] = std::move(Child);
  return Whole;
}

std::unique_ptr<Node> Parser::member(std::unique_ptr<Node> Of) {
  Token Dot = next();
  ++At;
  Token Name = next();
  if (Name.Kind != Token::Name)
    return fail(Name.Kind == Token::End ? Dot.range() : Name.range(),
                "the name of a member is missing after '" + Dot.Text + "'");
  ++At;
  auto Whole = make(Dot.is(".") ? Node::Member : Node::ArrowMember,
                    {Of->Place.Begin, Name.end(), Name.Begin});
  Whole->Text = Name.Text.str();
  Whole->Children[0] = std::move(Of);
  return Whole;
}

std::unique_ptr<Node> Parser::postfix() {
  auto Result = primary();
  while (Result) {
    if (next().is("["))
      Result = index(std::move(Result));
    else if (next().is(".") || next().is("->"))
      Result = member(std::move(Result));
    else
      break;
  }
  return Result;
}

std::unique_ptr<Node> Parser::primary() {
  Token T = next();
  Range R = T.range();
  if (T.is("(")) {
    ++At;
    auto Result = conditional();
    if (!Result || !close(")", T))
      return nullptr;
    Result->Place.Begin = T.Begin;
    Result->Place.End = last().end();
    return Result;
  }
  std::unique_ptr<Node> Result;
  switch (T.Kind) {
  case Token::End:
    return fail(R, At ? "a value is missing after this"
                      : "the expression is empty");
  case Token::Operator:
    if (T.is("++") || T.is("--") || T.is("="))
      failAfter();
    return fail(R, "a value is missing before this '" + T.Text + "'");
  case Token::Number:
    Result = make(Node::Number, R);
    Result->Value = T.Value;
    Result->T = T.T;
    Result->IsTime = T.IsTime;
    break;
  case Token::Character:
    Result = make(Node::Character, R);
    Result->Value = T.Value;
    break;
  case Token::String:
    Result = make(Node::String, R);
    Result->Text = T.Bytes;
    break;
  case Token::Name:
    if (beginsType(T.Text))
      return fail(R, "'" + T.Text +
                         "' is a type; a cast is written as in (int)arg0");
    if (T.Text == "sizeof")
      return fail(R, "there is no sizeof here; write the number");
    Result = make(Node::Name, R);
    Result->Text = T.Text.str();
    break;
  }
  ++At;
  if (T.Kind == Token::Name && T.Text == "str") {
    if (!next().is("("))
      return fail(R, "'str' needs an address, as in str(arg0)");
    return str(T);
  }
  if (T.Kind == Token::Name && T.Text == "len" && next().is("("))
    return ofOne(Node::Len, T);
  if (T.Kind == Token::Name && T.Text == "sym" && next().is("("))
    return ofOne(Node::Sym, T);
  if (T.Kind == Token::Name && T.Text == "stack" && next().is("("))
    return stack(T);
  if (T.Kind == Token::Name && T.Text == "buf" && next().is("("))
    return buf(T);
  if (T.Kind == Token::Name && T.Text == "entry" && next().is("("))
    return ofOne(Node::Entry, T);
  return Result;
}

Expected<std::vector<Parsed>> parseAll(StringRef Option, StringRef Text,
                                       bool IsList) {
  auto S = std::make_shared<Source>(Source{Option.str(), Text.str()});
  if (Text.size() > MostBytes)
    return wrongUsage(Option + ": the expression has " + Twine(Text.size()) +
                      " bytes, and at most " + Twine(MostBytes) +
                      " are possible");
  auto Tokens = tokensOf(*S);
  if (!Tokens)
    return Tokens.takeError();
  Parser P(*S, *Tokens);
  std::vector<Parsed> Result;
  do {
    size_t Begin = P.next().Begin;
    std::shared_ptr<const Node> Root = P.expression();
    if (!Root)
      return P.error();
    size_t End = P.last().end();
    Result.emplace_back(S, std::move(Root), Range{Begin, End, Begin});
  } while (IsList && P.skip(","));
  if (P.next().Kind != Token::End) {
    P.failAfter();
    return P.error();
  }
  return Result;
}

ArrayRef<StringLiteral> builtInNames() {
  static constexpr StringLiteral Names[] = {
      "result", "duration", "errno", "thread", "caller", "function",
      "func",   "process",  "depth", "true",   "false"};
  return Names;
}

bool isBuiltInName(StringRef Name) {
  if (is_contained(builtInNames(), Name))
    return true;
  unsigned Number;
  return Name.consume_front("arg") && !Name.getAsInteger(10, Number);
}

static bool uses(const Node &N, function_ref<bool(StringRef)> Is) {
  return (N.Kind == Node::Name && !N.Value && Is(N.Text)) ||
         any_of(N.Children,
                [&](const auto &Child) { return Child && uses(*Child, Is); });
}

bool Parsed::usesName(function_ref<bool(StringRef)> Is) const {
  return uses(*Root, Is);
}

static bool hasEntry(const Node &N) {
  return N.Kind == Node::Entry || any_of(N.Children, [](const auto &Child) {
           return Child && hasEntry(*Child);
         });
}

bool Parsed::needsEnd() const {
  return hasEntry(*Root) || usesName([](StringRef Name) {
           return Name == "result" || Name == "duration" || Name == "errno";
         });
}

static bool usesTypes(const Node &N) {
  bool IsTyped = N.Kind == Node::Member || N.Kind == Node::ArrowMember ||
                 N.Kind == Node::Len ||
                 (N.Kind == Node::Cast && !N.Text.empty());
  return IsTyped || any_of(N.Children, [](const auto &Child) {
           return Child && usesTypes(*Child);
         });
}

static bool namesArgument(const Node &N) {
  return (N.Kind == Node::Name && N.Value) ||
         any_of(N.Children, [](const auto &Child) {
           return Child && namesArgument(*Child);
         });
}

/// Points have more of them than calls have in registers.
static bool isLaterArgument(StringRef Name) {
  unsigned Number;
  return Name.consume_front("arg") && !Name.getAsInteger(10, Number) &&
         Number >= Target::host().ArgumentRegisters;
}

bool Parsed::needsTypes() const {
  return usesTypes(*Root) || namesArgument(*Root) ||
         usesName([](StringRef Name) {
           return Name == "result" || !isBuiltInName(Name) ||
                  isLaterArgument(Name);
         });
}

Expected<Parsed> parse(StringRef Option, StringRef Text) {
  auto All = parseAll(Option, Text, false);
  if (!All)
    return All.takeError();
  return All->front();
}

Expected<std::vector<Parsed>> parseList(StringRef Option, StringRef Text) {
  return parseAll(Option, Text, true);
}

} // namespace tpctl::expressions
