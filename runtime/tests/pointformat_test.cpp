// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the text that points have: the printf style against snprintf, braces
// against std::to_chars and against texts written by hand. What handlers of
// points do with that text is in point_test.cpp.
#include "optional/points/values.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace tprt;

namespace {

struct Argument {
  char type;
  uint64_t word;
};

Argument of(int value) { return {'i', static_cast<uint64_t>(value)}; }
Argument of(unsigned value) { return {'j', value}; }
Argument of(long value) { return {'l', static_cast<uint64_t>(value)}; }
Argument of(unsigned long value) { return {'m', value}; }
Argument of(bool value) { return {'b', value}; }
Argument of(char value) { return {'c', static_cast<uint64_t>(value)}; }
Argument of(const char *value) {
  return {'z', reinterpret_cast<uint64_t>(value)};
}
Argument of(const void *value) {
  return {'p', reinterpret_cast<uint64_t>(value)};
}
Argument of(double value) {
  Argument argument{'d', 0};
  memcpy(&argument.word, &value, sizeof value);
  return argument;
}
Argument of(float value) { return {'f', of(double{value}).word}; }
Argument of(const tprt_characters &value) {
  return {'v', reinterpret_cast<uint64_t>(&value)};
}

std::string text(uint8_t style, const std::string &format,
                 const std::vector<Argument> &arguments) {
  std::string types;
  std::vector<uint64_t> words;
  for (const Argument &argument : arguments) {
    types += argument.type;
    words.push_back(argument.word);
  }
  Values values{types.c_str(), static_cast<unsigned>(types.size()),
                words.data()};
  std::string out(8192, '?');
  Text to(out.data(), out.size());
  formatValues(to, style, format.c_str(), values);
  out.resize(to.stored());
  EXPECT_TRUE(to.size() == out.size() || to.size() > 8192);
  return out;
}

template <class... T>
std::string printed(const std::string &format, const T &...arguments) {
  return text(TPRT_POINT_STYLE_PRINTF, format, {of(arguments)...});
}
template <class... T>
std::string braced(const std::string &format, const T &...arguments) {
  return text(TPRT_POINT_STYLE_BRACES, format, {of(arguments)...});
}

template <class... T>
std::string expected(const std::string &format, T... arguments) {
  std::string out(8192, '?');
  int size = snprintf(out.data(), out.size(), format.c_str(), arguments...);
  out.resize(static_cast<size_t>(size));
  return out;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

// Every set of the flags, with these widths and precisions.
template <class Try>
void forEachSpec(const std::vector<std::string> &widths,
                 const std::vector<std::string> &precisions, Try attempt) {
  for (unsigned flags = 0; flags < 32; ++flags) {
    std::string begin = "<%";
    for (unsigned i = 0; i < 5; ++i)
      if (flags >> i & 1)
        begin += "-+ #0"[i];
    for (const std::string &width : widths)
      for (const std::string &precision : precisions)
        attempt(begin + width + precision);
  }
}

const std::vector<std::string> kWidths = {"", "7", "30"};
const std::vector<std::string> kPrecisions = {"", ".", ".1", ".9", ".25"};

std::vector<uint64_t> integers() {
  std::vector<uint64_t> all = {0, 7, 8, 99999};
  for (unsigned shift : {8, 15, 31, 32, 63})
    for (uint64_t less : {0, 1})
      all.push_back((uint64_t{1} << shift) - less);
  for (size_t i = 0, count = all.size(); i < count; ++i)
    all.push_back(0 - all[i]);
  return all;
}

template <class Type>
void compareIntegers(const char *modifier, const char *conversions) {
  for (uint64_t value : integers())
    forEachSpec(kWidths, kPrecisions, [&](const std::string &begin) {
      for (const char *c = conversions; *c; ++c) {
        std::string format = begin + modifier + *c + ">";
        auto number = static_cast<Type>(value);
        ASSERT_EQ(printed(format, number), expected(format, number))
            << format << " " << value;
      }
    });
}

} // namespace

TEST(PointPrintf, IntegersAreThoseOfSnprintf) {
  compareIntegers<int>("", "di");
  compareIntegers<unsigned>("", "uoxX");
  compareIntegers<long>("l", "d");
  compareIntegers<unsigned long>("l", "uoxX");
  compareIntegers<int>("hh", "duxo");
  compareIntegers<int>("h", "duxo");
}

TEST(PointPrintf, ModifiersOf64BitsAreOne) {
  for (const char *modifier : {"l", "ll", "j", "z", "t", "q"}) {
    std::string format = std::string("%") + modifier;
    EXPECT_EQ(printed(format + "d", LONG_MIN), "-9223372036854775808");
    EXPECT_EQ(printed(format + "u", ULONG_MAX), "18446744073709551615");
  }
}

TEST(PointPrintf, TheModifierTruncates) {
  EXPECT_EQ(printed("%hhd %hd %u", 300, 70000, -1), "44 4464 4294967295");
  EXPECT_EQ(printed("%d", (1L << 40) + 5), "5");
}

TEST(PointPrintf, CharactersPointersAndStringsAreThoseOfSnprintf) {
  const void *addresses[] = {nullptr, "", reinterpret_cast<void *>(0x7f12)};
  forEachSpec(kWidths, kPrecisions, [&](const std::string &begin) {
    for (const void *address : addresses)
      ASSERT_EQ(printed(begin + "p>", address), expected(begin + "p>", address))
          << begin;
    for (const char *string : {"", "x", "a string of some length"})
      ASSERT_EQ(printed(begin + "s>", string), expected(begin + "s>", string))
          << begin;
    const char *none = nullptr;
    ASSERT_EQ(printed(begin + "s>", none), expected(begin + "s>", none));
    ASSERT_EQ(printed(begin + "c>", 'q'), expected(begin + "c>", 'q'));
  });
  EXPECT_EQ(printed("%c", '\0'), std::string(1, '\0'));
  EXPECT_EQ(printed("100%% %5% %s", "a"), "100% %!5%(refused) %!s(missing)");
}

TEST(PointPrintf, DigitsAreNotGrouped) {
  EXPECT_EQ(printed("%'d %'.1f", 1234567, 1234567.5), "1234567 1234567.5");
}

TEST(PointPrintf, TextAroundConversionsIsKept) {
  EXPECT_EQ(printed(""), "");
  EXPECT_EQ(printed("plain"), "plain");
  EXPECT_EQ(printed("a%d%sb%xc", 1, "two", 3u), "a1twob3c");
}

static double fromBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static std::vector<double> doubles() {
  std::vector<double> all = {0,
                             1,
                             2.5,
                             0.5,
                             0.125,
                             1.0 / 3,
                             9.5,
                             99.5,
                             0.05,
                             0.15,
                             123456.5,
                             1e15,
                             1e16,
                             123456789012345678.,
                             1e22,
                             1e23,
                             1e-5,
                             1e-4,
                             0.00012,
                             9.9999e5,
                             999999.5,
                             DBL_MAX,
                             DBL_MIN,
                             DBL_EPSILON,
                             INFINITY,
                             NAN,
                             5e-324,
                             4.9e-320,
                             2.2250738585072011e-308,
                             1.7976931348623155e308,
                             0.999999999,
                             8.41e21,
                             9007199254740993.,
                             4503599627370496.5,
                             2097151.9990234375};
  for (size_t i = 0, count = all.size(); i < count; ++i)
    all.push_back(-all[i]);
  return all;
}

static const char kFloating[] = "fFeEgGaA";

// What snprintf prints. glibc 2.36 omits zeros of %#g where the number is
// rounded up to a power of ten ("1.e+06" for 999999.5). So that form is put
// together from %e and %f, as the C standard defines it.
static std::string expectedDouble(const std::string &begin, char conversion,
                                  double value) {
  bool general = conversion == 'g' || conversion == 'G';
  if (!general || begin.find('#') == std::string::npos || !std::isfinite(value))
    return expected(begin + conversion + ">", value);
  size_t point = begin.find('.');
  int precision = 6;
  if (point != std::string::npos)
    precision = atoi(begin.c_str() + point + 1);
  precision = precision ? precision : 1;
  std::string exact = expected("%.*e", precision - 1, value);
  int exponent = atoi(exact.c_str() + exact.find('e') + 1);
  bool fixed = exponent >= -4 && exponent < precision;
  int digits = fixed ? precision - 1 - exponent : precision - 1;
  char other = static_cast<char>(conversion - (fixed ? 1 : 2));
  return expected(begin.substr(0, point) + "." + std::to_string(digits) +
                      other + ">",
                  value);
}

static void compareDouble(const std::string &begin, double value) {
  for (const char *c = kFloating; *c; ++c) {
    std::string format = begin + *c + ">";
    ASSERT_EQ(printed(format, value), expectedDouble(begin, *c, value))
        << format << " " << std::hexfloat << value;
  }
}

TEST(PointPrintf, FloatingPointNumbersAreThoseOfSnprintf) {
  for (double value : doubles())
    forEachSpec({"", "30"}, {"", ".", ".1", ".3", ".12"},
                [&](const std::string &begin) { compareDouble(begin, value); });
}

TEST(PointPrintf, HugePrecisionsAreExact) {
  for (double value : doubles())
    for (const char *begin : {"<%.40", "<%.400", "<%.1074", "<%.1100",
                              "<%#.1200", "<%01500.1100", "<%.4000"})
      compareDouble(begin, value);
  EXPECT_EQ(printed("%.4000000000f", 1.0).size(), 8192u);
}

TEST(PointPrintf, RandomNumbersAreThoseOfSnprintf) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 5000; ++i) {
    double value = fromBits(random());
    if (i % 4 == 1) // denormals
      value = fromBits(random() >> (12 + random() % 50));
    if (i % 4 == 2) // halves of a unit, which are ties
      value = static_cast<double>(random() % 200000) / 64;
    std::string precision = "." + std::to_string(random() % 20);
    compareDouble("<%" + precision, value);
    compareDouble("<%#25" + precision, value);
  }
}

