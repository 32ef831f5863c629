// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the texts of points in the style of braces, against std::to_chars and
// against expected texts. Also tests both styles with little room and with
// random formats.
#include "pointtext.h"

#include <charconv>
#include <memory>
#include <random>

using namespace test;

TEST(PointBraces, DefaultForms) {
  EXPECT_EQ(braced("{} {} {} {} {} {}", 1, -2L, true, 'c', "s", 0.1),
            "1 -2 true c s 0.1");
  EXPECT_EQ(braced("{}", static_cast<const void *>(nullptr)), "0x0");
  EXPECT_EQ(braced("{{{}}}", 1), "{1}");
  EXPECT_EQ(braced("{1}{0}{1}", 1, 2), "212");
  EXPECT_EQ(braced("{} {}", 1e20, 1e-7f), "1e+20 1e-07");
}

TEST(PointBraces, Integers) {
  EXPECT_EQ(braced("{:b} {:#b} {:#B} {:#o} {:#x} {:#X}", 5, 5, 5, 8, 255, 255),
            "101 0b101 0B101 010 0xff 0XFF");
  EXPECT_EQ(braced("{:#o} {:#x} {:x} {:+} {: }", 0, 0, -255, 5, 5),
            "0 0x0 -ff +5  5");
  EXPECT_EQ(braced("{:06}|{:<06}|{:#06x}|{:06}", 42, 42, 42, -42),
            "000042|42    |0x002a|-00042");
  EXPECT_EQ(braced("{:*^9}|{:>5}|{:<5}|{:5}", 42, 42, 42, 42),
            "***42****|   42|42   |   42");
  EXPECT_EQ(braced("{:c}{:d} {:d} {:x}", 65, 'A', true, '\xff'), "A65 1 ff");
  EXPECT_EQ(braced("{:b}", ULONG_MAX), std::string(64, '1'));
  EXPECT_EQ(braced("{}", LONG_MIN), "-9223372036854775808");
}

TEST(PointBraces, Strings) {
  EXPECT_EQ(braced("{:5}|{:>5}|{:-^5}|{:.2}|{:5.2}", "abc", "abc", "abc", "abc",
                   "abc"),
            "abc  |  abc|-abc-|ab|ab   ");
  EXPECT_EQ(braced("{:\u00e9>4}|{:4}|{:.1}", "ab", "\u00e9", "\u00e9x"),
            "\u00e9\u00e9ab|\u00e9   |\u00e9");
  EXPECT_EQ(braced("{:7}|{:>7}|{:s}", true, false, true),
            "true   |  false|true");
  EXPECT_EQ(braced("{:?} {:?} {:?}", "a\"b\n\x1b\xff\u00e9\\'", 'c', '\''),
            "\"a\\\"b\\n\\u{1b}\\x{ff}\u00e9\\\\'\" 'c' '\\''");
  EXPECT_EQ(braced("{:_^9?}", "\u00e9"), "___\"\u00e9\"___");
}

TEST(PointBraces, FloatingPointNumbers) {
  EXPECT_EQ(
      braced("{:f} {:e} {:g} {:.2f} {:.3}", 1.5, 1.5, 1.5, 1.5625, 12345.678),
      "1.500000 1.500000e+00 1.5 1.56 1.23e+04");
  EXPECT_EQ(
      braced("{:#} {:#.0f} {:#g} {:+} {:08.2f}", 1.0, 2.0, 1.5, 0.5, -1.5),
      "1. 2. 1.50000 +0.5 -0001.50");
  EXPECT_EQ(braced("{:a} {:A} {:.1a}", 1.5, 255.5, 1.96875),
            "1.8p+0 1.FFP+7 2.0p+0");
  EXPECT_EQ(braced("{} {:F} {:05} {:<5}|", INFINITY, -NAN, INFINITY, NAN),
            "inf -NAN   inf nan  |");
}

TEST(PointBraces, FaultsAreShown) {
  EXPECT_EQ(braced("{:d}", "s"), "{!:d}(string)");
  EXPECT_EQ(braced("{:s} {:.2} {:x} {:+}", 1, 2, 0.5, "s"),
            "{!:s}(int) {!:.2}(int) {!:x}(double) {!:+}(string)");
  EXPECT_EQ(braced("{} {}", 1), "1 {!}(missing)");
  EXPECT_EQ(braced("{}", 1, 2, 3), "1 %!(2 more)");
  EXPECT_EQ(braced("{:{}} {:L} {:q}", 1, 2),
            "{!:{}}(refused) {!:L}(refused) {!:q}(refused)");
  EXPECT_EQ(braced("a{", 1), "a{!(unfinished)");
  EXPECT_EQ(braced("a{:5", 1), "a{!:5(unfinished)");
  EXPECT_EQ(braced("{99}", 1), "{!99}(missing) %!(1 more)");
}

