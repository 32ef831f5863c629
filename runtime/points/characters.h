// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings among a point's arguments. Async-signal-safe.
//
// A string is read in the program's memory, without a system call to check the
// address. Such a check would cost more than the rest of the hit. Only
// addresses that no string can have are recognised. tprt/point.h lists them.
#ifndef TPRT_POINTS_CHARACTERS_H
#define TPRT_POINTS_CHARACTERS_H

#include "points/text.h"
#include "tprt/point.h"

namespace tprt {

// The state of an argument's characters.
enum class StringState : uint8_t {
  Whole,
  Cut, // Longer than TPRT_STRING_LIMIT: these are the first characters.
  Null,
  Bad, // No string can have this address.
};

struct Characters {
  const char *begin;
  size_t size;
  StringState state;
};

// How much of a string the format shows. Bytes beyond the bound are not read,
// because they may not belong to the string.
struct StringBound {
  size_t bytes = SIZE_MAX;
  size_t columns = SIZE_MAX; // Characters of UTF-8. Each counts as one column.
};

// `type` is TPRT_ARGUMENT_STRING or TPRT_ARGUMENT_CHARACTERS.
Characters readCharacters(char type, uint64_t word, StringBound bound);

// Applies the bound to characters that were read before.
Characters boundCharacters(const Characters &read, StringBound bound);

// The number of bytes of the UTF-8 character that begins a text of `left`
// bytes.
size_t bytesOfCharacter(const char *text, size_t left);

// The text that is shown for such a string: the characters, or a word in their
// place.
Characters shownCharacters(const Characters &read);
constexpr char kCutMark[] = "...";

} // namespace tprt

#endif
