// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats like C++20's std::format without a locale; see values.h. A character
// of UTF-8 counts as one column.
//
// {fmt} 9 (fmt::vformat_to) cannot do this in hits:
//  - It does not compile without vector registers. Saving these registers first
//    needs up to 2.7 kB of a signal stack, and {fmt} itself 0.6 to 3.4 kB. The
//    limit for a text is 2 kB.
//  - It calls operator new, snprintf and strlen, and there is no C++ library
//    for musl. Its code has 83 kB. The code of all formats of points has 24 kB.
//  - It refuses 16 % of 100,000 random formats, and its text differs for 9 %:
//    100000 for 1e+05, 0x1.8p+0 for 1.8p+0, zeros on both sides for {:^06}.
//  - It writes padding even if there is no room: {:1000000000} needs 0.6 s.
// The test PointReference compares the texts that must be equal.
#include "points/braces.h"
#include "points/escape.h"
#include "points/floating.h"

namespace tprt {

using detail::FormatFault;
using detail::isOneOf;

namespace {
class Braces {
public:
  Braces(Text &out, const Values &values) : out(out), values(values) {}
  void format(const char *at);

private:
  void write(const FormatField &field);
  void writeArgument(const FormatField &field, unsigned index);
  // noinline keeps this function's memory off the stack while a floating-point
  // number is written, which needs the most stack.
  [[gnu::noinline]] void writeInteger(const FormatField &field, char type,
                                      uint64_t word);
  void writeFloat(const FormatField &field, char type, uint64_t word);
  void writeString(const FormatField &field, unsigned index);
  void writeText(const FormatField &field, const Characters &shown);
  void writeInQuotes(const FormatField &field, const Characters &shown,
                     char quote);

