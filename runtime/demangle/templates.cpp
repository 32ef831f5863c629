// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Template arguments and parameters, and lambdas, which have their own
// parameters; see parser.h.
#include "demangle/parser.h"

namespace tprt::names {

bool Parser::addParameter(Level &level, Ref node) {
  if (!node || parametersUsed == kMostParameters ||
      level.begin + level.count != parametersUsed)
    return false;
  parameters[parametersUsed++] = node;
  ++level.count;
  return true;
}

// <template-args>
Ref Parser::templateArguments(bool isOfEncoding) {
  if (!take('I'))
    return 0;
  if (isOfEncoding) {
    levels[0] = {parametersUsed, 0};
    levelCount = 1;
  }
  Items list;
  // An empty list also has a node, because 0 means a mistake.
  Ref empty = make(Kind::List);
  if (!empty)
    return 0;
  while (!take('E')) {
    if (look() == 'Q') {
      ++at;
      // The constraints of the arguments are not printed.
      if (!expression() || !take('E'))
        return 0;
      break;
    }
    Level keptLevel = levels[0];
    unsigned keptCount = levelCount;
    bool keptIs = isInArguments;
    isInArguments |= isOfEncoding;
    Ref argument = templateArgument();
    isInArguments = keptIs;
    if (isOfEncoding) {
      levels[0] = keptLevel;
      levelCount = keptCount;
      Ref known = argument;
      if (argument && nodes[argument].kind == Kind::Pack)
        known = make(Kind::Elements, nodes[argument].a);
      if (!addParameter(levels[0], known))
        return 0;
    }
    if (!add(list, argument))
      return 0;
  }
  nodes[empty].b = list.first;
  return empty;
}

// <template-arg>
Ref Parser::templateArgument() {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  if (take('X')) {
    Ref value = expression();
    return value && take('E') ? value : Ref{0};
  }
  if (take('J')) {
    Items list;
    while (!take('E'))
      if (!add(list, templateArgument()))
        return 0;
    return make(Kind::Pack, list.first);
  }
  if (look() == 'L')
    return primary();
  if (isParameterDeclaration()) {
    // The argument's kind, which is not printed. Its parameters are a level.
    if (levelCount == kMostLevels)
      return 0;
    unsigned keptCount = levelCount;
    uint16_t keptUsed = parametersUsed;
    if (!levelCount)
      levels[levelCount++] = {parametersUsed, 0};
    levels[levelCount++] = {parametersUsed, 0};
    Ref declared = parameterDeclaration(false);
    levelCount = keptCount;
    parametersUsed = keptUsed;
    return declared ? templateArgument() : Ref{0};
  }
  return type();
}

// <template-param>
Ref Parser::templateParameter() {
  if (!take('T'))
    return 0;
  uint32_t level = 0, index = 0;
  if (take('L')) {
    if (!number(level) || !take('_'))
      return 0;
    ++level;
  }
  if (!sequence(index))
    return 0;
  // A later argument, for the type of a conversion.
  if (mayReferForward && !level) {
    Ref forward = make(Kind::Forward);
    if (!forward || index > UINT8_MAX ||
        forwardCount == sizeof forwards / sizeof *forwards)
      return 0;
    nodes[forward].extra = static_cast<uint8_t>(index);
    forwards[forwardCount++] = forward;
    return forward;
  }
  if (level < levelCount && index < levels[level].count)
    return parameters[levels[level].begin + index];
  // A parameter of a lambda that is declared as auto.
  if (level == lambdaLevel && level <= levelCount)
    return text("auto");
  return 0;
}

// <template-param-decl>. `isIntroduced` says that the parameter gets a name,
// and can be referred to.
Ref Parser::parameterDeclaration(bool isIntroduced) {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  static constexpr const char *kNames[] = {"$T", "$N", "$TT"};
  auto introduce = [&](unsigned which) -> Ref {
    Ref made = withText(make(Kind::Parameter), kNames[which]);
    if (!made)
      return 0;
    nodes[made].a = static_cast<Ref>(synthetic[which]++);
    if (isIntroduced && !addParameter(levels[levelCount - 1], made))
      return 0;
    return made;
  };
  if (take("Ty")) {
    Ref named = introduce(0);
    return named ? make(Kind::ParameterType, named) : Ref{0};
  }
  if (take("Tk")) {
    Ref concept_ = this->name(nullptr);
    Ref named = concept_ ? introduce(0) : Ref{0};
    return named ? make(Kind::ParameterOf, named, concept_) : Ref{0};
  }
  if (take("Tn")) {
    Ref named = introduce(1), of = named ? type() : Ref{0};
    return of ? make(Kind::ParameterValue, named, of) : Ref{0};
  }
  if (take("Tt")) {
    Ref named = introduce(2);
    if (!named || levelCount == kMostLevels)
      return 0;
    unsigned keptCount = levelCount;
    uint16_t keptUsed = parametersUsed;
    levels[levelCount++] = {parametersUsed, 0};
    Items list;
    bool isWhole = true;
    while (isWhole && !take('E')) {
      if (take('Q'))
        isWhole = expression();
      else
        isWhole = add(list, parameterDeclaration(isIntroduced));
    }
    levelCount = keptCount;
    parametersUsed = keptUsed;
    return isWhole ? make(Kind::ParameterTemplate, named, list.first) : Ref{0};
  }
  if (take("Tp")) {
    Ref of = parameterDeclaration(isIntroduced);
    return of ? make(Kind::ParameterPack, of) : Ref{0};
  }
  return 0;
}

// <closure-type-name>, after "Ul"
Ref Parser::lambda() {
  if (levelCount == kMostLevels)
    return 0;
  unsigned keptLevel = lambdaLevel, keptCount = levelCount;
  uint16_t keptUsed = parametersUsed;
  uint32_t keptSynthetic[3];
  memcpy(keptSynthetic, synthetic, sizeof synthetic);
  // A lambda that is an argument does not refer to the arguments before it.
  if (isInArguments)
    levelCount = 0;
  lambdaLevel = levelCount;
  struct Restore {
    Parser &p;
    unsigned level, count;
    uint16_t used;
    uint32_t *synthetic;
    ~Restore() {
      p.lambdaLevel = level;
      p.levelCount = count;
      p.parametersUsed = used;
      memcpy(p.synthetic, synthetic, sizeof p.synthetic);
    }
  } restore{*this, keptLevel, keptCount, keptUsed, keptSynthetic};
  levels[levelCount++] = {parametersUsed, 0};
  Items declared, list;
  while (isParameterDeclaration()) {
    Ref one = parameterDeclaration(true);
    if (!one || !add(declared, one))
      return 0;
  }
  // Without declared parameters, the level exists only for `auto`.
  if (!declared.first)
    --levelCount;
  Ref clause = 0, second = 0;
  if (take('Q') && !(clause = expression()))
    return 0;
  if (!take('v'))
    do
      if (!add(list, type()))
        return 0;
    while (look() != 'E' && look() != 'Q');
  if (take('Q') && !(second = expression()))
    return 0;
  if (!take('E'))
    return 0;
  const char *begin = at;
  uint32_t value;
  if (!sequence(value))
    return 0;
  Ref result = withText(make(Kind::Lambda, declared.first, list.first, clause),
                        begin, static_cast<size_t>(at - 1 - begin));
  nodes[result].d = second;
  return result;
}

} // namespace tprt::names
