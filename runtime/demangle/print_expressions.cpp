// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions; see printer.h.
#include "demangle/printer.h"

namespace tprt::names {

void Printer::fold(const Node &of) {
  auto pack = [&] {
    open();
    expansion(of);
    close();
  };
  open();
  if (of.extra) {
    if (of.b) {
      operand(of.b, kCastPrec, true);
      put(' ');
      putText(of);
      put(' ');
    }
    put("... ");
    putText(of);
    put(' ');
    pack();
  } else {
    pack();
    put(' ');
    putText(of);
    put(" ...");
    if (of.b) {
      put(' ');
      putText(of);
      put(' ');
      operand(of.b, kCastPrec, true);
    }
  }
  close();
}

void Printer::requiresExpression(const Node &of) {
  put("requires");
  if (of.a) {
    put(' ');
    open();
    list(of.a);
    close();
  }
  put(' ');
  open('{');
  for (Ref item = of.b; item && !isFull; item = node(item).b) {
    const Node &one = node(node(item).a);
    put(' ');
    if (one.kind == Kind::Requirement) {
      bool isCompound = one.extra || one.c;
      if (isCompound)
        open('{');
      print(one.a);
      if (isCompound)
        close('}');
      if (one.extra)
        put(" noexcept");
      if (one.c) {
        put(" -> ");
        print(one.c);
      }
    } else {
      put(one.kind == Kind::TypeRequirement ? "typename " : "requires ");
      print(one.a);
    }
    put(';');
  }
  put(' ');
  close('}');
}

void Printer::newExpression(const Node &of) {
  put(of.extra & 1 ? "::operator new" : "new");
  if (of.extra & 2)
    put("[]");
  if (of.a) {
    open();
    list(of.a);
    close();
  }
  put(' ');
  print(of.b);
  if (of.extra & 4) {
    open();
    list(of.c);
    close();
  }
}

// Prints an expression, whose parts are all on the left. Returns false if the
// node is not an expression.
bool Printer::expressionOf(const Node &of) {
  switch (of.kind) {
  case Kind::Number: {
    if (of.a) {
      open();
      print(of.a);
      close();
    }
    bool isNegative = of.length && *of.text == 'n';
    if (isNegative)
      put('-');
    put(of.text + isNegative, of.length - isNegative);
    if (of.b)
      print(of.b);
    return true;
  }
  case Kind::Cast:
    open();
    print(of.a);
    close();
    putText(of);
    return true;
  case Kind::String:
    put("\"<");
    print(of.a);
    put(">\"");
    return true;
  case Kind::LambdaValue: {
    put("[]");
    const Node &type = node(of.a);
    if (type.a) {
      Kept<unsigned> kept(greaterIsGreater, 0);
      put('<');
      list(type.a);
      put('>');
    }
    open();
    list(type.b);
    close();
    put("{...}");
    return true;
  }
  case Kind::Binary: {
    bool isGreater = !greaterIsGreater && (textIs(of, ">") || textIs(of, ">>"));
    if (isGreater)
      open();
    bool isAssign = of.prec == kAssign;
    operand(of.a, isAssign ? uint8_t{kOrIf} : of.prec, !isAssign);
    if (!textIs(of, ","))
      put(' ');
    putText(of);
    put(' ');
    operand(of.b, of.prec, isAssign);
    if (isGreater)
      close();
    return true;
  }
  case Kind::Prefix:
    putText(of);
    operand(of.a, of.prec);
    return true;
  case Kind::PostfixOf:
    operand(of.a, of.prec, true);
    putText(of);
    return true;
  case Kind::MemberOf:
    operand(of.a, of.prec, true);
    putText(of);
    operand(of.b, of.prec);
    return true;
  case Kind::Subscript:
    operand(of.a, of.prec);
    open('[');
    operand(of.b);
    close(']');
    return true;
  case Kind::Conditional:
    operand(of.a, of.prec);
    put(" ? ");
    operand(of.b);
    put(" : ");
    operand(of.c, kAssign, true);
    return true;
  case Kind::Call:
    print(of.a);
    open();
    list(of.b);
    close();
    return true;
  case Kind::NamedCast: {
    putText(of);
    {
      Kept<unsigned> kept(greaterIsGreater, 0);
      put('<');
      left(of.a);
      put('>');
    }
    open();
    operand(of.b);
    close();
    return true;
  }
  case Kind::Convert:
    open();
    print(of.a);
    close();
    open();
    list(of.b);
    close();
    return true;
  case Kind::Enclosed:
    putText(of);
    open();
    print(of.a);
    close();
    return true;
  case Kind::Braced:
    if (of.a)
      print(of.a);
    put('{');
    list(of.b);
    put('}');
    return true;
  case Kind::New:
    newExpression(of);
    return true;
  case Kind::Delete:
    if (of.extra)
      put("::");
    putText(of);
    put(' ');
    print(of.a);
    return true;
  case Kind::Throw:
    put("throw ");
    print(of.a);
    return true;
  case Kind::SizeofPack:
    putText(of);
    open();
    print(of.a);
    close();
    return true;
  case Kind::Fold:
    fold(of);
    return true;
  case Kind::FunctionParameter:
    put("fp");
    putText(of);
    return true;
  case Kind::Global:
    put("::");
    print(of.a);
    return true;
  case Kind::Dtor:
    put('~');
    left(of.a);
    return true;
  case Kind::RequiresExpr:
    requiresExpression(of);
    return true;
  case Kind::SubObject:
    print(of.a);
    put(".<");
    print(of.b);
    put(" at offset ");
    if (!of.length)
      put('0');
    else if (*of.text == 'n') {
      put('-');
      put(of.text + 1, of.length - 1);
    } else {
      putText(of);
    }
    put('>');
    return true;
  default:
    return false;
  }
}

} // namespace tprt::names
