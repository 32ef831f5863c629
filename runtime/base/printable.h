// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of a text may be sent to a terminal, if the text is from the
// program or from a file. The terminal would obey control characters (ECMA-48),
// or would start a forged line. Characters that change the direction of text
// (Unicode Standard Annex 9, section 2) would reorder it. tpctl applies the
// same rule (tools/trace/Readable.h). For any thread, in hits and signal
// handlers.
#ifndef TPRT_BASE_PRINTABLE_H
#define TPRT_BASE_PRINTABLE_H

#include <stddef.h>

namespace tprt {

// The length in bytes of the printable character at `text`, before `end`.
// Returns 0 if that byte does not begin a printable character. Printable are
// the tab and the characters of UTF-8 (RFC 3629) other than C0, DEL, C1,
// U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
inline size_t printableBytes(const char *text, const char *end) {
  auto at = [text](size_t i) -> unsigned {
    return static_cast<unsigned char>(text[i]);
  };
  unsigned first = at(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\t';
  size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (!bytes || first > 0xf4 || static_cast<size_t>(end - text) < bytes)
    return 0;
  unsigned code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (at(i) & 0x3f);
  }
  bool overlong =
      (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  bool control = code <= 0x9f || code == 0x61c || code == 0x200e ||
                 code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
                 (code >= 0x2066 && code <= 0x2069);
  return overlong || surrogate || code > 0x10ffff || control ? 0 : bytes;
}

} // namespace tprt

#endif
