// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the texts of points in the printf style against snprintf.
#include "pointtext.h"

#include <random>

using namespace test;

namespace {

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

static const char kFloating[] = "fFeEgGaA";

// The expected output of snprintf. glibc 2.36 omits zeros of %#g if the number
// is rounded up to a power of ten ("1.e+06" for 999999.5). So that form is
// composed from %e and %f, as the C standard defines it.
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
  // No NUL follows, and AddressSanitizer detects one byte too many.
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
