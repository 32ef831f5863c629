// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a hit, and the functions that format them as text.
// Async-signal-safe.
#ifndef TPRT_POINTS_VALUES_H
#define TPRT_POINTS_VALUES_H

#include "points/characters.h"
#include "points/number.h"

namespace tprt {

struct Values {
  const char *types; // The types' letters, with a NUL.
  unsigned count;
  const uint64_t *words;
  // The strings of a recorded hit, by index. nullptr means that the words of
  // strings point to the characters.
  const Characters *recorded = nullptr;
};
// The string argument number `index`, read up to the bound.
Characters stringOf(const Values &values, unsigned index, StringBound bound);

// Formats according to the style.
void formatValues(Text &out, uint8_t style, const char *format,
                  const Values &values);
StringBound boundOf(uint8_t style, const char *format, const Values &values,
                    unsigned index);
// The name of a type in the text for an argument that does not fit.
const char *wordFor(char type);
// Writes a conversion or field that cannot be formatted: the original text,
// with a ! after its first character, and the reason in parentheses.
void writeFault(Text &out, const FormatField &field, const char *reason);
// Writes a note for arguments that the format does not use.
void writeLeftOver(Text &out, unsigned count);
// Writes a string in its field, and a mark after it if it was cut. `columns` is
// the width of the characters. `usual` is the alignment if the field does not
// specify one.
void writeCharacters(Text &out, const FormatField &field, FormatAlign usual,
                     const Characters &shown, size_t columns);

// The integer of `bytes` bytes in a word of this type. If the integer is
// negative, its absolute value is stored.
struct Integer {
  uint64_t size;
  bool negative;
};
inline Integer readInteger(uint64_t word, unsigned bytes, bool isSigned) {
  unsigned unused = 64 - 8 * bytes;
  if (!isSigned)
    return {word << unused >> unused, false};
  int64_t number = static_cast<int64_t>(word << unused) >> unused;
  auto bits = static_cast<uint64_t>(number);
  return {number < 0 ? 0 - bits : bits, number < 0};
}

} // namespace tprt

#endif
