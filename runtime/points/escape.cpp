// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes text in quotes; see escape.h.
#include "points/escape.h"
#include "points/characters.h"
#include "points/number.h"

namespace tprt {

// Whether the bytes are a complete character, according to the first byte.
static bool isWhole(const char *text, size_t bytes) {
  auto first = static_cast<unsigned char>(*text);
  size_t wanted = 1u + (first >= 0xc0) + (first >= 0xe0) + (first >= 0xf0);
  bool begins = first < 0x80 || (first >= 0xc2 && first < 0xf5);
  return begins && bytes == wanted;
}

static char shortEscape(char c) {
  switch (c) {
  case '\t':
    return 't';
  case '\n':
    return 'n';
  case '\r':
    return 'r';
  default:
    return 0;
  }
}

// \u{1b} for a character, \x{ff} for a byte.
static void writeCode(Text &out, char kind, char c) {
  IntegerDigits digits(static_cast<unsigned char>(c), 16, false);
  out.put('\\');
  out.put(kind);
  out.put('{');
  out.write(digits.begin(), digits.size());
  out.put('}');
}

static void writeAscii(Text &out, char c, char quote) {
  char letter = c == quote || c == '\\' ? c : shortEscape(c);
  if (letter) {
    out.put('\\');
    out.put(letter);
  } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
    writeCode(out, 'u', c);
  } else {
    out.put(c);
  }
}

size_t writeQuoted(Text &out, const char *text, size_t size, char quote) {
  size_t before = out.size(), hidden = 0;
  out.put(quote);
  for (size_t at = 0; at < size;) {
    size_t bytes = bytesOfCharacter(text + at, size - at);
    if (!isWhole(text + at, bytes)) {
      bytes = 1;
      writeCode(out, 'x', text[at]);
    } else if (bytes == 1) {
      writeAscii(out, text[at], quote);
    } else {
      out.write(text + at, bytes);
      hidden += bytes - 1;
    }
    at += bytes;
  }
  out.put(quote);
  return out.size() - before - hidden;
}

} // namespace tprt
