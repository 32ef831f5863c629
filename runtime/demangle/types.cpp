// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types; see parser.h.
#include "demangle/parser.h"

namespace tprt::names {

// <CV-qualifiers>
uint8_t Parser::qualifiers() {
  uint8_t quals = 0;
  if (take('r'))
    quals |= kRestrict;
  if (take('V'))
    quals |= kVolatile;
  if (take('K'))
    quals |= kConst;
  return quals;
}

// <builtin-type> in one letter, by the letter
static constexpr const char *kBuiltins[26] = {
    "signed char",        // a
    "bool",               // b
    "char",               // c
    "double",             // d
    "long double",        // e
    "float",              // f
    "__float128",         // g
    "unsigned char",      // h
    "int",                // i
    "unsigned int",       // j
    nullptr,              // k
    "long",               // l
    "unsigned long",      // m
    "__int128",           // n
    "unsigned __int128",  // o
    nullptr,              // p
    nullptr,              // q
    nullptr,              // r
    "short",              // s
    "unsigned short",     // t
    nullptr,              // u
    "void",               // v
    "wchar_t",            // w
    "long long",          // x
    "unsigned long long", // y
    "...",                // z
};

Ref Parser::builtinType() {
  char c = look();
  const char *name = c >= 'a' && c <= 'z' ? kBuiltins[c - 'a'] : nullptr;
  return name ? (++at, text(name)) : Ref{0};
}

// <type>, and whether it is a substitution for later parts of the name
Ref Parser::type() {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  if (Ref builtin = builtinType())
    return builtin;
  return plainType();
}

// A type of more than one letter. If none of the cases applies, returns without
// making a substitution.
Ref Parser::plainType() {
  Ref result = 0;
  switch (look()) {
  case 'r':
  case 'V':
  case 'K': {
    size_t ahead = 0;
    while (strchr("rVK", look(ahead)) && look(ahead))
      ++ahead;
    bool isFunction = look(ahead) == 'F' ||
                      (look(ahead) == 'D' && strchr("oOwx", look(ahead + 1)) &&
                       look(ahead + 1));
    result = isFunction ? functionType() : qualifiedType();
    break;
  }
  case 'U':
    result = qualifiedType();
    break;
  case 'u': {
    ++at;
    Ref named = sourceName();
    if (!named)
      return 0;
    if (take('I')) {
      Ref of = type();
      if (!of || !take('E'))
        return 0;
      result = withText(make(Kind::Transformed, of), nodes[named].text,
                        nodes[named].length);
    } else {
      result = named;
    }
    break;
  }
  case 'D': {
    bool isSubstitution = strchr("tTpvoOwxBUkF", look(1)) && look(1);
    if (look(1) == 'F' || look(1) == 'B' || look(1) == 'U' || look(1) == 'k')
      isSubstitution = false;
    result = typeOfD();
    if (!isSubstitution)
      return result;
    break;
  }
  case 'F':
    result = functionType();
    break;
  case 'A':
    result = arrayType();
    break;
  case 'M':
    result = memberType();
    break;
  case 'T':
    if (strchr("sue", look(1)) && look(1)) {
      const char *word = look(1) == 's'   ? "struct"
                         : look(1) == 'u' ? "union"
                                          : "enum";
      at += 2;
      Ref named = name(nullptr);
      result = named ? withText(make(Kind::Elaborated, named), word) : Ref{0};
      break;
    }
    result = templateParameter();
    if (!result)
      return 0;
    if (readsArguments && look() == 'I') {
      if (!remember(result))
        return 0;
      Ref arguments = templateArguments(false);
      result = arguments ? make(Kind::Template, result, arguments) : Ref{0};
    }
    break;
  case 'P':
  case 'R':
  case 'O': {
    char which = *at++;
    Ref to = type();
    if (!to)
      return 0;
    result = make(which == 'P' ? Kind::Pointer : Kind::Reference, to);
    nodes[result].extra = which == 'O';
    break;
  }
  case 'C':
  case 'G': {
    const char *word = *at++ == 'C' ? " complex" : " imaginary";
    Ref of = type();
    result = of ? withText(make(Kind::Postfix, of), word) : Ref{0};
    break;
  }
  case 'S': {
    bool isSubstitution = false;
    Ref named = unscopedName(nullptr, &isSubstitution);
    if (!named)
      return 0;
    if (look() == 'I' && (!isSubstitution || readsArguments)) {
      if (!isSubstitution && !remember(named))
        return 0;
      Ref arguments = templateArguments(false);
      result = arguments ? make(Kind::Template, named, arguments) : Ref{0};
    } else if (isSubstitution) {
      return named;
    } else {
      result = named;
    }
    break;
  }
  default:
    result = name(nullptr);
  }
  return result && remember(result) ? result : Ref{0};
}

// <qualified-type>
Ref Parser::qualifiedType() {
  Deeper deeper(*this);
  if (deeper.isTooDeep())
    return 0;
  if (take('U')) {
    Ref named = sourceName(), arguments = 0;
    if (!named || (look() == 'I' && !(arguments = templateArguments(false))))
      return 0;
    Ref of = qualifiedType();
    return of ? withText(make(Kind::Vendor, of, arguments), nodes[named].text,
                         nodes[named].length)
              : Ref{0};
  }
  uint8_t quals = qualifiers();
  Ref of = type();
  if (!of || !quals)
    return of;
  Ref result = make(Kind::Qualified, of);
  nodes[result].quals = quals;
  return result;
}

// A type that begins with a D
Ref Parser::typeOfD() {
  static constexpr struct {
    char code[3];
    const char *name;
  } kNames[] = {{"Dd", "decimal64"},      {"De", "decimal128"},
                {"Df", "decimal32"},      {"Dh", "half"},
                {"Di", "char32_t"},       {"Ds", "char16_t"},
                {"Du", "char8_t"},        {"Da", "auto"},
                {"Dc", "decltype(auto)"}, {"Dn", "std::nullptr_t"}};
  for (const auto &one : kNames)
    if (take(one.code))
      return text(one.name);
  switch (look(1)) {
  case 'F': {
    at += 2;
    if (take("16b_") || take("16b"))
      return text("std::bfloat16_t");
    const char *begin = at;
    uint32_t bits;
    if (!number(bits))
      return 0;
    auto length = static_cast<size_t>(at - begin);
    bool isExtended = take('x');
    if (!isExtended && !take('_'))
      return 0;
    return withText(make(Kind::Postfix, text("_Float")), begin,
                    length + isExtended);
  }
  case 'B':
  case 'U': {
    bool isUnsigned = look(1) == 'U';
    at += 2;
    Ref bits = 0;
    if (isDigit()) {
      const char *begin = at;
      uint32_t value;
      if (!number(value))
        return 0;
      bits = text(begin, static_cast<size_t>(at - begin));
    } else {
      bits = expression();
    }
    if (!bits || !take('_'))
      return 0;
    Ref result = withText(make(Kind::Spec, bits),
                          isUnsigned ? "unsigned _BitInt" : "_BitInt");
    return result;
  }
  case 'k':
  case 'K': {
    bool isDecltype = look(1) == 'K';
    at += 2;
    Ref concept_ = name(nullptr);
    Ref result = concept_ ? make(Kind::Constrained, concept_) : Ref{0};
    nodes[result].extra = isDecltype;
    return result;
  }
  case 't':
  case 'T':
    return decltypeType();
  case 'p': {
    at += 2;
    Ref of = type();
    return of ? make(Kind::Expansion, of) : Ref{0};
  }
  case 'v':
    return vectorType();
  case 'o':
  case 'O':
  case 'w':
  case 'x':
    return functionType();
  }
  return 0;
}

// <decltype>
Ref Parser::decltypeType() {
  if (!take("Dt") && !take("DT"))
    return 0;
  Ref of = expression();
  return of && take('E') ? withText(make(Kind::Spec, of), "decltype") : Ref{0};
}

// <vector-type>
Ref Parser::vectorType() {
  if (!take("Dv"))
    return 0;
  Ref size = 0;
  if (isDigit()) {
    const char *begin = at;
    uint32_t value;
    if (!number(value))
      return 0;
    size = text(begin, static_cast<size_t>(at - begin));
  } else if (look() != '_' && !(size = expression())) {
    return 0;
  }
  if (!take('_'))
    return 0;
  if (take('p'))
    return make(Kind::Vector, text("pixel"), size);
  Ref of = type();
  return of ? make(Kind::Vector, of, size) : Ref{0};
}

// <function-type>
Ref Parser::functionType() {
  uint8_t quals = qualifiers();
  Ref spec = 0;
  if (take("Do")) {
    spec = text("noexcept");
  } else if (take("DO")) {
    Ref when = expression();
    if (!when || !take('E'))
      return 0;
    spec = withText(make(Kind::Spec, when), "noexcept");
  } else if (take("Dw")) {
    Items list;
    while (!take('E'))
      if (!add(list, type()))
        return 0;
    spec = make(Kind::SpecTypes, list.first);
  }
  take("Dx");
  if (!take('F'))
    return 0;
  take('Y');
  Ref result = type();
  if (!result)
    return 0;
  Items list;
  for (;;) {
    if (take('E'))
      break;
    if (take('v'))
      continue;
    if (take("RE")) {
      quals |= kLRef;
      break;
    }
    if (take("OE")) {
      quals |= kRRef;
      break;
    }
    if (!add(list, type()))
      return 0;
  }
  Ref whole = make(Kind::Function, result, list.first, spec);
  nodes[whole].quals = quals;
  return whole;
}

// <array-type>
Ref Parser::arrayType() {
  if (!take('A'))
    return 0;
  Ref size = 0;
  if (isDigit()) {
    const char *begin = at;
    while (isDigit())
      ++at;
    size = text(begin, static_cast<size_t>(at - begin));
  } else if (look() != '_' && !(size = expression())) {
    return 0;
  }
  if (!take('_'))
    return 0;
  Ref of = type();
  return of ? make(Kind::Array, of, size) : Ref{0};
}

// <pointer-to-member-type>
Ref Parser::memberType() {
  if (!take('M'))
    return 0;
  Ref in = type(), of = in ? type() : Ref{0};
  return of ? make(Kind::Member, in, of) : Ref{0};
}

} // namespace tprt::names