template <class Type> static std::string shortest(Type value) {
  char out[400];
  return {out, std::to_chars(out, out + sizeof out, value).ptr};
}

TEST(PointBraces, TheShortestTextThatReadsBack) {
  std::mt19937_64 random(2);
  auto compare = [](double value) {
    ASSERT_EQ(braced("{}", value), shortest(value)) << std::hexfloat << value;
    auto single = static_cast<float>(value);
    ASSERT_EQ(braced("{}", single), shortest(single))
        << std::hexfloat << single;
  };
  for (double value : doubles())
    if (!std::isnan(value))
      compare(value);
  for (int exponent = -1074; exponent < 1024; ++exponent)
    compare(std::ldexp(1, exponent));
  for (unsigned i = 0; i < 20000; ++i) {
    double value = fromBits(random());
    if (i % 3 == 1)
      value = fromBits(random() >> (12 + random() % 50));
    if (i % 3 == 2)
      value = static_cast<double>(random() % 100'000'000) / 1000;
    if (!std::isnan(value))
      compare(value);
  }
}

TEST(PointBraces, FloatsAreReadByTheirOwnPrecision) {
  std::mt19937 random(3);
  for (unsigned i = 0; i < 20000; ++i) {
    uint32_t bits =
        static_cast<uint32_t>(random()) >> (i % 2 ? random() % 31 : 0);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!std::isnan(value))
      ASSERT_EQ(braced("{}", value), shortest(value)) << std::hexfloat << value;
  }
}

TEST(PointBraces, HexadecimalFormsAreThoseOfToChars) {
  std::mt19937_64 random(4);
  auto compare = [](double value) {
    char out[400];
    auto end =
        std::to_chars(out, out + sizeof out, value, std::chars_format::hex);
    ASSERT_EQ(braced("{:a}", value), std::string(out, end.ptr));
    end =
        std::to_chars(out, out + sizeof out, value, std::chars_format::hex, 5);
    ASSERT_EQ(braced("{:.5a}", value), std::string(out, end.ptr));
  };
  for (double value : doubles())
    compare(value);
  for (unsigned i = 0; i < 10000; ++i)
    compare(fromBits(random()));
}

// --- room and random input ---------------------------------------------------

TEST(PointText, WhatDoesNotFitIsCounted) {
  Argument argument = of(1.5);
  for (const char *format : {"value %.30f", "%-40e|", "%#a", "%040g"}) {
    Values values{"d", 1, &argument.word};
    std::string whole = printed(format, 1.5);
    for (size_t room = 0; room <= whole.size() + 1; ++room) {
      // The exact size lets AddressSanitizer detect a single byte too many.
      std::unique_ptr<char[]> out(new char[room]);
      Text to(out.get(), room);
      formatPrintf(to, format, values);
      EXPECT_EQ(to.size(), whole.size());
      EXPECT_EQ(std::string(out.get(), to.stored()), whole.substr(0, room));
    }
  }
}

TEST(PointText, NoFormatReadsOrWritesOutside) {
  std::mt19937 random(5);
  const std::string parts =
      "%%{{}}:.*-+ #0'123456789hlLjztqdiouxXcspfFeEgGaAn$<>^bB?\xc3\xa9";
  const std::string types = "bcahstijlmfdpzv";
  std::unique_ptr<char[]> letters(new char[4]);
  memcpy(letters.get(), "ab\xc3", 4); // with its NUL
  tprt_characters view = {letters.get(), 3};
  for (unsigned i = 0; i < 100000; ++i) {
    std::string format, letter;
    std::vector<uint64_t> words;
    for (unsigned n = random() % 20; n; --n)
      format += parts[random() % parts.size()];
    for (unsigned n = random() % 5; n; --n) {
      letter += types[random() % types.size()];
      uint64_t word = uint64_t{random()} << 32 | random();
      if (letter.back() == 'z')
        word = random() % 4 ? reinterpret_cast<uint64_t>(letters.get()) : 0;
      else if (letter.back() == 'v')
        word = reinterpret_cast<uint64_t>(&view);
      else if (random() % 2)
        word %= 50;
      words.push_back(word);
    }
    std::unique_ptr<char[]> exact(new char[format.size() + 1]);
    memcpy(exact.get(), format.c_str(), format.size() + 1);
    Values values{letter.c_str(), static_cast<unsigned>(letter.size()),
                  words.data()};
    size_t room = random() % 40;
    std::unique_ptr<char[]> out(new char[room]);
    for (uint8_t style : {TPRT_POINT_STYLE_PRINTF, TPRT_POINT_STYLE_BRACES}) {
      Text to(out.get(), room);
      formatValues(to, style, exact.get(), values);
      for (unsigned index = 0; index < values.count; ++index)
        boundOf(style, exact.get(), values, index);
    }
  }
}
