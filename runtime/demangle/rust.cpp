// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rust's names that begin with _R (RFC 2603). They are printed while they are
// read. The functions have no state, acquire no lock and allocate nothing:
// async-signal-safe.
#include "demangle/demangle.h"

#include <string.h>

namespace tprt::names {
namespace {

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

uint64_t Rust::decimal() {
  if (take('0'))
    return 0;
  if (look() < '1' || look() > '9')
    isBad = true;
  uint64_t value = 0;
  while (!isBad && look() >= '0' && look() <= '9') {
    value = 10 * value + static_cast<uint64_t>(*at++ - '0');
    isBad |= value > UINT32_MAX;
  }
  return value;
}

uint64_t Rust::base62() {
  if (take('_'))
    return 0;
  uint64_t value = 0;
  while (!isBad) {
    char c = next();
    if (c == '_')
      return value + 1;
    uint64_t digit;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<uint64_t>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'Z')
      digit = static_cast<uint64_t>(c - 'A') + 36;
    else
      isBad = true, digit = 0;
    isBad |= __builtin_mul_overflow(value, 62u, &value) ||
             __builtin_add_overflow(value, digit, &value);
  }
  return 0;
}

Rust::Ident Rust::identifier() {
  Ident result;
  result.disambiguator = optional('s');
  result.isPunycode = take('u');
  uint64_t length = decimal();
  take('_');
  if (isBad || length > static_cast<uint64_t>(end - at)) {
    isBad = true;
    return result;
  }
  result.text = at;
  result.length = static_cast<uint32_t>(length);
  at += length;
  return result;
}

void Rust::print(const Ident &ident) {
  if (ident.isPunycode)
    printPunycode(ident);
  else
    put(ident.text, ident.length);
}

// RFC 3492, with _ for the delimiter
void Rust::printPunycode(const Ident &ident) {
  constexpr uint32_t kBase = 36, kLeast = 1, kMost = 26, kSkew = 38,
                     kDamp = 700, kMostChars = 256;
  uint32_t chars[kMostChars];
  uint32_t count = 0, from = 0;
  for (uint32_t i = ident.length; i; --i)
    if (ident.text[i - 1] == '_') {
      for (; count < i - 1 && count < kMostChars; ++count)
        chars[count] = static_cast<uint8_t>(ident.text[count]);
      from = i;
      break;
    }
  if (from > kMostChars) {
    isBad = true;
    return;
  }
  uint32_t code = 128, index = 0, bias = 72;
  for (bool isFirst = true; from < ident.length; isFirst = false) {
    uint32_t before = index, weight = 1;
    for (uint32_t k = kBase;; k += kBase) {
      if (from == ident.length) {
        isBad = true;
        return;
      }
      char c = ident.text[from++];
      uint32_t digit = c >= 'a' && c <= 'z' ? static_cast<uint32_t>(c - 'a')
                       : c >= '0' && c <= '9'
                           ? static_cast<uint32_t>(c - '0') + 26
                           : kBase;
      uint32_t step;
      if (digit == kBase || __builtin_mul_overflow(digit, weight, &step) ||
          __builtin_add_overflow(index, step, &index)) {
        isBad = true;
        return;
      }
      uint32_t least = k <= bias           ? kLeast
                       : k >= bias + kMost ? kMost
                                           : k - bias;
      if (digit < least)
        break;
      if (__builtin_mul_overflow(weight, kBase - least, &weight)) {
        isBad = true;
        return;
      }
    }
    ++count;
    uint32_t delta = (index - before) / (isFirst ? kDamp : 2);
    delta += delta / count;
    uint32_t k = 0;
    for (; delta > (kBase - kLeast) * kMost / 2; k += kBase)
      delta /= kBase - kLeast;
    bias = k + (kBase - kLeast + 1) * delta / (delta + kSkew);
    code += index / count;
    index %= count;
    if (count > kMostChars || code > 0x10ffff) {
      isBad = true;
      return;
    }
    memmove(chars + index + 1, chars + index,
            (count - 1 - index) * sizeof *chars);
    chars[index++] = code;
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t c = chars[i];
    auto byte = [](uint32_t value) { return static_cast<char>(value); };
    if (c < 0x80) {
      put(byte(c));
    } else if (c < 0x800) {
      put(byte(0xc0 | c >> 6));
      put(byte(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
      put(byte(0xe0 | c >> 12));
      put(byte(0x80 | (c >> 6 & 0x3f)));
      put(byte(0x80 | (c & 0x3f)));
    } else {
      put(byte(0xf0 | c >> 18));
      put(byte(0x80 | (c >> 12 & 0x3f)));
      put(byte(0x80 | (c >> 6 & 0x3f)));
      put(byte(0x80 | (c & 0x3f)));
    }
  }
}

// <impl-path>, which is not printed
void Rust::implPath() {
  bool kept = isSilent;
  isSilent = true;
  optional('s');
  path(false);
  isSilent = kept;
}

// <path>
bool Rust::path(bool isType, bool staysOpen) {
  Deeper deeper(*this);
  if (isBad)
    return false;
  switch (next()) {
  case 'C':
    print(identifier());
    return false;
  case 'M':
    implPath();
    put('<');
    type();
    put('>');
    return false;
  case 'X':
    implPath();
    [[fallthrough]];
  case 'Y':
    put('<');
    type();
    put(" as ");
    path(true);
    put('>');
    return false;
  case 'N': {
    char space = next();
    bool isSpecial = space >= 'A' && space <= 'Z';
    if (!isSpecial && !(space >= 'a' && space <= 'z')) {
      isBad = true;
      return false;
    }
    path(isType);
    Ident ident = identifier();
    if (isSpecial) {
      put("::{");
      if (space == 'C')
        put("closure");
      else if (space == 'S')
        put("shim");
      else
        put(space);
      if (ident.length) {
        put(':');
        print(ident);
      }
      put('#');
      putNumber(ident.disambiguator);
      put('}');
    } else if (ident.length) {
      put("::");
      print(ident);
    }
    return false;
  }
  case 'I': {
    path(isType);
    if (!isType)
      put("::");
    put('<');
    for (bool isFirst = true; !isBad && !take('E'); isFirst = false) {
      if (!isFirst)
        put(", ");
      genericArgument();
    }
    if (staysOpen)
      return true;
    put('>');
    return false;
  }
  case 'B': {
    bool isOpen = false;
    backReference([&] { isOpen = path(isType, staysOpen); });
    return isOpen;
  }
  default:
    isBad = true;
    return false;
  }
}

void Rust::genericArgument() {
  if (take('L'))
    lifetime(base62());
  else if (take('K'))
    constant();
  else
    type();
}

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

bool Rust::symbol(Parts &parts) {
  // A number would be the version of a future encoding.
  if (look() >= '0' && look() <= '9')
    return false;
  path(false);
  size_t nameEnd = written;
  if (!isBad && at != end && *at != '.' && *at != '$') {
    isSilent = true;
    path(false); // the crate that contains the instance
    isSilent = false;
  }
  if (!isBad && at != end && *at != '.' && *at != '$')
    return false;
  if (at != end) {
    put(" (");
    put(at, static_cast<size_t>(end - at));
    put(')');
  }
  put('\0');
  parts = {written - 1, 0, nameEnd};
  return !isBad;
}

} // namespace

bool demangleRust(const char *linked, char *out, size_t size, Parts &parts) {
  const char *begin = linked + 2;
  return Rust(begin, begin + strlen(begin), out, size).symbol(parts);
}

} // namespace tprt::names
