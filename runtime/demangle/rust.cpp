// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifiers and paths of Rust's names; see rust.h.
#include "demangle/rust.h"

namespace tprt::names {

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

bool demangleRust(const char *linked, char *out, size_t size, Parts &parts) {
  const char *begin = linked + 2;
  return Rust(begin, begin + strlen(begin), out, size).symbol(parts);
}

} // namespace tprt::names
