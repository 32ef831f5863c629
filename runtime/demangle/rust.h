// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads Rust's names that begin with _R (RFC 2603), and prints them while it
// reads them. Identifiers and paths are read in rust.cpp, types and constants
// in rust_types.cpp. The functions have no state, acquire no lock and allocate
// nothing: async-signal-safe.
#ifndef TPRT_DEMANGLE_RUST_H
#define TPRT_DEMANGLE_RUST_H

#include "demangle/demangle.h"

#include <string.h>

namespace tprt::names {

// The readable form of a linked name. Returns false if there is none.
bool demangleRust(const char *linked, char *out, size_t size, Parts &parts);

class Rust {
public:
  Rust(const char *begin, const char *end, char *out, size_t size)
      : begin(begin), end(end), at(begin), out(out), size(size) {}
  bool symbol(Parts &parts);

private:
  struct Ident {
    const char *text = nullptr;
    uint32_t length = 0;
    uint64_t disambiguator = 0;
    bool isPunycode = false;
  };
  // Counts levels while it exists.
  struct Deeper {
    explicit Deeper(Rust &of) : of(of) {
      if (++of.depth > kMostDepth || ++of.steps > kMostSteps)
        of.isBad = true;
    }
    ~Deeper() { --of.depth; }
    Rust &of;
  };

  char look() const { return at < end ? *at : '\0'; }
  bool take(char c) {
    return !isBad && look() == c && at < end ? ++at, true : false;
  }
  char next() {
    if (isBad || at == end) {
      isBad = true;
      return '\0';
    }
    return *at++;
  }
  void put(const char *text, size_t length) {
    if (isBad || isSilent)
      return;
    if (size - written < length) {
      isBad = true;
      return;
    }
    memcpy(out + written, text, length);
    written += length;
  }
  void put(const char *text) { put(text, strlen(text)); }
  void put(char c) { put(&c, 1); }
  void putNumber(uint64_t value) {
    char digits[20];
    size_t count = 0;
    do
      digits[count++] = static_cast<char>('0' + value % 10);
    while (value /= 10);
    while (count)
      put(digits[--count]);
  }

  uint64_t decimal();
  uint64_t base62();
  // Reads a base-62 number after a letter, and returns it plus one; without the
  // letter, returns 0.
  uint64_t optional(char letter) { return take(letter) ? base62() + 1 : 0; }
  Ident identifier();
  void print(const Ident &ident);
  void printPunycode(const Ident &ident);
  // Resolves a reference to an earlier position: calls `read` there.
  template <class Read> void backReference(Read read) {
    uint64_t to = base62();
    const char *before = at;
    if (isBad || begin + to >= at - 1) {
      isBad = true;
      return;
    }
    if (isSilent)
      return;
    at = begin + to;
    read();
    at = before;
  }

  // Returns whether the list of generic arguments is left open, for a trait's
  // types.
  bool path(bool isType, bool staysOpen = false);
  void implPath();
  void genericArgument();
  void type();
  void functionType();
  void dynType();
  void dynTrait();
  void constant();
  void lifetime(uint64_t index);
  void binder();

  const char *begin, *end, *at;
  char *out;
  size_t size, written = 0;
  bool isBad = false, isSilent = false;
  unsigned depth = 0, steps = 0;
  uint64_t bound = 0; // lifetimes
};

} // namespace tprt::names

#endif
