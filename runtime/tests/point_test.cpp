// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the functions of tprt/point.h for handlers of points, with artificial
// hits: arguments and text. pointprint_test.cpp and pointrecord_test.cpp test
// lines and records. pointprintf_test.cpp and pointbraces_test.cpp test the
// texts of formats.
#include "pointhit.h"

#include <sys/mman.h>

using namespace test;

TEST(Point, ArgumentsHaveTheirTypes) {
  int object;
  Hit hit(0, "ijdpzb", "%d%u%f%p%s%d",
          {~uint64_t{4}, 7, bitsOf(1.5), word(&object), word("text"), 1});
  ASSERT_EQ(tprt_point_argument_count(hit.event()), 6u);
  tprt_argument a[6];
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(tprt_point_argument(hit.event(), &hit.regs, i, &a[i]), 1);
  EXPECT_EQ(a[0].type, TPRT_ARGUMENT_INT);
  EXPECT_EQ(a[0].value.i, -5);
  EXPECT_EQ(a[1].value.u, 7u);
  EXPECT_EQ(a[2].value.d, 1.5);
  EXPECT_EQ(a[3].value.p, &object);
  EXPECT_EQ(std::string(a[4].value.s, a[4].length), "text");
  EXPECT_EQ(a[5].value.i, 1);
  EXPECT_EQ(a[5].length, 0u);
  EXPECT_EQ(tprt_point_argument(hit.event(), &hit.regs, 6, &a[0]), 0);
  EXPECT_EQ(a[0].type, 0);
}

// The bits of a word beyond its type's size are undefined bits of the register.
TEST(Point, BitsBeyondATypesSizeDoNotCount) {
  struct {
    char type;
    uint64_t word;
    int64_t value;
    const char *printf, *text, *inBraces;
  } cases[] = {
      {'b', 0xab00, 0, "%d", "0", "false"},
      {'b', 0xab01, 1, "%d", "1", "true"},
      {'c', 0xab41, 'A', "%c", "A", "A"},
      {'a', 0xabfe, -2, "%d", "-2", "-2"},
      {'h', 0xabfe, 254, "%d", "254", "254"},
      {'s', 0xabfffe, -2, "%d", "-2", "-2"},
      {'t', 0xabfffe, 65534, "%d", "65534", "65534"},
      {'i', 0xabfffffffe, -2, "%ld", "-2", "-2"},
      {'j', 0xabfffffffe, 4294967294, "%lu", "4294967294", "4294967294"},
  };
  for (const auto &one : cases) {
    uint64_t word = one.word | uint64_t{0xdead} << 48;
    std::string type(1, one.type);
    tprt_argument argument;
    Hit printf(0, type, one.printf, {word});
    EXPECT_EQ(tprt_point_argument(printf.event(), &printf.regs, 0, &argument),
              1);
    EXPECT_EQ(argument.value.i, one.value) << type;
    EXPECT_EQ(textOf(printf), one.text) << type;
    EXPECT_EQ(textOf({1, type, "{}", {word}}), one.inBraces) << type;
    EXPECT_EQ(textOf({0, type, "%lx", {word}}),
              textOf({0, "l", "%lx", {static_cast<uint64_t>(one.value)}}))
        << type;
  }
  // A precision, whose upper bits are ignored as well.
  const uint64_t three = uint64_t{0xdead} << 32 | 3;
  EXPECT_EQ(textOf({0, "iz", "%.*s", {three, word("abcdef")}}), "abc");
}

TEST(Point, TwelveArgumentsArrive) {
  std::vector<uint64_t> words;
  for (uint64_t i = 1; i <= TPRT_MOST_ARGUMENTS; ++i)
    words.push_back(i);
  Hit hit(1, "iiiiiiiiiiii", "{}{}{}{}{}{}{}{}{}{}{}{}", words);
  EXPECT_EQ(textOf(hit), "123456789101112");
  tprt_argument last;
  EXPECT_EQ(tprt_point_argument(hit.event(), &hit.regs, 11, &last), 1);
  EXPECT_EQ(last.value.i, 12);
}

TEST(Point, AStringArgumentIsBoundedByItsPrecision) {
  const char letters[] = {'a', 'b', 'c', 'd'};
  tprt_argument string;
  Hit printf(0, "iiz", "%d %.*s", {1, 3, word(letters)});
  tprt_point_argument(printf.event(), &printf.regs, 2, &string);
  EXPECT_EQ(string.length, 3u);
  Hit braces(1, "zi", "{1} {0:.2}", {word(letters), 1});
  tprt_point_argument(braces.event(), &braces.regs, 0, &string);
  EXPECT_EQ(string.length, 2u);
  // The longer of the two uses counts.
  Hit twice(1, "z", "{0:.2} {0:.4}", {word(letters)});
  tprt_point_argument(twice.event(), &twice.regs, 0, &string);
  EXPECT_EQ(string.length, 4u);
  Hit null(0, "z", "%s", {0});
  tprt_point_argument(null.event(), &null.regs, 0, &string);
  EXPECT_EQ(string.value.s, nullptr);
}

TEST(Point, TextIsCutAtTheRoom) {
  Hit hit(0, "i", "value %d", {12345});
  char out[9] = "????????";
  EXPECT_EQ(tprt_point_format(hit.event(), &hit.regs, out, 8), 11u);
  EXPECT_STREQ(out, "value 1");
  EXPECT_EQ(tprt_point_format(hit.event(), &hit.regs, nullptr, 0), 11u);
}

TEST(Point, AFunctionsHitHasNoText) {
  Hit hit(0, "i", "value %d", {12345});
  tprt_event event = *hit.event();
  event.kind = TPRT_KIND_ENTRY;
  char out[8] = "x";
  EXPECT_EQ(tprt_point_format(&event, &hit.regs, out, sizeof out), 0u);
  EXPECT_STREQ(out, "");
  EXPECT_EQ(tprt_point_argument_count(&event), 0u);
}
