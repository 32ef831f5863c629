// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and types; see printer.h.
#include "demangle/printer.h"

namespace tprt::names {

// If the size of an expansion is still unknown, it is determined here.
Ref Printer::real(Ref of) {
  for (unsigned i = 0; i < kMostDepth; ++i) {
    const Node &n = node(of);
    if (n.kind == Kind::Forward) {
      of = n.a;
    } else if (n.kind == Kind::Elements) {
      if (packSize == kNoPack) {
        packSize = packIndex = 0;
        for (Ref item = n.a; item; item = node(item).b)
          ++packSize;
      }
      uint32_t index = packIndex;
      Ref item = n.a;
      while (item && index--)
        item = node(item).b;
      of = item ? node(item).a : Ref{0};
    } else {
      return of;
    }
  }
  isFull = true;
  return 0;
}

Ref Printer::typeAt(Ref of) {
  for (of = real(of); node(of).kind == Kind::Qualified;)
    of = real(node(of).a);
  return of;
}

bool Printer::hasRight(Ref of) {
  for (unsigned i = 0; i < kMostDepth; ++i) {
    const Node &n = node(real(of));
    switch (n.kind) {
    case Kind::Function:
    case Kind::Array:
    case Kind::Encoding:
      return true;
    case Kind::Qualified:
    case Kind::Pointer:
    case Kind::Reference:
      of = n.a;
      break;
    case Kind::Member:
      of = n.b;
      break;
    default:
      return false;
    }
  }
  return false;
}

void Printer::list(Ref of) {
  bool isFirst = true;
  for (; of && !isFull; of = node(of).b) {
    size_t before = at;
    if (!isFirst)
      put(", ");
    size_t after = at;
    operand(node(of).a, kComma);
    if (at == after)
      at = before; // an empty pack
    else
      isFirst = false;
  }
}

void Printer::operand(Ref of, unsigned prec, bool isStrict) {
  bool isNested = node(real(of)).prec >= prec + isStrict;
  if (isNested)
    open();
  print(of);
  if (isNested)
    close();
}

void Printer::arguments(Ref of) {
  Kept<unsigned> kept(greaterIsGreater, 0);
  put('<');
  list(node(of).b);
  put('>');
}

void Printer::qualifiers(uint8_t quals) {
  if (quals & kConst)
    put(" const");
  if (quals & kVolatile)
    put(" volatile");
  if (quals & kRestrict)
    put(" restrict");
}

void Printer::references(uint8_t quals) {
  if (quals & kLRef)
    put(" &");
  if (quals & kRRef)
    put(" &&");
}

void Printer::encodingLeft(const Node &of) {
  // The first encoding in a name, that of a local function, has its result
  // before the complete name.
  bool isFirst = at == nameBegin;
  if (of.c) {
    left(of.c);
    if (!hasRight(of.c))
      put(' ');
  }
  if (isFirst)
    nameBegin = at;
  print(of.a);
  if (&of == root)
    nameEnd = at;
}

void Printer::encodingRight(const Node &of) {
  open();
  list(of.b);
  close();
  if (of.c)
    right(of.c);
  qualifiers(of.quals);
  references(of.quals);
  if (of.d) {
    put(" requires ");
    print(of.d);
  }
}

// The class's own name in the name of a constructor.
void Printer::baseName(Ref of) {
  for (unsigned i = 0; i < kMostDepth; ++i) {
    const Node &n = node(real(of));
    switch (n.kind) {
    case Kind::Nested:
    case Kind::Friend:
    case Kind::Local:
      of = n.b;
      break;
    case Kind::Template:
    case Kind::Tagged:
    case Kind::InModule:
      of = n.a;
      break;
    case Kind::Text: {
      size_t from = n.length > 5 && memcmp(n.text, "std::", 5) == 0 ? 5 : 0;
      return put(n.text + from, n.length - from);
    }
    default:
      return; // an unnamed class
    }
  }
}

void Printer::expansion(const Node &of) {
  Kept<uint32_t> index(packIndex, kNoPack), count(packSize, kNoPack);
  size_t before = at;
  print(of.a);
  if (packSize == kNoPack)
    return put("...");
  if (!packSize)
    at = before;
  for (uint32_t i = 1; i < packSize && !isFull; ++i) {
    put(", ");
    packIndex = i;
    print(of.a);
  }
}

void Printer::lambda(const Node &of) {
  put("'lambda");
  putText(of);
  put('\'');
  if (of.a) {
    Kept<unsigned> kept(greaterIsGreater, 0);
    put('<');
    list(of.a);
    put('>');
  }
  if (of.c) {
    put(" requires ");
    print(of.c);
    put(' ');
  }
  open();
  list(of.b);
  close();
  if (of.d) {
    put(" requires ");
    print(of.d);
  }
}

// A reference to a reference is a single reference. It is && only if both are
// &&.
Ref Printer::collapsed(const Node &reference, bool &isRight) {
  isRight = reference.extra;
  Ref to = reference.a;
  for (unsigned i = 0; i < kMostDepth; ++i) {
    const Node &n = node(real(to));
    if (n.kind != Kind::Reference)
      break;
    isRight &= n.extra;
    to = n.a;
  }
  return to;
}

void Printer::left(Ref of) {
  Ref what = real(of);
  if (!what || isFull || ++steps > kMostSteps) {
    isFull |= steps > kMostSteps;
    return;
  }
  ++depth;
  if (depth > kMostDepth)
    isFull = true;
  else
    leftOf(node(what));
  --depth;
}

void Printer::leftOf(const Node &of) {
  switch (of.kind) {
  case Kind::Text:
    return putText(of);
  case Kind::Nested:
    print(of.a);
    put("::");
    return print(of.b);
  case Kind::Friend:
    print(of.a);
    put("::friend ");
    return print(of.b);
  case Kind::Local:
    print(of.a);
    put("::");
    return print(of.b);
  case Kind::Template:
    print(of.a);
    return arguments(of.b);
  case Kind::Module:
    if (of.a)
      print(of.a);
    if (of.a || of.extra)
      put(of.extra ? ':' : '.');
    return putText(of);
  case Kind::InModule:
    print(of.a);
    put('@');
    return print(of.b);
  case Kind::Tagged:
    print(of.a);
    put("[abi:");
    putText(of);
    return put(']');
  case Kind::Constructor:
    if (of.extra)
      put('~');
    return baseName(of.a);
  case Kind::Conversion:
    put("operator ");
    return print(of.a);
  case Kind::Literal:
    put("operator\"\" ");
    return putText(of);
  case Kind::Numbered:
    put('\'');
    print(of.a);
    putText(of);
    return put('\'');
  case Kind::Lambda:
    return lambda(of);
  case Kind::Bindings:
    open('[');
    list(of.a);
    return close(']');
  case Kind::Special:
    putText(of);
    return print(of.a);
  case Kind::Construction:
    putText(of);
    print(of.a);
    put("-in-");
    return print(of.b);
  case Kind::Suffixed:
    print(of.a);
    put(" (");
    putText(of);
    return put(')');
  case Kind::Encoding:
    return encodingLeft(of);
  case Kind::Qualified:
    left(of.a);
    return qualifiers(of.quals);
  case Kind::Vendor:
    print(of.a);
    put(' ');
    putText(of);
    if (of.b)
      arguments(of.b);
    return;
  case Kind::Pointer:
  case Kind::Reference: {
    Kept<uint32_t> index(packIndex), count(packSize);
    bool isRight = false;
    Ref to = of.kind == Kind::Pointer ? of.a : collapsed(of, isRight);
    left(to);
    if (hasArray(to))
      put(' ');
    if (hasArray(to) || hasFunction(to))
      put('(');
    put(of.kind == Kind::Pointer ? "*" : isRight ? "&&" : "&");
    index.value = packIndex;
    count.value = packSize;
    return;
  }
  case Kind::Member:
    left(of.b);
    put(hasArray(of.b) || hasFunction(of.b) ? '(' : ' ');
    print(of.a);
    return put("::*");
  case Kind::Array:
    return left(of.a);
  case Kind::Function:
    left(of.a);
    return put(' ');
  case Kind::Postfix:
    print(of.a);
    return putText(of);
  case Kind::Vector:
    print(of.a);
    put(" vector[");
    if (of.b)
      print(of.b);
    return put(']');
  case Kind::Elaborated:
    putText(of);
    put(' ');
    return print(of.a);
  case Kind::Constrained:
    print(of.a);
    return put(of.extra ? " decltype(auto)" : " auto");
  case Kind::Transformed:
  case Kind::Spec:
    putText(of);
    open();
    print(of.a);
    return close();
  case Kind::SpecTypes:
    put("throw");
    open();
    list(of.a);
    return close();
  case Kind::Parameter:
    putText(of);
    if (of.a)
      putNumber(of.a - 1u);
    return;
  case Kind::ParameterType:
    put("typename ");
    return;
  case Kind::ParameterOf:
    print(of.b);
    return put(' ');
  case Kind::ParameterValue:
    left(of.b);
    if (!hasRight(of.b))
      put(' ');
    return;
  case Kind::ParameterTemplate: {
    Kept<unsigned> kept(greaterIsGreater, 0);
    put("template<");
    list(of.b);
    return put("> typename ");
  }
  case Kind::ParameterPack:
    left(of.a);
    return put("...");
  case Kind::Pack:
    return list(of.a);
  case Kind::Expansion:
    return expansion(of);
  default:
    expressionOf(of);
  }
}

void Printer::right(Ref ref) {
  Ref what = real(ref);
  if (!what || isFull || ++steps > kMostSteps)
    return;
  const Node &of = node(what);
  Kept<unsigned> kept(depth, depth + 1);
  if (depth > kMostDepth) {
    isFull = true;
    return;
  }
  switch (of.kind) {
  case Kind::Encoding:
    return encodingRight(of);
  case Kind::Qualified:
    return right(of.a);
  case Kind::Pointer:
  case Kind::Reference: {
    bool isRight;
    Ref to = of.kind == Kind::Pointer ? of.a : collapsed(of, isRight);
    if (hasArray(to) || hasFunction(to))
      put(')');
    return right(to);
  }
  case Kind::Member:
    if (hasArray(of.b) || hasFunction(of.b))
      put(')');
    return right(of.b);
  case Kind::Array:
    if (at && out[at - 1] != ']')
      put(' ');
    open('[');
    if (of.b)
      print(of.b);
    close(']');
    return right(of.a);
  case Kind::Function:
    open();
    list(of.b);
    close();
    right(of.a);
    qualifiers(of.quals);
    references(of.quals);
    if (of.c) {
      put(' ');
      print(of.c);
    }
    return;
  case Kind::ParameterType:
  case Kind::ParameterOf:
  case Kind::ParameterTemplate:
    return print(of.a);
  case Kind::ParameterValue:
    print(of.a);
    return right(of.b);
  case Kind::ParameterPack:
    return right(of.a);
  default:
    return;
  }
}

bool Printer::printRoot(Ref of, Parts &parts) {
  Ref inner = of;
  while (node(inner).kind == Kind::Suffixed)
    inner = node(inner).a;
  root = &node(inner);
  print(of);
  if (root->kind != Kind::Encoding)
    nameEnd = at;
  put('\0');
  parts = {at - 1, nameBegin, nameEnd};
  return !isFull;
}

bool print(const Node *nodes, Ref root, char *out, size_t size, Parts &parts) {
  return Printer(nodes, out, size).printRoot(root, parts);
}

} // namespace tprt::names
