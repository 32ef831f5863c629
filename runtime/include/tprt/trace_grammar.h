/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The grammar of the formats of points: reads one conversion of a printf format
 * or one replacement field of a `{}` format. C++17, constexpr. This file needs
 * nothing of libtprt. trace_format.h checks formats with these functions at
 * compile time, and libtprt formats hits with the same functions. So every format
 * that compiles can also be printed.
 */
#ifndef TPRT_TRACE_GRAMMAR_H
#define TPRT_TRACE_GRAMMAR_H

#include <stdint.h> /* C needs a declaration in each file */

#ifdef __cplusplus /* empty in C */

namespace tprt {
namespace detail {

/* Why a conversion or replacement field cannot be formatted. */
enum class FormatFault : unsigned char {
  None,
  /* The format ends inside the conversion or field. */
  Unfinished,
  /* The conversion, flag or specification is unknown. */
  Unknown,
  /* %n. */
  Writes,
  /* The width (or, in braces, the precision) is an argument: %*d, {:{}}. */
  WidthArgument,
  /* %1$d. */
  Positional,
  /* %lc, %ls, %C, %S, %Lf. */
  WideOrLong,
  /* {:L}. */
  Locale
};

enum class FormatAlign : unsigned char {
  None,
  Left,
  Right,
  Centre
};

/* The largest width or precision; larger numbers are treated as this one. */
inline constexpr int kMostWidth = 1 << 30;

/* One conversion of a printf format, or one replacement field of a `{}` format. */
struct FormatField {
  static constexpr int kNoPrecision = -1;
  static constexpr int kPrecisionArgument = -2;

  const char *begin = nullptr;
  const char *end = nullptr;
  FormatFault fault = FormatFault::None;
  /* The conversion, or the presentation type. 0 means that none is given. */
  char type = 0;
  /* 0, '+', ' ' or '-'. */
  char sign = 0;
  bool alternate = false;
  bool zero = false;
  FormatAlign align = FormatAlign::None;
  /* Bytes of an integer according to its length modifier: 1, 2, 4 or 8. */
  unsigned char size = 4;
  /* A fill character of up to four bytes; nullptr means a space. */
  const char *fill = nullptr;
  unsigned char fillBytes = 0;
  int width = 0;
  int precision = kNoPrecision;
  /* The number in {0}; -1 means that none is given. */
  int position = -1;

