// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions, which are in template arguments and decltypes; see parser.h.
#include "demangle/operators.h"
#include "demangle/parser.h"

namespace tprt::names {

Ref Parser::binary(Ref left, const char *op, Ref right, uint8_t prec) {
  Ref result =
      left && right ? withText(make(Kind::Binary, left, right), op) : Ref{0};
  nodes[result].prec = prec;
  return result;
}

// <expression>* up to a letter, which is also read
bool Parser::expressions(Items &items, char last) {
  while (!take(last))
    if (!add(items, expression()))
      return false;
  return true;
}

// <expression>
Ref Parser::expression() {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  bool isGlobal = take("gs");
  if (isDigit())
    return unresolvedName(isGlobal);
  switch (look()) {
  case 'L':
    return primary();
  case 'T':
    return templateParameter();
  case 'f':
    return look(1) == 'p' || (look(1) == 'L' && isDigit(2))
               ? functionParameter()
               : fold();
  }
  if (take("il")) {
    Items list;
    return expressions(list, 'E') ? make(Kind::Braced, 0, list.first) : Ref{0};
  }
  if (take("tl")) {
    Ref of = type();
    Items list;
    return of && expressions(list, 'E') ? make(Kind::Braced, of, list.first)
                                        : Ref{0};
  }
  if (take("mc")) {
    // An object inside another object: printed by its type and its position.
    Ref of = type(), in = of ? expression() : Ref{0};
    const char *begin = at;
    take('n');
    while (isDigit())
      ++at;
    auto length = static_cast<size_t>(at - begin);
    uint32_t value;
    while (take('_'))
      if (look() != '_' && look() != 'p' && look() != 'E' && !number(value))
        return 0;
    take('p');
    return in && take('E')
               ? withText(make(Kind::SubObject, in, of), begin, length)
               : Ref{0};
  }
  if (take("nx")) {
    Ref of = expression();
    Ref result = of ? withText(make(Kind::Enclosed, of), "noexcept ") : Ref{0};
    nodes[result].prec = kUnary;
    return result;
  }
  if (take("so"))
    return 0;
  if (take("sP")) {
    Items list;
    while (!take('E'))
      if (!add(list, templateArgument()))
        return 0;
    return withText(make(Kind::SizeofPack, make(Kind::Pack, list.first)),
                    "sizeof... ");
  }
  if (take("sZ")) {
    bool isTemplate = look() == 'T';
    Ref of = isTemplate ? templateParameter() : functionParameter();
    if (!of)
      return 0;
    return isTemplate
               ? withText(make(Kind::SizeofPack, make(Kind::Expansion, of)),
                          "sizeof...")
               : withText(make(Kind::Enclosed, of), "sizeof... ");
  }
  if (take("sp")) {
    Ref of = expression();
    return of ? make(Kind::Expansion, of) : Ref{0};
  }
  if (look() == 's' && look(1) == 'r')
    return unresolvedName(isGlobal);
  if (take("tr"))
    return text("throw");
  if (take("tw")) {
    Ref of = expression();
    return of ? make(Kind::Throw, of) : Ref{0};
  }
  if ((look() == 'o' || look() == 'd') && look(1) == 'n')
    return unresolvedName(isGlobal);
  if (look() == 'r' && (look(1) == 'q' || look(1) == 'Q'))
    return requiresExpression();
  if (look() == 'u' && isDigit(1)) {
    ++at;
    Ref named = sourceName();
    if (!named)
      return 0;
    bool isUuidof = nodes[named].length == 8 &&
                    memcmp(nodes[named].text, "__uuidof", 8) == 0;
    Items list;
    if (isUuidof)
      return 0;
    while (!take('E'))
      if (!add(list, templateArgument()))
        return 0;
    return make(Kind::Call, named, list.first);
  }
  return operatorExpression(isGlobal);
}

Ref Parser::operatorExpression(bool isGlobal) {
  if (look() == 'n' && (look(1) == 'w' || look(1) == 'a'))
    return newExpression(isGlobal);
  if (look() == 'c' && look(1) == 'v')
    return conversionExpression();
  // Operators without a prefix for the old value are marked with an underscore.
  const Operator *op = findOperator(look(), look(1));
  if (!op || op->how == Operator::NameOnly)
    return 0;
  at += 2;
  auto of = [&](Kind kind, Ref a, Ref b = 0, Ref c = 0) -> Ref {
    Ref made = withText(make(kind, a, b, c), op->name);
    nodes[made].prec = op->prec;
    return made;
  };
  switch (op->how) {
  case Operator::Binary: {
    Ref left = expression(), right = left ? expression() : Ref{0};
    return binary(left, op->name, right, op->prec);
  }
  case Operator::Prefix: {
    Ref a = expression();
    return a ? of(Kind::Prefix, a) : Ref{0};
  }
  case Operator::Postfix: {
    bool isPrefix = take('_');
    Ref a = expression();
    return a ? of(isPrefix ? Kind::Prefix : Kind::PostfixOf, a) : Ref{0};
  }
  case Operator::Index: {
    Ref a = expression(), b = a ? expression() : Ref{0};
    return b ? of(Kind::Subscript, a, b) : Ref{0};
  }
  case Operator::Member: {
    Ref a = expression(), b = a ? expression() : Ref{0};
    return b ? of(Kind::MemberOf, a, b) : Ref{0};
  }
  case Operator::Delete: {
    Ref a = expression();
    if (!a)
      return 0;
    Ref made = withText(make(Kind::Delete, a), op->name + 1);
    nodes[made].prec = op->prec;
    nodes[made].extra = isGlobal;
    return made;
  }
  case Operator::Call: {
    Ref callee = expression();
    Items list;
    return callee && expressions(list, 'E') ? of(Kind::Call, callee, list.first)
                                            : Ref{0};
  }
  case Operator::Conditional: {
    Ref a = expression(), b = a ? expression() : Ref{0},
        c = b ? expression() : Ref{0};
    return c ? of(Kind::Conditional, a, b, c) : Ref{0};
  }
  case Operator::NamedCast: {
    Ref to = type(), a = to ? expression() : Ref{0};
    return a ? of(Kind::NamedCast, to, a) : Ref{0};
  }
  case Operator::OfType:
  case Operator::OfExpression: {
    Ref a = op->how == Operator::OfType ? type() : expression();
    return a ? of(Kind::Enclosed, a) : Ref{0};
  }
  default:
    return 0;
  }
}

// <expr-primary>
Ref Parser::primary() {
  if (!take('L'))
    return 0;
  static constexpr struct {
    char code;
    const char *type, *suffix;
  } kIntegers[] = {{'w', "wchar_t", ""},
                   {'c', "char", ""},
                   {'a', "signed char", ""},
                   {'h', "unsigned char", ""},
                   {'s', "short", ""},
                   {'t', "unsigned short", ""},
                   {'i', "", ""},
                   {'j', "", "u"},
                   {'l', "", "l"},
                   {'m', "", "ul"},
                   {'x', "", "ll"},
                   {'y', "", "ull"},
                   {'n', "__int128", ""},
                   {'o', "unsigned __int128", ""}};
  for (const auto &one : kIntegers)
    if (take(one.code)) {
      const char *begin = at;
      take('n');
      if (!isDigit())
        return 0;
      while (isDigit())
        ++at;
      auto length = static_cast<size_t>(at - begin);
      if (!take('E'))
        return 0;
      Ref suffix = *one.suffix ? text(one.suffix) : Ref{0};
      Ref type = *one.type ? text(one.type) : Ref{0};
      return withText(make(Kind::Number, type, suffix), begin, length);
    }
  if (take("b0E"))
    return text("false");
  if (take("b1E"))
    return text("true");
  if (take("DnE") || take("Dn0E"))
    return text("nullptr");
  if (look() == 'A') {
    Ref of = type();
    return of && take('E') ? make(Kind::String, of) : Ref{0};
  }
  if (look() == 'U' && look(1) == 'l') {
    Ref of = unnamedTypeName(nullptr);
    return of && take('E') ? make(Kind::LambdaValue, of) : Ref{0};
  }
  if (take("_Z")) {
    Ref of = encoding();
    return of && take('E') ? of : Ref{0};
  }
  if (look() == 'f' || look() == 'd' || look() == 'e') {
    // Prints the bits unchanged: printing a value would need the C library's
    // printf.
    Ref of = builtinType();
    const char *begin = at;
    while (isDigit() || (look() >= 'a' && look() <= 'f'))
      ++at;
    auto length = static_cast<size_t>(at - begin);
    return length && take('E') ? withText(make(Kind::Cast, of), begin, length)
                               : Ref{0};
  }
  Ref of = type();
  const char *begin = at;
  take('n');
  while (isDigit())
    ++at;
  auto length = static_cast<size_t>(at - begin);
  if (!of || !take('E'))
    return 0;
  return length ? withText(make(Kind::Number, of), begin, length) : Ref{0};
}

// <function-param>
Ref Parser::functionParameter() {
  if (take("fpT"))
    return text("this");
  if (take("fL")) {
    uint32_t level;
    if (!number(level) || !take('p'))
      return 0;
  } else if (!take("fp")) {
    return 0;
  }
  qualifiers();
  const char *begin = at;
  while (isDigit())
    ++at;
  auto length = static_cast<size_t>(at - begin);
  return take('_') ? withText(make(Kind::FunctionParameter), begin, length)
                   : Ref{0};
}

// <fold-expression>
Ref Parser::fold() {
  if (!take('f'))
    return 0;
  char kind = look();
  if (!strchr("lrLR", kind) || !kind)
    return 0;
  ++at;
  const Operator *op = findOperator(look(), look(1));
  if (!op || (op->how != Operator::Binary && op->how != Operator::Member))
    return 0;
  at += 2;
  Ref first = expression(), second = 0;
  if (!first || ((kind == 'L' || kind == 'R') && !(second = expression())))
    return 0;
  bool isLeft = kind == 'l' || kind == 'L';
  // The pack and the initial value. The side determines their order.
  Ref pack = isLeft && second ? second : first;
  Ref initial = !second ? Ref{0} : isLeft ? first : second;
  Ref made = withText(make(Kind::Fold, pack, initial), op->name);
  nodes[made].extra = isLeft;
  return made;
}

// <unresolved-name>
Ref Parser::unresolvedName(bool isGlobal) {
  Ref sofar = 0;
  auto nest = [&](Ref next) -> bool {
    sofar = next && sofar ? make(Kind::Nested, sofar, next) : next;
    return sofar;
  };
  if (take("srN")) {
    if (!(sofar = unresolvedType()))
      return 0;
    if (look() == 'I') {
      Ref arguments = templateArguments(false);
      if (!arguments || !(sofar = make(Kind::Template, sofar, arguments)))
        return 0;
    }
    while (!take('E'))
      if (!nest(simpleId()))
        return 0;
    return nest(baseUnresolvedName()) ? sofar : Ref{0};
  }
  if (!take("sr")) {
    sofar = baseUnresolvedName();
    return sofar && isGlobal ? make(Kind::Global, sofar) : sofar;
  }
  if (isDigit()) {
    do {
      Ref part = simpleId();
      if (!part)
        return 0;
      if (!sofar && isGlobal)
        sofar = make(Kind::Global, part);
      else if (!nest(part))
        return 0;
    } while (!take('E'));
  } else {
    if (!(sofar = unresolvedType()))
      return 0;
    if (look() == 'I') {
      Ref arguments = templateArguments(false);
      if (!arguments || !(sofar = make(Kind::Template, sofar, arguments)))
        return 0;
    }
  }
  return nest(baseUnresolvedName()) ? sofar : Ref{0};
}

// <unresolved-type>
Ref Parser::unresolvedType() {
  if (look() == 'T') {
    Ref found = templateParameter();
    return found && remember(found) ? found : Ref{0};
  }
  if (look() == 'D') {
    Ref found = decltypeType();
    return found && remember(found) ? found : Ref{0};
  }
  if (take("St")) {
    Ref named = unqualifiedName(nullptr, text("std"), 0);
    return named && remember(named) ? named : Ref{0};
  }
  return substitution();
}

// <simple-id>
Ref Parser::simpleId() {
  Ref named = sourceName();
  if (!named || look() != 'I')
    return named;
  Ref arguments = templateArguments(false);
  return arguments ? make(Kind::Template, named, arguments) : Ref{0};
}

// <base-unresolved-name>
Ref Parser::baseUnresolvedName() {
  if (isDigit())
    return simpleId();
  if (take("dn")) {
    Ref of = isDigit() ? simpleId() : unresolvedType();
    return of ? make(Kind::Dtor, of) : Ref{0};
  }
  take("on");
  Ref named = operatorName(nullptr);
  if (!named || look() != 'I')
    return named;
  Ref arguments = templateArguments(false);
  return arguments ? make(Kind::Template, named, arguments) : Ref{0};
}

// new, after "gs"
Ref Parser::newExpression(bool isGlobal) {
  bool isArray = look(1) == 'a';
  at += 2;
  Items places, values;
  if (!expressions(places, '_'))
    return 0;
  Ref of = type();
  if (!of)
    return 0;
  bool hasValues = take("pi");
  if (hasValues ? !expressions(values, 'E') : !take('E'))
    return 0;
  Ref made = make(Kind::New, places.first, of, values.first);
  nodes[made].extra =
      static_cast<uint8_t>(isGlobal | isArray << 1 | hasValues << 2);
  nodes[made].prec = kUnary;
  return made;
}

// cv <type> <expression>, or cv <type> _ <expression>* E
Ref Parser::conversionExpression() {
  at += 2;
  bool kept = readsArguments;
  readsArguments = false;
  Ref to = type();
  readsArguments = kept;
  if (!to)
    return 0;
  Items list;
  if (take('_') ? !expressions(list, 'E') : !add(list, expression()))
    return 0;
  Ref made = make(Kind::Convert, to, list.first);
  nodes[made].prec = kCastPrec;
  return made;
}

// rq <requirement>+ E, or rQ <bare-function-type> _ <requirement>+ E
Ref Parser::requiresExpression() {
  bool hasParameters = look(1) == 'Q';
  at += 2;
  Items list, requirements;
  if (hasParameters)
    while (!take('_'))
      if (!add(list, type()))
        return 0;
  do {
    Ref one = 0;
    if (take('X')) {
      Ref value = expression(), concept_ = 0;
      if (!value)
        return 0;
      one = make(Kind::Requirement, value);
      nodes[one].extra = take('N');
      if (take('R') && !(concept_ = name(nullptr)))
        return 0;
      nodes[one].c = concept_;
    } else if (take('T')) {
      Ref of = type();
      one = of ? make(Kind::TypeRequirement, of) : Ref{0};
    } else if (take('Q')) {
      Ref of = expression();
      one = of ? make(Kind::NestedRequirement, of) : Ref{0};
    }
    if (!add(requirements, one))
      return 0;
  } while (!take('E'));
  return make(Kind::RequiresExpr, list.first, requirements.first);
}

} // namespace tprt::names
