// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings among a point's arguments. Async-signal-safe.
//
// A string is read where the program has it, without asking the system whether
// the address is valid: that would cost more than all else in a hit. Only
// addresses that no string can have are recognised; tprt/point.h says which.
#ifndef TPRT_POINTS_CHARACTERS_H
#define TPRT_POINTS_CHARACTERS_H

#include "points/text.h"
#include "tprt/point.h"

namespace tprt {

// What the characters of an argument are.
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

// How much of a string the format shows. Nothing after that is read, as the
// memory there may not belong to the string.
struct StringBound {
  size_t bytes = SIZE_MAX;
  size_t columns = SIZE_MAX; // Characters of UTF-8, each taken for one column.
};

// `type` is TPRT_ARGUMENT_STRING or TPRT_ARGUMENT_CHARACTERS.
Characters readCharacters(char type, uint64_t word, StringBound bound);

// The same for characters that were read before.
Characters boundCharacters(const Characters &read, StringBound bound);

// The bytes of the UTF-8 character that begins a text of `left` bytes.
size_t bytesOfCharacter(const char *text, size_t left);

// What is shown of such a string: the characters, or a word in their place.
Characters shownCharacters(const Characters &read);
constexpr char kCutMark[] = "...";

} // namespace tprt

#endif
