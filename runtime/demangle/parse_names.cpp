// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions, types and operators; see parser.h.
#include "demangle/operators.h"
#include "demangle/parser.h"

namespace tprt::names {

// <name>
Ref Parser::name(State *state) {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  if (look() == 'N')
    return nestedName(state);
  if (look() == 'Z')
    return localName(state);
  bool isSubstitution = false;
  Ref result = unscopedName(state, &isSubstitution);
  if (!result)
    return 0;
  if (look() != 'I')
    return isSubstitution ? Ref{0} : result;
  if (!isSubstitution && !remember(result))
    return 0;
  Ref arguments = templateArguments(state);
  if (!arguments)
    return 0;
  if (state)
    state->endsWithArguments = true;
  return make(Kind::Template, result, arguments);
}

// <unscoped-name>, and the substitutions that may replace it
Ref Parser::unscopedName(State *state, bool *isSubstitution) {
  Ref scope = take("St") ? text("std") : Ref{0}, module = 0;
  if (look() == 'S') {
    Ref found = substitution();
    if (!found)
      return 0;
    if (nodes[found].kind == Kind::Module) {
      module = found;
    } else if (isSubstitution && !scope) {
      *isSubstitution = true;
      return found;
    } else {
      return 0;
    }
  }
  return unqualifiedName(state, scope, module);
}

// <nested-name>
Ref Parser::nestedName(State *state) {
  if (!take('N'))
    return 0;
  uint8_t quals = 0;
  bool isExplicit = take('H');
  if (!isExplicit) {
    quals = qualifiers();
    quals |= take('R') ? kLRef : take('O') ? kRRef : uint8_t{0};
  }
  if (state) {
    state->quals = quals;
    state->hasExplicitObject = isExplicit;
  }
  Ref sofar = 0, module = 0;
  while (!take('E')) {
    if (state)
      state->endsWithArguments = false;
    if (look() == 'T') {
      if (sofar || !(sofar = templateParameter()))
        return 0;
    } else if (look() == 'I') {
      if (!sofar || nodes[sofar].kind == Kind::Template)
        return 0;
      Ref arguments = templateArguments(state);
      if (!arguments || !(sofar = make(Kind::Template, sofar, arguments)))
        return 0;
      if (state)
        state->endsWithArguments = true;
    } else if (look() == 'D' && (look(1) == 't' || look(1) == 'T')) {
      if (sofar || !(sofar = decltypeType()))
        return 0;
    } else if (look() == 'S') {
      Ref found = take("St") ? text("std") : substitution();
      if (!found)
        return 0;
      if (nodes[found].kind == Kind::Module)
        module = found;
      else if (sofar)
        return 0;
      else
        sofar = found;
      continue; // this is not a new substitution
    } else {
      if (!(sofar = unqualifiedName(state, sofar, module)))
        return 0;
      module = 0;
    }
    if (!remember(sofar))
      return 0;
    take('M'); // a member's initialiser that contains a closure
  }
  if (!sofar || !remembered)
    return 0;
  --remembered; // the whole name is not a substitution
  return sofar;
}

// <discriminator>
void Parser::discriminator() {
  const char *begin = at;
  uint32_t value;
  if (take("__")) {
    if (!number(value) || !take('_'))
      at = begin;
  } else if (look() == '_' && isDigit(1)) {
    at += 2;
  } else if (isDigit()) {
    while (isDigit())
      ++at;
    if (at != end)
      at = begin;
  }
}

// <local-name>
Ref Parser::localName(State *state) {
  if (!take('Z'))
    return 0;
  Ref function = encoding();
  if (!function || !take('E'))
    return 0;
  Ref entity;
  if (take('s')) {
    discriminator();
    entity = text("string literal");
  } else if (take('d')) {
    uint32_t value;
    if (!sequence(value))
      return 0;
    entity = name(state);
  } else {
    entity = name(state);
    if (entity)
      discriminator();
  }
  return entity ? make(Kind::Local, function, entity) : Ref{0};
}

// <module-name>, any number of them
bool Parser::moduleName(Ref &module) {
  while (take('W')) {
    bool isPartition = take('P');
    Ref part = sourceName();
    if (!part)
      return false;
    module = withText(make(Kind::Module, module), nodes[part].text,
                      nodes[part].length);
    nodes[module].extra = isPartition;
    if (!remember(module))
      return false;
  }
  return true;
}

// <source-name>
Ref Parser::sourceName() {
  uint32_t length;
  if (!number(length) || !length || static_cast<size_t>(end - at) < length)
    return 0;
  const char *begin = at;
  at += length;
  static constexpr char kAnonymous[] = "_GLOBAL__N";
  if (length >= sizeof kAnonymous - 1 &&
      memcmp(begin, kAnonymous, sizeof kAnonymous - 1) == 0)
    return text("(anonymous namespace)");
  return text(begin, length);
}

// <abi-tags>
Ref Parser::abiTags(Ref node) {
  while (node && take('B')) {
    Ref tag = sourceName();
    if (!tag)
      return 0;
    node =
        withText(make(Kind::Tagged, node), nodes[tag].text, nodes[tag].length);
  }
  return node;
}

// <unqualified-name>
Ref Parser::unqualifiedName(State *state, Ref scope, Ref module) {
  if (!moduleName(module))
    return 0;
  bool isFriend = scope && take('F');
  take('L');
  Ref result;
  if (isDigit()) {
    result = sourceName();
  } else if (look() == 'U') {
    result = unnamedTypeName(state);
  } else if (take("DC")) {
    Items list;
    do
      if (!add(list, sourceName()))
        return 0;
    while (!take('E'));
    result = make(Kind::Bindings, list.first);
  } else if (look() == 'C' || look() == 'D') {
    result = scope && !module ? constructorName(state, scope) : Ref{0};
  } else {
    result = operatorName(state);
  }
  if (result && module)
    result = make(Kind::InModule, result, module);
  result = abiTags(result);
  if (!result || !scope)
    return result;
  return make(isFriend ? Kind::Friend : Kind::Nested, scope, result);
}

// <unnamed-type-name>
Ref Parser::unnamedTypeName(State *) {
  uint32_t value;
  if (take("Ut")) {
    const char *begin = at;
    if (!sequence(value))
      return 0;
    // The text contains the number unchanged.
    return withText(make(Kind::Numbered, text("unnamed")), begin,
                    static_cast<size_t>(at - 1 - begin));
  }
  if (take("Ul"))
    return lambda();
  if (take("Ub")) {
    while (isDigit())
      ++at;
    return take('_') ? text("'block-literal'") : Ref{0};
  }
  return 0;
}

// <ctor-dtor-name>
Ref Parser::constructorName(State *state, Ref &scope) {
  // In a constructor, the class has its full name instead of the abbreviation.
  if (nodes[scope].kind == Kind::Text && nodes[scope].length > 5 &&
      memcmp(nodes[scope].text, "std::", 5) == 0) {
    static constexpr struct {
      const char *alias, *base, *arguments;
    } kAliases[] = {
        {"std::string", "basic_string",
         "char, std::char_traits<char>, std::allocator<char>"},
        {"std::istream", "basic_istream", "char, std::char_traits<char>"},
        {"std::ostream", "basic_ostream", "char, std::char_traits<char>"},
        {"std::iostream", "basic_iostream", "char, std::char_traits<char>"}};
    for (const auto &one : kAliases)
      if (strlen(one.alias) == nodes[scope].length &&
          memcmp(one.alias, nodes[scope].text, nodes[scope].length) == 0) {
        Items arguments;
        if (!add(arguments, text(one.arguments)))
          return 0;
        scope = make(Kind::Template,
                     make(Kind::Nested, text("std"), text(one.base)),
                     make(Kind::List, 0, arguments.first));
        if (!scope)
          return 0;
      }
  }
  if (state)
    state->hasNoResult = true;
  bool isDestructor = look() == 'D';
  ++at;
  bool inherits = !isDestructor && take('I');
  char variant = look();
  if (!(isDestructor ? strchr("01245", variant) : strchr("12345", variant)) ||
      !variant)
    return 0;
  ++at;
  if (inherits && !name(state))
    return 0;
  Ref result = make(Kind::Constructor, scope);
  nodes[result].extra = isDestructor;
  return result;
}

// <operator-name>
Ref Parser::operatorName(State *state) {
  if (take("cv")) {
    // The type may refer to later arguments, which are the operator's own.
    bool keptReads = readsArguments, keptForward = mayReferForward;
    readsArguments = false;
    mayReferForward |= state != nullptr;
    Ref to = type();
    readsArguments = keptReads;
    mayReferForward = keptForward;
    if (state)
      state->hasNoResult = true;
    return to ? make(Kind::Conversion, to) : Ref{0};
  }
  if (take("li")) {
    Ref suffix = sourceName();
    return suffix ? withText(make(Kind::Literal), nodes[suffix].text,
                             nodes[suffix].length)
                  : Ref{0};
  }
  if (look() == 'v' && isDigit(1)) {
    ++at;
    ++at;
    Ref vendor = sourceName();
    return vendor ? make(Kind::Conversion, vendor) : Ref{0};
  }
  const Operator *found = findOperator(look(), look(1));
  if (!found || !found->isNamable())
    return 0;
  at += 2;
  return withText(make(Kind::Special, text(found->name)), "operator");
}

// <substitution>
Ref Parser::substitution() {
  if (!take('S'))
    return 0;
  if (look() >= 'a' && look() <= 'z') {
    static constexpr struct {
      char code;
      const char *text;
    } kKnown[] = {{'a', "std::allocator"}, {'b', "std::basic_string"},
                  {'s', "std::string"},    {'i', "std::istream"},
                  {'o', "std::ostream"},   {'d', "std::iostream"}};
    for (const auto &one : kKnown)
      if (take(one.code)) {
        Ref plain = text(one.text), tagged = abiTags(plain);
        return tagged == plain || remember(tagged) ? tagged : Ref{0};
      }
    return 0;
  }
  uint32_t index = 0;
  if (!take('_')) {
    if (!base36(index))
      return 0;
    ++index;
  }
  return index < remembered ? substitutions[index] : Ref{0};
}

} // namespace tprt::names
