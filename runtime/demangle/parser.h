// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a linked C++ name into a tree (Itanium C++ ABI, section 5.1). Each
// function reads one rule of the grammar in that section. Its comment has the
// rule's name. It returns a node, or 0 if the name breaks the rule or a limit
// of node.h. Encodings are read in parser.cpp, names in parse_names.cpp, types
// in types.cpp, template arguments in templates.cpp, expressions in
// expressions.cpp. The functions have no state, acquire no lock and allocate
// nothing: async-signal-safe.
#ifndef TPRT_DEMANGLE_PARSER_H
#define TPRT_DEMANGLE_PARSER_H

#include "demangle/node.h"

#include <string.h>

namespace tprt::names {

class Parser {
public:
  Parser(const char *begin, const char *end, Memory &memory)
      : at(begin), end(end), nodes(memory.nodes),
        substitutions(memory.substitutions), parameters(memory.parameters) {
    nodes[0] = {};
  }
  // <mangled-name>, all of it.
  Ref mangledName();

private:
  // Facts about an encoding that its name determines.
  struct State {
    bool hasNoResult = false; // a constructor or a conversion
    bool endsWithArguments = false;
    uint8_t quals = 0;
    bool hasExplicitObject = false;
    Ref firstForward = 0;
  };
  // A count of levels; increased while a nesting rule is read.
  struct Deeper {
    explicit Deeper(Parser &of) : of(of) { ++of.depth; }
    ~Deeper() { --of.depth; }
    bool isTooDeep() const { return of.depth > kMostDepth; }
    Parser &of;
  };

  // --- the text
  char look(size_t ahead = 0) const {
    return static_cast<size_t>(end - at) > ahead ? at[ahead] : '\0';
  }
  bool take(char c) { return look() == c && at != end ? ++at, true : false; }
  bool take(const char *text) {
    size_t length = strlen(text);
    if (static_cast<size_t>(end - at) < length || memcmp(at, text, length) != 0)
      return false;
    at += length;
    return true;
  }
  bool isDigit(size_t ahead = 0) const {
    return look(ahead) >= '0' && look(ahead) <= '9';
  }
  // Reads a decimal number. Returns false if there is no number, or if it is
  // too large.
  bool number(uint32_t &value);
  // [<number>] _. An empty number means 0, and a number n means n + 1.
  bool sequence(uint32_t &value);
  // An index in base 36 and '_'.
  bool base36(uint32_t &value);

  // --- nodes
  Ref make(Kind kind, Ref a = 0, Ref b = 0, Ref c = 0);
  Ref text(const char *literal) { return text(literal, strlen(literal)); }
  Ref text(const char *begin, size_t length);
  Ref withText(Ref node, const char *begin, size_t length);
  Ref withText(Ref node, const char *literal) {
    return withText(node, literal, strlen(literal));
  }
  bool remember(Ref node);
  // A list that grows at its end.
  struct Items {
    Ref first = 0, last = 0;
  };
  bool add(Items &items, Ref item);

  // --- names (parser.cpp)
  Ref blockInvocation();
  Ref encoding();
  Ref specialName();
  bool callOffset();
  Ref name(State *state);
  Ref nestedName(State *state);
  Ref localName(State *state);
  Ref unscopedName(State *state, bool *isSubstitution);
  Ref unqualifiedName(State *state, Ref scope, Ref module);
  Ref unnamedTypeName(State *state);
  Ref lambda();
  Ref constructorName(State *state, Ref &scope);
  Ref sourceName();
  Ref abiTags(Ref node);
  bool moduleName(Ref &module);
  Ref operatorName(State *state);
  void discriminator();
  Ref substitution();
  bool isEndOfEncoding() const {
    return at == end || *at == 'E' || *at == '.' || *at == '_';
  }

  // --- template arguments and parameters (parser.cpp)
  Ref templateArguments(bool isOfEncoding);
  Ref templateArgument();
  Ref templateParameter();
  bool isParameterDeclaration() const {
    return look() == 'T' && strchr("yptnk", look(1)) && look(1);
  }
  Ref parameterDeclaration(bool isIntroduced);

  // --- types (types.cpp)
  Ref type();
  Ref plainType();
  Ref qualifiedType();
  Ref builtinType();
  Ref typeOfD();
  Ref functionType();
  Ref arrayType();
  Ref memberType();
  Ref vectorType();
  Ref decltypeType();
  Ref nameType();
  uint8_t qualifiers();

  // --- expressions (expressions.cpp)
  Ref expression();
  Ref operatorExpression(bool isGlobal);
  Ref primary();
  Ref literal(const char *type, const char *suffix, size_t length);
  Ref functionParameter();
  Ref fold();
  Ref unresolvedName(bool isGlobal);
  Ref unresolvedType();
  Ref baseUnresolvedName();
  Ref simpleId();
  Ref bracedExpression();
  Ref newExpression(bool isGlobal);
  Ref conversionExpression();
  Ref requiresExpression();
  bool expressions(Items &items, char last);

  Ref binary(Ref left, const char *op, Ref right, uint8_t prec);

  const char *at, *const end;
  Node *const nodes;
  Ref *const substitutions;
  // The template arguments to which <template-param> refers: the arguments of
  // the encoding, from `outer`, and those of the enclosing lambdas, one level
  // each.
  Ref *const parameters;
  struct Level {
    uint16_t begin = 0, count = 0;
  };
  static constexpr unsigned kMostLevels = 8;
  Level levels[kMostLevels];
  unsigned levelCount = 0;
  uint16_t parametersUsed = 0;
  unsigned used = 1, remembered = 0, depth = 0;
  // The level of the lambda whose parameters are being read; kMostLevels if
  // there is none.
  unsigned lambdaLevel = kMostLevels;
  uint32_t synthetic[3] = {}; // names that were made for template parameters
  bool readsArguments = true, mayReferForward = false;
  // The template arguments of an encoding's name are being read.
  bool isInArguments = false;
  Ref forwards[16];
  unsigned forwardCount = 0;

  bool addParameter(Level &level, Ref node);
};

} // namespace tprt::names

#endif
