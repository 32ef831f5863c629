// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See run_format.h. The conversions are those of fprintf (C17, 7.21.6.1), as
// far as tprt/run.h lists them. Strings are the program's, so they are read
// with care.
#include "run/run_format.h"
#include "points/number.h"
#include "programs/read_memory.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

namespace {

// A conversion: flags, width, length and letter.
struct Conversion {
  bool zeros = false, left = false;
  uint32_t width = 0;
  unsigned bytes = 4; // of the argument
  char letter = 0;
};

} // namespace

static unsigned lengthOf(const char *&at) {
  switch (*at) {
  case 'h':
    return *++at == 'h' ? (++at, 1u) : 2u;
  case 'l':
    at += at[1] == 'l' ? 2 : 1;
    return 8;
  case 'z':
  case 'j':
  case 't':
    ++at;
    return 8;
  default:
    return 4;
  }
}

// `at` is after the %, and is moved behind the conversion.
static Conversion readConversion(const char *&at) {
  Conversion c;
  for (;; ++at) {
    if (*at == '0')
      c.zeros = true;
    else if (*at == '-')
      c.left = true;
    else
      break;
  }
  for (; *at >= '0' && *at <= '9'; ++at)
    if (c.width < 1000)
      c.width = c.width * 10 + static_cast<uint32_t>(*at - '0');
  c.bytes = lengthOf(at);
  c.letter = *at;
  if (*at)
    ++at;
  return c;
}

static void writePadded(Text &out, const Conversion &c, const char *text,
                        size_t bytes) {
  const size_t fill = c.width > bytes ? c.width - bytes : 0;
  if (!c.left)
    out.fill(' ', fill);
  out.write(text, bytes);
  if (c.left)
    out.fill(' ', fill);
}

static void writeNumber(Text &out, const Conversion &c, uint64_t magnitude,
                        bool isNegative, unsigned base, const char *prefix) {
  const IntegerDigits digits(magnitude, base, c.letter == 'X');
  const size_t front = isNegative ? 1 : prefix[0] ? 2 : 0;
  const size_t bytes = front + digits.size();
  const size_t fill = c.width > bytes ? c.width - bytes : 0;
  if (!c.left && !c.zeros)
    out.fill(' ', fill);
  if (isNegative)
    out.put('-');
  else
    out.write(prefix, front);
  if (c.zeros && !c.left)
    out.fill('0', fill);
  out.write(digits.begin(), digits.size());
  if (c.left)
    out.fill(' ', fill);
}

// As the C library does, a shorter argument was passed as an int.
static uint64_t take(const Conversion &c, va_list &arguments) {
  return c.bytes == 8 ? va_arg(arguments, uint64_t)
                      : va_arg(arguments, uint32_t);
}

static void writeSigned(Text &out, const Conversion &c, uint64_t word) {
  const unsigned unused = 64 - 8 * c.bytes;
  const int64_t value = static_cast<int64_t>(word << unused) >> unused;
  const auto magnitude = static_cast<uint64_t>(value);
  writeNumber(out, c, value < 0 ? 0 - magnitude : magnitude, value < 0, 10, "");
}

static void writeUnsigned(Text &out, const Conversion &c, uint64_t word,
                          unsigned base) {
  const unsigned unused = 64 - 8 * c.bytes;
  writeNumber(out, c, word << unused >> unused, false, base, "");
}

static void writeString(Text &out, const Conversion &c, uint64_t address) {
  constexpr uint32_t kMost = 160;
  char text[kMost + 1];
  bool isCut = false;
  const int length =
      address ? readString(address, kMost, UINT64_MAX, text, isCut) : -1;
  if (length < 0)
    writePadded(out, c, "(?)", 3);
  else
    writePadded(out, c, text, static_cast<size_t>(length));
  if (isCut)
    out.write("...");
}

// Returns false if the conversion is not known.
static bool convert(Text &out, const Conversion &c, va_list &arguments) {
  switch (c.letter) {
  case 'd':
  case 'i':
    writeSigned(out, c, take(c, arguments));
    return true;
  case 'u':
    writeUnsigned(out, c, take(c, arguments), 10);
    return true;
  case 'x':
  case 'X':
    writeUnsigned(out, c, take(c, arguments), 16);
    return true;
  case 'o':
    writeUnsigned(out, c, take(c, arguments), 8);
    return true;
  case 'p':
    writeNumber(out, c, va_arg(arguments, uint64_t), false, 16, "0x");
    return true;
  case 'c': {
    const auto letter = static_cast<char>(va_arg(arguments, int));
    writePadded(out, c, &letter, 1);
    return true;
  }
  case 's':
    writeString(out, c, va_arg(arguments, uint64_t));
    return true;
  case '%':
    out.put('%');
    return true;
  default:
    return false;
  }
}

void formatRunLine(Text &out, const char *format, va_list &arguments) {
  while (*format && !out.isFull()) {
    if (*format != '%') {
      out.put(*format++);
      continue;
    }
    const char *at = format + 1;
    const Conversion c = readConversion(at);
    if (!convert(out, c, arguments))
      out.write(format, static_cast<size_t>(at - format));
    format = at;
  }
}

} // namespace tprt