  Text &out;
  const Values &values;
  unsigned next = 0;
  uint32_t used = 0;
};
} // namespace

static bool padsZeros(const FormatField &field) {
  return field.zero && field.align == FormatAlign::None;
}

static bool isDoubled(const char *at) {
  return (*at == '{' || *at == '}') && at[1] == *at;
}

void Braces::format(const char *at) {
  bool faulty = false;
  while (*at) {
    if (*at == '{' && !isDoubled(at)) {
      FormatField field = detail::readBraces(at);
      faulty |= field.failed();
      write(field);
      at = field.end;
      continue;
    }
    out.put(*at);
    at += isDoubled(at) ? 2 : 1;
  }
  unsigned left = 0;
  for (unsigned i = 0; i < values.count; ++i)
    left += !(used >> i & 1);
  if (left && !faulty)
    writeLeftOver(out, left);
}

void Braces::write(const FormatField &field) {
  if (field.failed())
    return writeFault(out, field,
                      field.fault == FormatFault::Unfinished ? "unfinished"
                                                             : "refused");
  unsigned index =
      field.position < 0 ? next++ : static_cast<unsigned>(field.position);
  if (index >= values.count)
    return writeFault(out, field, "missing");
  used |= 1u << index;
  char type = values.types[index];
  if (!detail::bracesTake(field, type))
    return writeFault(out, field, wordFor(type));
  writeArgument(field, index);
}

void Braces::writeArgument(const FormatField &field, unsigned index) {
  char type = values.types[index];
  uint64_t word = values.words[index];
  if (detail::isFloatingType(type))
    return writeFloat(field, type, word);
  if (detail::isStringType(type))
    return writeString(field, index);
  if (type == TPRT_ARGUMENT_POINTER) {
    FormatField hex = field;
    hex.type = 'x';
    hex.alternate = true;
    return writeInteger(hex, type, word);
  }
  if (field.type && isOneOf(field.type, "bBdoxX"))
    return writeInteger(field, type, word);
  if (type == TPRT_ARGUMENT_BOOL)
    return writeText(field, word ? Characters{"true", 4, StringState::Whole}
                                 : Characters{"false", 5, StringState::Whole});
  char c = static_cast<char>(word);
  Characters one = {&c, 1, StringState::Whole};
  if (field.type == '?')
    return writeInQuotes(field, one, '\'');
  if (type == TPRT_ARGUMENT_CHAR || field.type == 'c')
    return writeText(field, one);
  writeInteger(field, type, word);
}

void Braces::writeInteger(const FormatField &field, char type, uint64_t word) {
  // A char is formatted as an unsigned character.
  bool isChar = type == TPRT_ARGUMENT_CHAR;
  Integer number = readInteger(word, isChar ? 1 : 8, isOneOf(type, "asil"));
  char kind = field.type ? field.type : 'd';
  char lower = static_cast<char>(kind | 0x20);
  unsigned base = lower == 'x' ? 16 : lower == 'o' ? 8 : lower == 'b' ? 2 : 10;
  IntegerDigits digits(number.size, base, kind == 'X');
  Number text;
  text.sign(number.negative, field.sign);
  if (field.alternate && base != 10 && (base != 8 || number.size))
    text.prefix('0');
  if (field.alternate && (base == 16 || base == 2))
    text.prefix(kind);
  text.add(0, digits.begin(), digits.size());
  text.write(out, field, padsZeros(field));
}

void Braces::writeFloat(const FormatField &field, char type, uint64_t word) {
  bool capitals = field.type >= 'A' && field.type <= 'Z';
  char lower = static_cast<char>(field.type ? field.type | 0x20 : 0);
  // A precision without a type means the general form.
  if (!lower && field.precision >= 0)
    lower = 'g';
  writeFloating(out, field, {lower, capitals, false, padsZeros(field)}, type,
                word);
}

static size_t columnsOf(const char *text, size_t size) {
  size_t columns = 0;
  for (size_t at = 0; at < size; ++columns)
    at += bytesOfCharacter(text + at, size - at);
  return columns;
}

void Braces::writeText(const FormatField &field, const Characters &shown) {
  size_t columns = field.width ? columnsOf(shown.begin, shown.size) : 0;
  writeCharacters(out, field, FormatAlign::Left, shown, columns);
}

void Braces::writeInQuotes(const FormatField &field, const Characters &shown,
                           char quote) {
  size_t marks = shown.state == StringState::Cut ? sizeof kCutMark - 1 : 0;
  Text measured(nullptr, 0);
  size_t columns =
      field.width ? writeQuoted(measured, shown.begin, shown.size, quote) : 0;
  size_t right = writeFill(out, field, FormatAlign::Left, columns + marks);
  writeQuoted(out, shown.begin, shown.size, quote);
  out.write(kCutMark, marks);
  writeFill(out, field, right);
}

static StringBound boundFor(int precision) {
  StringBound bound;
  if (precision >= 0)
    bound.columns = static_cast<size_t>(precision);
  return bound;
}

void Braces::writeString(const FormatField &field, unsigned index) {
  StringBound bound = boundFor(field.precision);
  Characters shown = shownCharacters(stringOf(values, index, bound));
  bool isWord =
      shown.state == StringState::Null || shown.state == StringState::Bad;
  if (field.type != '?' || isWord)
    return writeText(field, shown);
  writeInQuotes(field, shown, '"');
}

void formatBraces(Text &out, const char *format, const Values &values) {
  Braces(out, values).format(format);
}

StringBound bracesBound(const char *format, const Values &values,
                        unsigned index) {
  StringBound bound;
  bound.columns = 0;
  unsigned next = 0;
  bool found = false;
  for (const char *at = format; *at;) {
    if (*at != '{' || isDoubled(at)) {
      at += isDoubled(at) ? 2 : 1;
      keepLoop();
      continue;
    }
    FormatField field = detail::readBraces(at);
    at = field.end;
    if (field.failed())
      continue;
    unsigned used =
        field.position < 0 ? next++ : static_cast<unsigned>(field.position);
    if (used != index || used >= values.count)
      continue;
    found = true;
    StringBound here = boundFor(field.precision);
    bound.columns = here.columns > bound.columns ? here.columns : bound.columns;
  }
  return found ? bound : StringBound{};
}

} // namespace tprt
