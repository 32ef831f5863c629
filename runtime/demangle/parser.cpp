// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings and special names; see parser.h.
#include "demangle/parser.h"

namespace tprt::names {

// --- the text, nodes --------------------------------------------------------

bool Parser::number(uint32_t &value) {
  if (!isDigit())
    return false;
  for (value = 0; isDigit(); ++at) {
    if (value > 100'000'000)
      return false;
    value = 10 * value + static_cast<uint32_t>(*at - '0');
  }
  return true;
}

bool Parser::sequence(uint32_t &value) {
  value = 0;
  if (take('_'))
    return true;
  return number(value) && (++value, take('_'));
}

bool Parser::base36(uint32_t &value) {
  for (value = 0; !take('_'); ++at) {
    char c = look();
    uint32_t digit = c >= '0' && c <= '9' ? static_cast<uint32_t>(c - '0')
                     : c >= 'A' && c <= 'Z'
                         ? static_cast<uint32_t>(c - 'A') + 10
                         : 36;
    if (digit == 36 || value > 1'000'000)
      return false;
    value = 36 * value + digit;
  }
  return true;
}

Ref Parser::make(Kind kind, Ref a, Ref b, Ref c) {
  if (used == kMostNodes)
    return 0;
  nodes[used] = {kind, 0, 0, kPrimary, a, b, c, 0, 0, nullptr};
  return static_cast<Ref>(used++);
}

Ref Parser::text(const char *begin, size_t length) {
  return withText(make(Kind::Text), begin, length);
}

Ref Parser::withText(Ref node, const char *begin, size_t length) {
  if (node) {
    nodes[node].text = begin;
    nodes[node].length = static_cast<uint32_t>(length);
  }
  return node;
}

bool Parser::remember(Ref node) {
  if (!node || remembered == kMostSubstitutions)
    return false;
  substitutions[remembered++] = node;
  return true;
}

bool Parser::add(Items &items, Ref item) {
  Ref node = item ? make(Kind::List, item) : Ref{0};
  if (!node)
    return false;
  (items.last ? nodes[items.last].b : items.first) = node;
  items.last = node;
  return true;
}

// --- encodings --------------------------------------------------------------

Ref Parser::mangledName() {
  if (take("____Z") || take("___Z"))
    return blockInvocation();
  if (!take("_Z") && !take("__Z"))
    return 0;
  Ref result = encoding();
  if (result && look() == '.') {
    result = withText(make(Kind::Suffixed, result), at,
                      static_cast<size_t>(end - at));
    at = end;
  }
  return at == end ? result : Ref{0};
}

// The encoding of a function, and the suffix that clang adds for a block in the
// function: _block_invoke, and a number, which may follow a '_'.
Ref Parser::blockInvocation() {
  Ref result = encoding();
  if (!result || !take("_block_invoke"))
    return 0;
  bool needsNumber = take('_');
  if (needsNumber && !isDigit())
    return 0;
  while (isDigit())
    ++at;
  if (look() == '.')
    at = end;
  return at == end ? withText(make(Kind::Special, result),
                              "invocation function for block in ")
                   : Ref{0};
}

// <encoding>
Ref Parser::encoding() {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  // The template parameters of an encoding are its own.
  Level kept[kMostLevels];
  memcpy(kept, levels, sizeof levels);
  unsigned keptCount = levelCount, keptForwards = forwardCount;
  uint16_t keptUsed = parametersUsed;
  bool keptIs = isInArguments;
  levelCount = 0;
  isInArguments = false;
  struct Restore {
    Parser &p;
    Level *kept;
    unsigned count, forwards;
    uint16_t used;
    bool is;
    ~Restore() {
      p.isInArguments = is;
      memcpy(p.levels, kept, sizeof p.levels);
      p.levelCount = count;
      p.forwardCount = forwards;
      p.parametersUsed = used;
    }
  } restore{*this, kept, keptCount, keptForwards, keptUsed, keptIs};

  if (look() == 'G' || look() == 'T')
    return specialName();
  State state;
  Ref named = name(&state);
  if (!named)
    return 0;
  for (unsigned i = keptForwards; i < forwardCount; ++i) {
    Node &forward = nodes[forwards[i]];
    if (!levelCount || forward.extra >= levels[0].count)
      return 0;
    forward.a = parameters[levels[0].begin + forward.extra];
  }
  if (isEndOfEncoding())
    return named;
  Ref result = 0, clause = 0;
  if (!state.hasNoResult && state.endsWithArguments && !(result = type()))
    return 0;
  Items list;
  if (!take('v'))
    do {
      Ref parameter = type();
      if (parameter && state.hasExplicitObject && !list.first)
        parameter = withText(make(Kind::Elaborated, parameter), "this");
      if (!add(list, parameter))
        return 0;
    } while (!isEndOfEncoding() && look() != 'Q');
  if (take('Q') && !(clause = expression()))
    return 0;
  Ref whole = make(Kind::Encoding, named, list.first, result);
  nodes[whole].quals = state.quals;
  nodes[whole].d = clause;
  return whole;
}

// <call-offset>
bool Parser::callOffset() {
  auto signedNumber = [this] {
    take('n');
    uint32_t value;
    return number(value) && take('_');
  };
  return take('h') ? signedNumber()
                   : take('v') && signedNumber() && signedNumber();
}

// <special-name>
Ref Parser::specialName() {
  struct Row {
    char code[4];
    bool isType;
    const char *text;
  };
  static constexpr Row kRows[] = {
      {"TV", true, "vtable for "},
      {"TT", true, "VTT for "},
      {"TI", true, "typeinfo for "},
      {"TS", true, "typeinfo name for "},
      {"TW", false, "thread-local wrapper routine for "},
      {"TH", false, "thread-local initialization routine for "},
      {"GV", false, "guard variable for "},
  };
  auto special = [this](const char *text, Ref of) {
    return of ? withText(make(Kind::Special, of), text) : Ref{0};
  };
  for (const Row &row : kRows)
    if (take(row.code))
      return special(row.text, row.isType ? type() : name(nullptr));
  if (take("TA"))
    return special("template parameter object for ", templateArgument());
  if (take("TC")) {
    Ref of = type();
    uint32_t offset;
    if (!of || !number(offset) || !take('_'))
      return 0;
    Ref in = type();
    return in ? withText(make(Kind::Construction, in, of),
                         "construction vtable for ")
              : Ref{0};
  }
  if (take("Tc"))
    return callOffset() && callOffset()
               ? special("covariant return thunk to ", encoding())
               : Ref{0};
  if (look() == 'T' && (look(1) == 'h' || look(1) == 'v')) {
    ++at;
    bool isVirtual = look() == 'v';
    return callOffset() ? special(isVirtual ? "virtual thunk to "
                                            : "non-virtual thunk to ",
                                  encoding())
                        : Ref{0};
  }
  if (take("GR")) {
    Ref of = name(nullptr);
    uint32_t number;
    return of && base36(number) ? special("reference temporary for ", of)
                                : Ref{0};
  }
  if (take("GI")) {
    Ref module = 0;
    return moduleName(module) && module
               ? special("initializer for module ", module)
               : Ref{0};
  }
  return 0;
}

} // namespace tprt::names
