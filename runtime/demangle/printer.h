// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the tree of a linked C++ name; see node.h. Names and types are printed
// in print.cpp, expressions in print_expressions.cpp. The forms are those of
// LLVM's demangler. A type has a left part and a right part; a declared name
// would be between the two. The functions have no state, acquire no lock and
// allocate nothing: async-signal-safe.
#ifndef TPRT_DEMANGLE_PRINTER_H
#define TPRT_DEMANGLE_PRINTER_H

#include "demangle/node.h"

#include <string.h>

namespace tprt::names {

// No pack is being expanded.
constexpr uint32_t kNoPack = UINT32_MAX;

class Printer {
public:
  Printer(const Node *nodes, char *out, size_t size)
      : nodes(nodes), out(out), size(size) {}
  bool printRoot(Ref root, Parts &parts);

private:
  // --- the text
  void put(const char *text, size_t length) {
    isFull |= size - at < length;
    if (isFull)
      return;
    memcpy(out + at, text, length);
    at += length;
  }
  void put(const char *text) { put(text, strlen(text)); }
  void put(char c) { put(&c, 1); }
  void putNumber(uint32_t value) {
    char digits[10];
    size_t count = 0;
    do
      digits[count++] = static_cast<char>('0' + value % 10);
    while (value /= 10);
    while (count)
      put(digits[--count]);
  }
  void putText(const Node &of) { put(of.text, of.length); }
  bool textIs(const Node &of, const char *text) const {
    return of.length == strlen(text) && memcmp(of.text, text, of.length) == 0;
  }
  void open(char c = '(') {
    ++greaterIsGreater;
    put(c);
  }
  void close(char c = ')') {
    --greaterIsGreater;
    put(c);
  }

  // --- the tree
  const Node &node(Ref of) const { return nodes[of]; }
  // The node that a pack's element, or a forward reference, refers to.
  Ref real(Ref of);
  void print(Ref of) {
    left(of);
    right(of);
  }
  void left(Ref of);
  void right(Ref of);
  void leftOf(const Node &of);
  bool expressionOf(const Node &of);
  bool hasRight(Ref of);
  bool hasArray(Ref of) { return node(typeAt(of)).kind == Kind::Array; }
  bool hasFunction(Ref of) { return node(typeAt(of)).kind == Kind::Function; }
  // The type below qualifiers.
  Ref typeAt(Ref of);
  void list(Ref of);
  void operand(Ref of, unsigned prec = kDefaultPrec, bool isStrict = false);
  void encodingLeft(const Node &of);
  void encodingRight(const Node &of);
  void arguments(Ref of);
  void qualifiers(uint8_t quals);
  void references(uint8_t quals);
  void baseName(Ref of);
  void expansion(const Node &of);
  void fold(const Node &of);
  void lambda(const Node &of);
  void requiresExpression(const Node &of);
  void newExpression(const Node &of);
  Ref collapsed(const Node &reference, bool &isRight);

  const Node *nodes;
  char *out;
  size_t size, at = 0;
  size_t nameBegin = 0, nameEnd = 0;
  const Node *root = nullptr;
  bool isFull = false;
  unsigned steps = 0, depth = 0;
  unsigned greaterIsGreater = 1;
  uint32_t packIndex = kNoPack, packSize = kNoPack;
};

// Restores a variable's value.
template <class T> struct Kept {
  T &of, value;
  explicit Kept(T &of) : of(of), value(of) {}
  Kept(T &of, T now) : of(of), value(of) { of = now; }
  ~Kept() { of = value; }
};

} // namespace tprt::names

#endif