  constexpr bool failed() const { return fault != FormatFault::None; }
};

constexpr bool isOneOf(char c, const char *set) {
  for (; *set; ++set)
    if (*set == c)
      return true;
  return false;
}

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

/* Reads a number, up to kMostWidth, and advances `at` past the number. */
constexpr int readNumber(const char *&at) {
  int number = 0;
  for (; isDigit(*at); ++at)
    number = number > kMostWidth / 10 ? kMostWidth : number * 10 + (*at - '0');
  return number > kMostWidth ? kMostWidth : number;
}

constexpr bool isIntegerType(char type) { return isOneOf(type, "bcahstijlm"); }
constexpr bool isFloatingType(char type) { return type == 'f' || type == 'd'; }
constexpr bool isStringType(char type) { return type == 'z' || type == 'v'; }

/* --- printf ----------------------------------------------------------------- */

constexpr void readPrintfFlags(FormatField &field, const char *&at) {
  for (;; ++at) {
    if (*at == '-')
      field.align = FormatAlign::Left;
    else if (*at == '+')
      field.sign = '+';
    else if (*at == ' ')
      field.sign = field.sign ? field.sign : ' ';
    else if (*at == '#')
      field.alternate = true;
    else if (*at == '0')
      field.zero = true;
    else if (*at != '\'') /* groups digits by the locale, and points use no
                           * locale */
      return;
  }
}

/* Skips a width that is given by an argument. */
constexpr void skipWidthArgument(FormatField &field, const char *&at) {
  field.fault = FormatFault::WidthArgument;
  for (++at; isDigit(*at) || *at == '$'; ++at)
    ;
}

constexpr void readPrintfWidth(FormatField &field, const char *&at) {
  if (*at == '*')
    return skipWidthArgument(field, at);
  field.width = readNumber(at);
  if (*at != '$')
    return;
  ++at;
  readPrintfFlags(field, at);
  if (*at == '*')
    skipWidthArgument(field, at);
  field.width = readNumber(at);
  field.fault = FormatFault::Positional;
}

constexpr void readPrintfPrecision(FormatField &field, const char *&at) {
  if (*at != '.')
    return;
  ++at;
  if (*at == '*') {
    field.precision = FormatField::kPrecisionArgument;
    ++at;
    const char *digits = at;
    readNumber(digits);
    if (*digits == '$') {
      field.fault = FormatFault::Positional;
      at = digits + 1;
    }
  } else if (*at == '-') { /* glibc treats a negative precision as none */
    ++at;
    readNumber(at);
    field.fault = FormatFault::Unknown;
  } else {
    field.precision = readNumber(at);
  }
}

/* Returns the modifier: 0, 'H' for hh, 'h', 'l' for all modifiers of 64 bits,
 * or 'L'. */
constexpr char readPrintfLength(const char *&at) {
  char first = *at;
  if (!first || !isOneOf(first, "hljztqL"))
    return 0;
  ++at;
  if (first == 'h' && *at == 'h') {
    ++at;
    return 'H';
  }
  if (first == 'l' && *at == 'l') {
    ++at;
    return 'q';
  }
  return isOneOf(first, "jztq") ? 'q' : first;
}

constexpr FormatFault printfTypeFault(char type, char length) {
  if (!type)
    return FormatFault::Unfinished;
  if (type == 'n')
    return FormatFault::Writes;
  if (type == 'C' || type == 'S' || (length == 'l' && (type == 'c' || type == 's')))
    return FormatFault::WideOrLong;
  if (isOneOf(type, "fFeEgGaA") && length == 'L')
    return FormatFault::WideOrLong;
  if (isOneOf(type, "fFeEgGaA"))
    return length && length != 'l' ? FormatFault::Unknown : FormatFault::None;
  if (isOneOf(type, "csp%"))
    return length ? FormatFault::Unknown : FormatFault::None;
  return isOneOf(type, "diuoxX") && length != 'L' ? FormatFault::None : FormatFault::Unknown;
}

/* The bytes of an integer with this modifier. */
constexpr unsigned char bytesOf(char length) {
  if (length == 'H')
    return 1;
  if (length == 'h')
    return 2;
  return length ? 8 : 4;
}

/* Reads the conversion that begins with the % at `at`. */
constexpr FormatField readPrintf(const char *at) {
  FormatField field;
  field.begin = at++;
  readPrintfFlags(field, at);
  readPrintfWidth(field, at);
  readPrintfPrecision(field, at);
  char length = readPrintfLength(at);
  field.type = *at;
  field.size = bytesOf(length);
  FormatFault fault = printfTypeFault(field.type, length);
  if (field.type == '%' && at != field.begin + 1)
    fault = FormatFault::Unknown;
  if (!field.failed())
    field.fault = fault;
  field.end = *at ? at + 1 : at;
  return field;
}

/* Whether the conversion formats an argument of this type. */
constexpr bool printfTakes(const FormatField &field, char type) {
  if (isOneOf(field.type, "diuoxXc"))
    return isIntegerType(type);
  if (field.type == 's')
    return isStringType(type);
  if (field.type == 'p')
    return type == 'p' || type == 'z';
  return isFloatingType(type);
}

/* --- braces ----------------------------------------------------------------- */

constexpr FormatAlign alignOf(char c) {
  if (c == '<')
    return FormatAlign::Left;
  if (c == '>')
    return FormatAlign::Right;
  return c == '^' ? FormatAlign::Centre : FormatAlign::None;
}

/* The number of bytes of the UTF-8 character at `at`, up to the end of the
 * text. */
constexpr int characterBytes(const char *at) {
  auto first = static_cast<unsigned char>(*at);
  int wanted = 1 + (first >= 0xc0) + (first >= 0xe0) + (first >= 0xf0);
  int bytes = 1;
  while (bytes < wanted && (static_cast<unsigned char>(at[bytes]) & 0xc0) == 0x80)
    ++bytes;
  return bytes;
}

constexpr void readFillAndAlign(FormatField &field, const char *&at) {
  if (!*at)
    return;
  int bytes = characterBytes(at);
  if (*at != '{' && *at != '}' && alignOf(at[bytes]) != FormatAlign::None) {
    field.fill = at;
    field.fillBytes = static_cast<unsigned char>(bytes);
    field.align = alignOf(at[bytes]);
    at += bytes + 1;
  } else if (alignOf(*at) != FormatAlign::None) {
    field.align = alignOf(*at++);
  }
}

constexpr void readBracePrecision(FormatField &field, const char *&at) {
  if (*at != '.')
    return;
  ++at;
  if (*at == '{')
    field.fault = FormatFault::WidthArgument;
  else if (!isDigit(*at))
    field.fault = FormatFault::Unknown;
  else
    field.precision = readNumber(at);
}

/* Reads the specification after the colon. */
constexpr void readBraceSpec(FormatField &field, const char *&at) {
  readFillAndAlign(field, at);
  if (*at == '+' || *at == '-' || *at == ' ')
    field.sign = *at++;
  if (*at == '#') {
    field.alternate = true;
    ++at;
  }
  if (*at == '0') {
    field.zero = true;
    ++at;
  }
  if (*at == '{')
    field.fault = FormatFault::WidthArgument;
  else if (*at != '0')
    field.width = readNumber(at);
  readBracePrecision(field, at);
  if (field.failed())
    return;
  if (*at == 'L')
    field.fault = FormatFault::Locale;
  else if (*at && isOneOf(*at, "bBcdoxXaAeEfFgGsp?"))
    field.type = *at++;
}

/* Sets the end of a faulty field: after its closing }. */
constexpr const char *endOfBraces(const char *at) {
  for (int open = 1; *at; ++at) {
    open += (*at == '{') - (*at == '}');
    if (!open)
      return at + 1;
  }
  return at;
}

/* Reads the replacement field that begins with the { at `at`. */
constexpr FormatField readBraces(const char *at) {
  FormatField field;
  field.begin = at++;
  if (isDigit(*at)) {
    bool zero = *at == '0' && isDigit(at[1]);
    field.position = readNumber(at);
    if (zero)
      field.fault = FormatFault::Unknown;
  }
  if (*at == ':' && !field.failed()) {
    ++at;
    readBraceSpec(field, at);
  }
  if (!field.failed() && *at == '}') {
    field.end = at + 1;
    return field;
  }
  field.end = endOfBraces(at);
  if (field.end[-1] != '}')
    field.fault = FormatFault::Unfinished;
  else if (!field.failed())
    field.fault = FormatFault::Unknown;
  return field;
}

/* Whether the field has no sign, no # and no 0. Fields for text must not have
 * them. */
constexpr bool isPlainField(const FormatField &field) { return !field.sign && !field.alternate && !field.zero; }

/* Whether the field formats an argument of this type, as std::format does. */
constexpr bool bracesTake(const FormatField &field, char type) {
  if (isFloatingType(type))
    return !field.type || isOneOf(field.type, "aAeEfFgG");
  if (isStringType(type))
    return isPlainField(field) && (!field.type || field.type == 's' || (field.type == '?' && field.precision == FormatField::kNoPrecision));
  if (field.precision != FormatField::kNoPrecision)
    return false;
  if (type == 'p')
    return isPlainField(field) && (!field.type || field.type == 'p');
  if (field.type && isOneOf(field.type, "bBdoxX"))
    return true;
  if (type == 'b')
    return isPlainField(field) && (!field.type || field.type == 's');
  if (type == 'c')
    return isPlainField(field) && (!field.type || field.type == 'c' || field.type == '?');
  return !field.type || (field.type == 'c' && isPlainField(field));
}

} // namespace detail
} // namespace tprt

#endif

#endif
