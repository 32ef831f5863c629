// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number's text as a list of pieces, so that a long row of zeros needs no
// buffer, and so that the length is known before the first piece is written.
// Also the digits of integers. Async-signal-safe.
#ifndef TPRT_POINTS_NUMBER_H
#define TPRT_POINTS_NUMBER_H

#include "points/text.h"
#include "tprt/trace_grammar.h"

namespace tprt {

using detail::FormatAlign;
using detail::FormatField;

// The digits of an integer, in a buffer for 64 binary digits.
class IntegerDigits {
public:
  IntegerDigits(uint64_t number, unsigned base, bool capitals);
  const char *begin() const { return digits + at; }
  size_t size() const { return sizeof digits - at; }

private:
  char digits[64];
  size_t at = sizeof digits;
};

// A sign or prefix such as 0x, and the pieces after it. Refers to the
// characters of its pieces, which must outlive it.
class Number {
public:
  // Sets the sign: '-', or the sign that the format requests.
  void sign(bool negative, char asked);
  void prefix(char c) { front[frontLength++] = c; }
  // Adds `zeros` zeros followed by the text.
  void add(size_t zeros, const char *text, size_t length);
  void addZeros(size_t zeros) { add(zeros, nullptr, 0); }

  size_t size() const { return frontLength + length; }
  // Writes the number. If `padZeros` is true, zeros between sign and digits
  // fill the width. Otherwise the field's fill is used. `align` is the
  // alignment if the field does not specify one.
  void write(Text &out, const FormatField &field, bool padZeros) const;
  void writePlain(Text &out) const { writePieces(out, 0); }

private:
  struct Piece {
    size_t zeros;
    const char *text;
    size_t length;
  };
  void writePieces(Text &out, size_t zeros) const;

  char front[4];
  unsigned char frontLength = 0, count = 0;
  size_t length = 0;
  Piece pieces[6];
};

// Writes the fill to the left of a text of `columns` columns, and returns the
// size of the fill to the right.
size_t writeFill(Text &out, const FormatField &field, FormatAlign usual,
                 size_t columns);
void writeFill(Text &out, const FormatField &field, size_t count);

} // namespace tprt

#endif
