// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and constants in Rust's names; see rust.h.
#include "demangle/rust.h"

namespace tprt::names {

static const char *basicType(char c) {
  static constexpr const char *kBasic[26] = {
      "i8",   "bool",  "char",  "f64",   "str", "f32", nullptr,
      "u8",   "isize", "usize", nullptr, "i32", "u32", "i128",
      "u128", "_",     nullptr, nullptr, "i16", "u16", "()",
      "...",  nullptr, "i64",   "u64",   "!"};
  return c >= 'a' && c <= 'z' ? kBasic[c - 'a'] : nullptr;
}

// <type>
void Rust::type() {
  Deeper deeper(*this);
  if (isBad)
    return;
  const char *from = at;
  char c = next();
  if (const char *basic = basicType(c))
    return put(basic);
  switch (c) {
  case 'A':
    put('[');
    type();
    put("; ");
    constant();
    return put(']');
  case 'S':
    put('[');
    type();
    return put(']');
  case 'T': {
    put('(');
    unsigned count = 0;
    for (; !isBad && !take('E'); ++count) {
      if (count)
        put(", ");
      type();
    }
    if (count == 1)
      put(',');
    return put(')');
  }
  case 'R':
  case 'Q':
    put('&');
    if (take('L'))
      if (uint64_t index = base62()) {
        lifetime(index);
        put(' ');
      }
    if (c == 'Q')
      put("mut ");
    return type();
  case 'P':
    put("*const ");
    return type();
  case 'O':
    put("*mut ");
    return type();
  case 'F':
    return functionType();
  case 'D':
    return dynType();
  case 'B':
    return backReference([this] { type(); });
  default:
    at = from;
    path(true);
  }
}

// <fn-sig>
void Rust::functionType() {
  uint64_t kept = bound;
  binder();
  if (take('U'))
    put("unsafe ");
  if (take('K')) {
    put("extern \"");
    if (take('C')) {
      put('C');
    } else {
      Ident abi = identifier();
      for (uint32_t i = 0; i < abi.length && !isBad; ++i)
        put(abi.text[i] == '_' ? '-' : abi.text[i]);
    }
    put("\" ");
  }
  put("fn(");
  for (bool isFirst = true; !isBad && !take('E'); isFirst = false) {
    if (!isFirst)
      put(", ");
    type();
  }
  put(')');
  if (!take('u')) {
    put(" -> ");
    type();
  }
  bound = kept;
}

// <dyn-bounds>
void Rust::dynType() {
  uint64_t kept = bound;
  put("dyn ");
  binder();
  for (bool isFirst = true; !isBad && !take('E'); isFirst = false) {
    if (!isFirst)
      put(" + ");
    dynTrait();
  }
  bound = kept;
  if (!take('L')) {
    isBad = true;
    return;
  }
  if (uint64_t index = base62()) {
    put(" + ");
    lifetime(index);
  }
}

void Rust::dynTrait() {
  bool isOpen = path(true, true);
  while (take('p')) {
    put(isOpen ? ", " : "<");
    isOpen = true;
    print(identifier());
    put(" = ");
    type();
  }
  if (isOpen)
    put('>');
}

// for<'a, 'b>
void Rust::binder() {
  uint64_t count = optional('G');
  if (!count || isBad)
    return;
  if (count > static_cast<uint64_t>(end - at)) {
    isBad = true;
    return;
  }
  put("for<");
  for (uint64_t i = 0; i < count; ++i) {
    ++bound;
    if (i)
      put(", ");
    lifetime(1);
  }
  put("> ");
}

void Rust::lifetime(uint64_t index) {
  if (!index)
    return put("'_");
  if (index - 1 >= bound) {
    isBad = true;
    return;
  }
  uint64_t from = bound - index;
  put('\'');
  if (from < 26)
    return put(static_cast<char>('a' + from));
  put('z');
  putNumber(from - 26 + 1);
}

// <const>
void Rust::constant() {
  Deeper deeper(*this);
  if (isBad)
    return;
  char c = next();
  if (c == 'B')
    return backReference([this] { constant(); });
  if (c == 'p')
    return put('_');
  bool isInteger = strchr("asxlnihtmyoj", c) && c;
  if (!isInteger && c != 'b' && c != 'c') {
    isBad = true;
    return;
  }
  if (isInteger && take('n'))
    put('-');
  const char *digits = at;
  uint64_t value = 0;
  while (!isBad && look() != '_') {
    char digit = next();
    if (!(digit >= '0' && digit <= '9') && !(digit >= 'a' && digit <= 'f'))
      isBad = true;
    value = value << 4 | static_cast<uint64_t>(digit <= '9' ? digit - '0'
                                                            : digit - 'a' + 10);
  }
  auto count = static_cast<size_t>(at - digits);
  if (!take('_') || !count)
    isBad = true;
  if (isBad)
    return;
  if (isInteger) {
    if (count <= 16)
      return putNumber(value);
    put("0x");
    return put(digits, count);
  }
  if (c == 'b')
    return value > 1 ? (isBad = true, void()) : put(value ? "true" : "false");
  put('\'');
  switch (value) {
  case '\t':
    put("\\t");
    break;
  case '\r':
    put("\\r");
    break;
  case '\n':
    put("\\n");
    break;
  case '\\':
    put("\\\\");
    break;
  case '\'':
    put("\\'");
    break;
  case '"':
    put('"');
    break;
  default:
    if (value >= 0x20 && value < 0x7f) {
      put(static_cast<char>(value));
    } else {
      put("\\u{");
      put(digits, count);
      put('}');
    }
  }
  put('\'');
}

} // namespace tprt::names
