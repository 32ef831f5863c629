// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which text from the program may be written to a terminal.
#include "base/printable.h"

#include <gtest/gtest.h>
#include <string>

using namespace tprt;

static std::string shown(const std::string &text) {
  std::string out;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    size_t bytes = printableBytes(at, end);
    out.append(bytes ? at : "?", bytes ? bytes : 1);
    at += bytes ? bytes : 1;
  }
  return out;
}

static std::string encoded(unsigned c) {
  auto last = [c](unsigned shift) {
    return static_cast<char>(0x80 | (c >> shift & 0x3f));
  };
  if (c < 0x80)
    return {static_cast<char>(c)};
  if (c < 0x800)
    return {static_cast<char>(0xc0 | c >> 6), last(0)};
  if (c < 0x10000)
    return {static_cast<char>(0xe0 | c >> 12), last(6), last(0)};
  return {static_cast<char>(0xf0 | c >> 18), last(12), last(6), last(0)};
}

TEST(Printable, OnlyTheseCharactersAreNot) {
  std::string listed;
  for (unsigned c = 0; c <= 0x10ffff; ++c)
    if (shown(encoded(c)) != encoded(c) && (c < 0xd800 || c > 0xdfff))
      listed += std::to_string(c) + " ";
  std::string expected;
  auto range = [&](unsigned first, unsigned last) {
    for (unsigned c = first; c <= last; ++c)
      if (c != '\t' && c != '?')
        expected += std::to_string(c) + " ";
  };
  range(0, 0x1f);
  range(0x7f, 0x9f);
  range(0x61c, 0x61c);
  range(0x200e, 0x200f);
  range(0x2028, 0x202e);
  range(0x2066, 0x2069);
  EXPECT_EQ(listed, expected);
}

TEST(Printable, BytesThatAreNotUtf8AreNot) {
  EXPECT_EQ(shown("\x9b"
                  "31m"),
            "?31m");
  EXPECT_EQ(shown("caf\xe9"), "caf?");
  EXPECT_EQ(shown("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"), "?????????");
  EXPECT_EQ(shown("\xe2\x82"), "??"); // cut off
  EXPECT_EQ(shown(encoded(0x110000)), "????");
}
