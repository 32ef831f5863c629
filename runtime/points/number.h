// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number's text as a list of pieces, so that a long row of zeros needs no
// buffer, and so that the length is known before anything is written. Also the
// digits of integers. Async-signal-safe.
#ifndef TPRT_POINTS_NUMBER_H
#define TPRT_POINTS_NUMBER_H

#include "points/text.h"
#include "tprt/trace_grammar.h"

namespace tprt {

using detail::FormatAlign;
using detail::FormatField;

// The digits of an integer, in a buffer for 64 binary ones.
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
  // Puts the sign: '-', or what the format asks for.
  void sign(bool negative, char asked);
  void prefix(char c) { front[frontLength++] = c; }
  // `zeros` zeros, and then the text.
  void add(size_t zeros, const char *text, size_t length);
  void addZeros(size_t zeros) { add(zeros, nullptr, 0); }

  size_t size() const { return frontLength + length; }
  // Writes the number. `padZeros`: zeros between sign and digits fill the
  // width. Otherwise the field's fill does, and `align` is where the number
  // stands if the field does not say it.
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

// Writes the fill on the left of a text of `columns` columns, and returns how
// much of it is to be written on the right.
size_t writeFill(Text &out, const FormatField &field, FormatAlign usual,
                 size_t columns);
void writeFill(Text &out, const FormatField &field, size_t count);

} // namespace tprt

#endif
