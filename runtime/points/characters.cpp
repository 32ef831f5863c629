// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the strings among a point's arguments; see characters.h.
#include "points/characters.h"

namespace tprt {

static bool isBadAddress(uint64_t address) {
  // The first page is never mapped. Bit 55 is set in the system's half of the
  // address space, even if the byte above it is a tag (AArch64).
  return address < 4096 || (address >> 55 & 1);
}

size_t bytesOfCharacter(const char *text, size_t left) {
  auto first = static_cast<unsigned char>(*text);
  size_t wanted = 1u + (first >= 0xc0) + (first >= 0xe0) + (first >= 0xf0);
  size_t bytes = 1;
  while (bytes < wanted && bytes < left &&
         (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80)
    ++bytes;
  return bytes;
}

// The length of a text of at most `most` bytes and `columns` columns. A NUL
// ends the text earlier.
static size_t lengthInColumns(const char *text, size_t most, size_t columns,
                              bool terminated) {
  size_t length = 0;
  for (; columns && length < most && !(terminated && !text[length]); --columns)
    length += bytesOfCharacter(text + length, most - length);
  return length;
}

Characters readCharacters(char type, uint64_t word, StringBound bound) {
  if (!word)
    return {nullptr, 0, StringState::Null};
  if (isBadAddress(word))
    return {nullptr, 0, StringState::Bad};
  const auto *text = reinterpret_cast<const char *>(word);
  size_t most = bound.bytes;
  bool terminated = type == TPRT_ARGUMENT_STRING;
  if (!terminated) {
    const auto *object = reinterpret_cast<const tprt_characters *>(word);
    text = object->begin;
    most = object->size < most ? object->size : most;
    if (most && isBadAddress(reinterpret_cast<uint64_t>(text)))
      return {nullptr, 0, text ? StringState::Bad : StringState::Null};
  }
  // One byte more than the limit, to find out whether the string continues.
  size_t limit = TPRT_STRING_LIMIT + 1;
  limit = most < limit ? most : limit;
  size_t size;
  if (bound.columns != SIZE_MAX)
    size = lengthInColumns(text, limit, bound.columns, terminated);
  else
    size = terminated ? boundedLength(text, limit) : limit;
  if (size > TPRT_STRING_LIMIT)
    return {text, TPRT_STRING_LIMIT, StringState::Cut};
  return {text, size, StringState::Whole};
}

Characters boundCharacters(const Characters &read, StringBound bound) {
  size_t most = bound.bytes < read.size ? bound.bytes : read.size;
  size_t size = bound.columns == SIZE_MAX
                    ? most
                    : lengthInColumns(read.begin, most, bound.columns, false);
  bool cut =
      read.state == StringState::Cut && size == read.size && bound.bytes > size;
  bool less = read.state == StringState::Cut && !cut;
  return {read.begin, size, less ? StringState::Whole : read.state};
}

Characters shownCharacters(const Characters &read) {
  static constexpr char kNull[] = "(null)", kBad[] = "(bad address)";
  if (read.state == StringState::Null)
    return {kNull, sizeof kNull - 1, StringState::Null};
  if (read.state == StringState::Bad)
    return {kBad, sizeof kBad - 1, StringState::Bad};
  return read;
}

} // namespace tprt