TEST(PointPrintf, AFloatIsShownAsItsDouble) {
  EXPECT_EQ(printed("%.10f %g", 0.1f, 0.1f), "0.1000000015 0.1");
}

TEST(PointPrintf, ThePrecisionBoundsWhatIsRead) {
  // No NUL follows, and AddressSanitizer sees a byte too many.
  std::unique_ptr<char[]> letters(new char[5]);
  memcpy(letters.get(), "abcde", 5);
  const char *string = letters.get();
  EXPECT_EQ(printed("%.5s|", string), "abcde|");
  EXPECT_EQ(printed("%.*s|%d", 3, string, 7), "abc|7");
  EXPECT_EQ(printed("%.*s|", 0, string), "|");
  EXPECT_EQ(braced("{:.5}|{:.2s}", string, string), "abcde|ab");
  EXPECT_EQ(printed("%.*s|%.*d", -1, "all", 5, 42), "all|00042");
}

TEST(PointPrintf, StringsWithALength) {
  tprt_characters view = {"hello world", 5}, none = {nullptr, 0};
  EXPECT_EQ(printed("%s|%.2s|%7s|%s", view, view, view, none),
            "hello|he|  hello|");
  tprt_characters nul = {"a\0b", 3};
  EXPECT_EQ(printed("%s", nul), std::string("a\0b", 3));
}

