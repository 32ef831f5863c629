// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes floating-point numbers like glibc's printf, correctly rounded to the
// nearest. Async-signal-safe. Needs less than 1.7 KB of stack.
#ifndef TPRT_POINTS_FLOATING_H
#define TPRT_POINTS_FLOATING_H

#include "points/number.h"

namespace tprt {

struct FloatingStyle {
  // 'e', 'f', 'g' or 'a'. 0 means the shortest text that reads back exactly.
  char type;
  bool capitals;
  // 0x before hexadecimal digits.
  bool hexPrefix;
  // Zeros fill the width.
  bool padZeros;
};

// `bits` are those of a double. `argument` is the letter of the argument's
// type. The shortest text of a float differs from that of a double.
void writeFloating(Text &out, const FormatField &field, FloatingStyle style,
                   char argument, uint64_t bits);

} // namespace tprt

#endif
