// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a hit, and the functions that make its text of them.
// Async-signal-safe.
#ifndef TPRT_POINTS_VALUES_H
#define TPRT_POINTS_VALUES_H

#include "points/characters.h"
#include "points/number.h"

namespace tprt {

struct Values {
  const char *types; // Letters, and a NUL.
  unsigned count;
  const uint64_t *words;
  // By index, of a recorded hit: its strings. nullptr: the words of strings
  // lead to them.
  const Characters *recorded = nullptr;
};
// The string argument `index`, as far as the bound goes.
Characters stringOf(const Values &values, unsigned index, StringBound bound);

// In printf.cpp and braces.cpp. A conversion that does not fit is shown in the
// text with the reason (writeFault()).
void formatPrintf(Text &out, const char *format, const Values &values);
void formatBraces(Text &out, const char *format, const Values &values);
// How much of the string argument `index` the format shows.
StringBound printfBound(const char *format, const Values &values,
                        unsigned index);
StringBound bracesBound(const char *format, const Values &values,
                        unsigned index);

// In values.cpp. By style.
void formatValues(Text &out, uint8_t style, const char *format,
                  const Values &values);
StringBound boundOf(uint8_t style, const char *format, const Values &values,
                    unsigned index);
// The type in words, for an argument that does not fit.
const char *wordFor(char type);
// A conversion or field that cannot be formatted: as it is written, with a !
// after its first character, and the reason in parentheses.
void writeFault(Text &out, const FormatField &field, const char *reason);
// Arguments that the format leaves out.
void writeLeftOver(Text &out, unsigned count);
// A string in its field, and the mark after it if it was cut. `columns` are
// those of the characters; `usual` is where they stand if the field does not
// say it.
void writeCharacters(Text &out, const FormatField &field, FormatAlign usual,
                     const Characters &shown, size_t columns);

// The integer that the word of this type has, of `bytes` bytes. Its absolute
// value if it is negative.
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
