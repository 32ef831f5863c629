// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes floating-point numbers; see floating.h.
#include "points/floating.h"
#include "points/decimal.h"
#include "points/shortest.h"
#include "tprt/table.h"

namespace tprt {

namespace {
// Converts one number to text. Each function adds the pieces after the sign.
class Writer {
public:
  Writer(const FormatField &field, FloatingStyle style, bool isFloat,
         uint64_t bits)
      : field(field), style(style), isFloat(isFloat), bits(bits),
        number(readDouble(bits)) {}
  void write(Text &out);

private:
  void addFixed(int precision);
  void addScientific(int precision);
  void addGeneral(int precision);
  void addShortest();
  void addHexadecimal();
  void addPoint(int zeros, int precision);
  void addExponent(char letter, int exponent, unsigned leastDigits);
  int decimalExponent() const { return value.count ? value.point - 1 : 0; }
  int digits() const { return static_cast<int>(value.count); }

  const FormatField &field;
  FloatingStyle style;
  bool isFloat;
  uint64_t bits;
  Binary number;
  Number text;
  Decimal value;
  char exponentText[8];
  char hexDigits[16];
};
} // namespace

static size_t positive(int number) {
  return number > 0 ? static_cast<size_t>(number) : 0;
}

// The zeros count as digits before the point.
void Writer::addPoint(int zeros, int precision) {
  bool shown = precision > 0 || field.alternate;
  text.add(positive(zeros), ".", shown ? 1 : 0);
}

void Writer::addExponent(char letter, int exponent, unsigned leastDigits) {
  auto size = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  unsigned length = 0;
  exponentText[length++] = letter;
  exponentText[length++] = exponent < 0 ? '-' : '+';
  unsigned scale = leastDigits == 2 ? 10 : 1;
  while (size / scale >= 10)
    scale *= 10;
  for (; scale; scale /= 10)
    exponentText[length++] = static_cast<char>('0' + size / scale % 10);
  text.add(0, exponentText, length);
}

void Writer::addFixed(int precision) {
  int whole = value.count ? value.point : 0;
  int before = whole < digits() ? whole : digits();
  if (whole <= 0) {
    before = 0;
    text.addZeros(1);
  } else {
    text.add(0, value.digit, static_cast<size_t>(before));
  }
  addPoint(whole - before, precision);
  int zeros = whole < 0 ? -whole : 0;
  zeros = zeros < precision ? zeros : precision;
  int after = digits() - before;
  after = after < precision - zeros ? after : precision - zeros;
  text.add(positive(zeros), value.digit + before, static_cast<size_t>(after));
  text.addZeros(static_cast<size_t>(precision - zeros - after));
}

void Writer::addScientific(int precision) {
  if (value.count)
    text.add(0, value.digit, 1);
  else
    text.addZeros(1);
  addPoint(0, precision);
  int after = value.count ? digits() - 1 : 0;
  after = after < precision ? after : precision;
  text.add(0, value.digit + 1, static_cast<size_t>(after));
  text.addZeros(static_cast<size_t>(precision - after));
  addExponent(style.capitals ? 'E' : 'e', decimalExponent(), 2);
}

void Writer::addGeneral(int precision) {
  precision = precision ? precision : 1;
  value.round(precision);
  int exponent = decimalExponent();
  if (exponent >= -4 && exponent < precision)
    addFixed(field.alternate
                 ? precision - 1 - exponent
                 : static_cast<int>(positive(digits() - value.point)));
  else
    addScientific(field.alternate ? precision - 1 : digits() - 1);
}

// Adds the shorter of two forms: the fixed form or the form with an exponent.
// In the fixed form, an integer has all its digits.
void Writer::addShortest() {
  if (number.mantissa)
    shorten(bits, isFloat, value);
  else
    value.set(0, 0);
  int exponent = decimalExponent();
  int size = exponent < 0 ? -exponent : exponent;
  int scientific = digits() + (digits() > 1) + 4 + (size >= 100);
  int whole = value.count ? value.point : 1;
  int fixed = whole <= 0          ? 2 - whole + digits()
              : whole >= digits() ? whole
                                  : digits() + 1;
  if (scientific < fixed)
    return addScientific(digits() - 1);
  if (whole > digits())
    value.set(number.mantissa, number.exponent);
  addFixed(static_cast<int>(positive(digits() - value.point)));
}

// 13 hexadecimal digits follow the first digit, which is 0 for denormals.
void Writer::addHexadecimal() {
  constexpr unsigned kDigits = 13, kBits = 52;
  uint64_t mantissa = number.mantissa;
  unsigned left = kDigits;
  if (field.precision >= 0 && field.precision < static_cast<int>(kDigits)) {
    left = static_cast<unsigned>(field.precision);
    unsigned cut = 4 * (kDigits - left);
    uint64_t rest = mantissa & ((uint64_t{1} << cut) - 1);
    uint64_t half = uint64_t{1} << (cut - 1);
    mantissa >>= cut;
    mantissa += rest > half || (rest == half && (mantissa & 1));
  } else if (field.precision < 0) {
    for (; left && !(mantissa & 15); --left)
      mantissa >>= 4;
  }
  IntegerDigits all(mantissa, 16, style.capitals);
  copyBytes(hexDigits, all.begin(), all.size());
  // Leading zeros count as digits.
  size_t missing = left + 1 - all.size();
  if (style.hexPrefix) {
    text.prefix('0');
    text.prefix(style.capitals ? 'X' : 'x');
  }
  if (missing)
    text.addZeros(1);
  else
    text.add(0, hexDigits, 1);
  int precision =
      field.precision < 0 ? static_cast<int>(left) : field.precision;
  addPoint(0, precision);
  size_t begin = missing ? 0 : 1;
  text.add(missing ? missing - 1 : 0, hexDigits + begin, all.size() - begin);
  text.addZeros(positive(precision - static_cast<int>(left)));
  int exponent =
      number.mantissa ? number.exponent + static_cast<int>(kBits) : 0;
  addExponent(style.capitals ? 'P' : 'p', exponent, 1);
}

void Writer::write(Text &out) {
  text.sign(number.negative, field.sign);
  if (!number.isFinite()) {
    const char *word = number.nan ? (style.capitals ? "NAN" : "nan")
                                  : (style.capitals ? "INF" : "inf");
    text.add(0, word, 3);
    return text.write(out, field, false);
  }
  int precision = field.precision < 0 ? 6 : field.precision;
  char type = style.type;
  if (type && type != 'a')
    value.set(number.mantissa, number.exponent);
  if (type == 'f') {
    value.round(value.point + precision);
    addFixed(precision);
  } else if (type == 'e') {
    value.round(precision + 1);
    addScientific(precision);
  } else if (type == 'g') {
    addGeneral(precision);
  } else if (type == 'a') {
    addHexadecimal();
  } else {
    addShortest();
  }
  text.write(out, field, style.padZeros);
}

void writeFloating(Text &out, const FormatField &field, FloatingStyle style,
                   char argument, uint64_t bits) {
  Writer(field, style, argument == TPRT_ARGUMENT_FLOAT, bits).write(out);
}

} // namespace tprt