TEST(PointPrintf, LongStringsAreCut) {
  std::string most(TPRT_STRING_LIMIT, 'x'), more = most + "y";
  EXPECT_EQ(printed("%s", most.c_str()), most);
  EXPECT_EQ(printed("%s|", more.c_str()), most + "...|");
  EXPECT_EQ(printed("%.1023s|", more.c_str()), most + "|");
  EXPECT_EQ(braced("{}|", more.c_str()), most + "...|");
}

TEST(PointPrintf, AddressesThatNoStringHas) {
  const auto *low = reinterpret_cast<const char *>(0x17);
  const auto *high = reinterpret_cast<const char *>(~uint64_t{0} - 100);
  EXPECT_EQ(printed("%s %s", low, high), "(bad address) (bad address)");
  tprt_characters view = {low, 5};
  EXPECT_EQ(braced("{} {}", low, view), "(bad address) (bad address)");
  EXPECT_EQ(braced("{}", static_cast<const char *>(nullptr)), "(null)");
}

TEST(PointPrintf, FaultsAreShown) {
  EXPECT_EQ(printed("%d", "s"), "%!d(string)");
  EXPECT_EQ(printed("%s %f %p", 1, 2, 3.0), "%!s(int) %!f(int) %!p(double)");
  EXPECT_EQ(printed("%d %d", 1), "1 %!d(missing)");
  EXPECT_EQ(printed("%d", 1, 2, 3), "1 %!(2 more)");
  EXPECT_EQ(printed("%n|%d", 1, 2), "%!n(refused)|2");
  EXPECT_EQ(printed("%*d|%d", 1, 2, 3), "%!*d(refused)|3");
  EXPECT_EQ(printed("%2$d %1$d", 1, 2), "%!2$d(refused) %!1$d(refused)");
  EXPECT_EQ(printed("%ls %lc %Lf %k", 1, 2, 3, 4),
            "%!ls(refused) %!lc(refused) %!Lf(refused) %!k(refused)");
  EXPECT_EQ(printed("%.*s", "x", "y"), "%!.*s(string)");
  EXPECT_EQ(printed("a%"), "a%!(unfinished)");
  EXPECT_EQ(printed("a%-5", 1), "a%!-5(unfinished) %!(1 more)");
}

// --- braces ------------------------------------------------------------------

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

// --- room and random input
// -----------------------------------------------------

TEST(PointText, WhatDoesNotFitIsCounted) {
  Argument argument = of(1.5);
  for (const char *format : {"value %.30f", "%-40e|", "%#a", "%040g"}) {
    Values values{"d", 1, &argument.word};
    std::string whole = printed(format, 1.5);
    for (size_t room = 0; room <= whole.size() + 1; ++room) {
      // AddressSanitizer sees a byte too many.
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
