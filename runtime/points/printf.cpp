// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats like glibc's printf in the locale "C"; see values.h. The letter of an
// argument gives the meaning of its word. The length modifier truncates the
// value as in printf.
//
// {fmt} 9 (fmt::vprintf) cannot do this, for the reasons in braces.cpp. Also,
// for 43 % of 100,000 random conversions its text differs from glibc's, in most
// cases by a sign before an unsigned number.
#include "points/printf.h"
#include "points/floating.h"

namespace tprt {

using detail::FormatFault;
using detail::isOneOf;

namespace {
class Printf {
public:
  Printf(Text &out, const Values &values) : out(out), values(values) {}
  void format(const char *at);

private:
  void write(FormatField &field);
  void writeFaulty(const FormatField &field);
  void writeArgument(const FormatField &field, unsigned index);
  // noinline keeps this function's memory off the stack while a floating-point
  // number is written, which needs the most stack.
  [[gnu::noinline]] void writeInteger(const FormatField &field, uint64_t word);
  void writeString(const FormatField &field, unsigned index);
  void writeText(const FormatField &field, const Characters &shown) {
    writeCharacters(out, field, FormatAlign::Right, shown, shown.size);
  }

  Text &out;
  const Values &values;
  unsigned next = 0;
  // If true, the remaining conversions cannot be matched with arguments.
  bool positional = false;
};
} // namespace

static bool padsZeros(const FormatField &field) {
  return field.zero && field.align != FormatAlign::Left;
}

void Printf::format(const char *at) {
  while (*at) {
    const char *begin = at;
    for (; *at && *at != '%'; ++at)
      keepLoop();
    out.write(begin, static_cast<size_t>(at - begin));
    if (!*at)
      break;
    FormatField field = detail::readPrintf(at);
    write(field);
    at = field.end;
  }
  if (next < values.count && !positional)
    writeLeftOver(out, values.count - next);
}

// A refused conversion consumes as many arguments as in printf.
void Printf::writeFaulty(const FormatField &field) {
  bool unfinished = field.fault == FormatFault::Unfinished;
  positional |= field.fault == FormatFault::Positional;
  for (const char *at = field.begin; at < field.end; ++at)
    next += *at == '*';
  next += !unfinished;
  writeFault(out, field, unfinished ? "unfinished" : "refused");
}

// Reads a precision that is given by an argument. Returns false if the argument
// is not an integer, or is missing.
static bool takePrecision(FormatField &field, const Values &values,
                          unsigned &next) {
  if (field.precision != FormatField::kPrecisionArgument)
    return true;
  unsigned index = next++;
  if (index >= values.count)
    return false;
  int64_t given = static_cast<int64_t>(values.words[index]);
  field.precision = given < 0                    ? FormatField::kNoPrecision
                    : given < detail::kMostWidth ? static_cast<int>(given)
                                                 : detail::kMostWidth;
  return detail::isIntegerType(values.types[index]);
}

void Printf::write(FormatField &field) {
  if (field.failed())
    return writeFaulty(field);
  if (field.type == '%')
    return out.put('%');
  bool fits = takePrecision(field, values, next);
  if (next >= values.count)
    return writeFault(out, field, "missing");
  unsigned index = next++;
  char type = values.types[index];
  if (!fits || !detail::printfTakes(field, type))
    return writeFault(out, field, wordFor(type));
  writeArgument(field, index);
}

void Printf::writeArgument(const FormatField &field, unsigned index) {
  uint64_t word = values.words[index];
  bool capitals = field.type >= 'A' && field.type <= 'Z';
  if (field.type == 'p' && !word) {
    writeText(field, {"(nil)", 5, StringState::Whole});
  } else if (isOneOf(field.type, "diuoxXp")) {
    writeInteger(field, word);
  } else if (field.type == 'c') {
    char c = static_cast<char>(word);
    writeText(field, {&c, 1, StringState::Whole});
  } else if (field.type == 's') {
    writeString(field, index);
  } else {
    char lower = static_cast<char>(field.type | 0x20);
    writeFloating(out, field, {lower, capitals, true, padsZeros(field)},
                  values.types[index], word);
  }
}

// Adds the digits, preceded by as many zeros as the precision requires.
static void addDigits(Number &text, const FormatField &field,
                      const IntegerDigits &digits, bool isZero) {
  // If the number is 0 and the precision is 0, no digit is shown.
  size_t size = isZero && !field.precision ? 0 : digits.size();
  size_t least = field.precision > 0 ? static_cast<size_t>(field.precision) : 0;
  if (field.type == 'o' && field.alternate &&
      (!size || (!isZero && least <= size)))
    least = size + 1;
  text.add(least > size ? least - size : 0, digits.begin(), size);
}

void Printf::writeInteger(const FormatField &field, uint64_t word) {
  bool isPointer = field.type == 'p';
  bool isSigned = field.type == 'd' || field.type == 'i';
  bool hex = isPointer || field.type == 'x' || field.type == 'X';
  Integer number = readInteger(word, isPointer ? 8 : field.size, isSigned);
  unsigned base = hex ? 16 : field.type == 'o' ? 8 : 10;
  IntegerDigits digits(number.size, base, field.type == 'X');
  Number text;
  if (isSigned || isPointer)
    text.sign(number.negative, field.sign);
  if (hex && (field.alternate || isPointer) && number.size) {
    text.prefix('0');
    text.prefix(field.type == 'X' ? 'X' : 'x');
  }
  addDigits(text, field, digits, !number.size);
  text.write(out, field, padsZeros(field) && field.precision < 0);
}

static StringBound boundFor(int precision) {
  StringBound bound;
  if (precision >= 0)
    bound.bytes = static_cast<size_t>(precision);
  return bound;
}

void Printf::writeString(const FormatField &field, unsigned index) {
  StringBound bound = boundFor(field.precision);
  Characters read = stringOf(values, index, bound);
  Characters shown = shownCharacters(read);
  // glibc shows (null) completely or not at all.
  if (read.state == StringState::Null && bound.bytes < shown.size)
    shown.size = 0;
  writeText(field, shown);
}

void formatPrintf(Text &out, const char *format, const Values &values) {
  Printf(out, values).format(format);
}

StringBound printfBound(const char *format, const Values &values,
                        unsigned index) {
  unsigned next = 0;
  for (const char *at = format; *at;) {
    if (*at != '%') {
      ++at;
      keepLoop();
      continue;
    }
    FormatField field = detail::readPrintf(at);
    at = field.end;
    if (field.failed())
      break; // Compilers reject such a format.
    if (field.type == '%')
      continue;
    takePrecision(field, values, next);
    // Other than %s, only %p accepts a string.
    if (next++ == index)
      return boundFor(field.type == 's' ? field.precision : 0);
  }
  return {};
}

} // namespace tprt
