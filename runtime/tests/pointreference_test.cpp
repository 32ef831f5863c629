// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the texts of points with those of other formatters, for random
// formats and values: {} formats with {fmt}, printf formats with the C library.
#include "pointtext.h"

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <random>

using namespace test;
using detail::FormatField;

namespace {

constexpr unsigned kFormats = 20000;

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  uint64_t word() { return engine(); }
  size_t below(size_t end) { return engine() % end; }
  bool coin() { return below(2); }
  // One of the letters, or none.
  std::string maybe(const std::string &letters) {
    return coin() ? "" : std::string(1, letters[below(letters.size())]);
  }
  std::string maybeNumber(const char *before, size_t end) {
    return coin() ? "" : before + std::to_string(below(end));
  }
  // All sizes are equally frequent.
  uint64_t integer() {
    uint64_t number = word() >> below(64);
    return coin() ? number : 0 - number;
  }
  double floating() {
    switch (below(4)) {
    case 0:
      return fromBits(word());
    case 1: // ties
      return static_cast<double>(static_cast<int64_t>(integer())) / 64;
    case 2: // integers
      return std::ldexp(1 + below(1000), static_cast<int>(below(80)));
    default:
      return static_cast<double>(below(100'000'000)) / 1000;
    }
  }
  Argument argument(char type);

private:
  std::mt19937_64 engine;
};

// An argument of this type with a random value, as libtprt reads it in a hit.
Argument Random::argument(char type) {
  static const char *const strings[] = {"", "x", "a string", "caf\u00e9", "\n"};
  static tprt_characters views[std::size(strings)];
  size_t chosen = below(std::size(strings));
  switch (type) {
  case 'b':
    return of(coin());
  case 'c':
    return of(static_cast<char>(' ' + below('~' - ' ')));
  case 'a':
    return {type, static_cast<uint64_t>(static_cast<int8_t>(word()))};
  case 'h':
    return {type, static_cast<uint8_t>(word())};
  case 's':
    return {type, static_cast<uint64_t>(static_cast<int16_t>(word()))};
  case 't':
    return {type, static_cast<uint16_t>(word())};
  case 'i':
    return of(static_cast<int>(integer()));
  case 'j':
    return of(static_cast<unsigned>(integer()));
  case 'f':
    return of(static_cast<float>(floating()));
  case 'd':
    return of(floating());
  case 'z':
    return of(strings[chosen]);
  case 'v':
    views[chosen] = {strings[chosen], strlen(strings[chosen])};
    return of(views[chosen]);
  default: // long, unsigned long, pointers
    return {type, integer()};
  }
}

// --- {} ----------------------------------------------------------------------

std::string randomSpec(Random &random) {
  std::string spec;
  if (random.coin())
    spec = random.maybe("*_0 ~") + "<>^"[random.below(3)];
  spec += random.maybe("+- ") + random.maybe("#") + random.maybe("0");
  spec += random.maybeNumber("", 40) + random.maybeNumber(".", 30);
  return spec + random.maybe("bBcdoxXeEfFgGsp?");
}

// Whether {fmt} 9 formats this in the same manner as std::format, whose
// behaviour points follow. Another test compares the default text of
// floating-point numbers with std::to_chars (PointBraces).
bool isStandard(const FormatField &field, const Argument &argument) {
  if (field.zero && field.align != FormatAlign::None)
    return false; // {fmt} still pads with zeros.
  if (detail::isFloatingType(argument.type)) {
    bool finite = std::isfinite(fromBits(argument.word));
    bool general = field.type == 'g' || field.type == 'G';
    // {fmt} aligns inf and nan to the left, and never fills them with zeros.
    // For {:#g} it prints one zero too many.
    return field.type && !(general && field.alternate) &&
           (finite || !field.width);
  }
  if (field.type == 'c')
    return argument.type == 'c'; // In points, other integers need not fit a
                                 // char.
  return field.type != '?' || !field.width; // {fmt} counts quotes twice.
}

// {fmt} refuses a sign for an unsigned number. So unsigned numbers are passed
// as wider signed numbers. The same applies to bool and char if they are
// formatted as numbers.
std::string byFmt(const std::string &format, const Argument &argument,
                  bool asNumber) {
  auto text = [&](const auto &value) {
    return fmt::vformat(format, fmt::make_format_args(value));
  };
  __extension__ using Wide = __int128;
  uint64_t word = argument.word;
  switch (argument.type) {
  case 'b':
    return asNumber ? text(Wide{word}) : text(word != 0);
  case 'c':
    return asNumber ? text(Wide{word}) : text(static_cast<char>(word));
  case 'h':
  case 't':
  case 'j':
  case 'm':
    return text(Wide{word});
  case 'f':
    return text(static_cast<float>(fromBits(word)));
  case 'd':
    return text(fromBits(word));
  case 'p':
    return text(reinterpret_cast<const void *>(word));
  case 'z':
    return text(reinterpret_cast<const char *>(word));
  case 'v': {
    const auto *view = reinterpret_cast<const tprt_characters *>(word);
    return text(std::string_view(view->begin, view->size));
  }
  default:
    return text(static_cast<int64_t>(word));
  }
}

// A field that fits its argument, and its text according to {fmt}.
struct Field {
  explicit Field(Random &random);
  std::string spec, expected;
  Argument argument;
};

Field::Field(Random &random) {
  for (;;) {
    spec = randomSpec(random);
    std::string format = "{:" + spec + "}";
    FormatField field = detail::readBraces(format.c_str());
    argument = random.argument("bcahstijlmfdpzv"[random.below(15)]);
    if (field.failed() || !detail::bracesTake(field, argument.type) ||
        !isStandard(field, argument))
      continue;
    bool asNumber = field.type && detail::isOneOf(field.type, "bBdoxX");
    expected = byFmt(format, argument, asNumber);
    return;
  }
}

// --- printf ------------------------------------------------------------------

std::string byPrintf(const std::string &format, const FormatField &field,
                     const Argument &argument) {
  auto text = [&](auto value) {
    std::string out(4096, '?');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int size = snprintf(out.data(), out.size(), format.c_str(), value);
#pragma GCC diagnostic pop
    out.resize(static_cast<size_t>(size));
    return out;
  };
  uint64_t word = argument.word;
  if (detail::isFloatingType(argument.type))
    return text(fromBits(word));
  if (field.type == 's' || field.type == 'p')
    return text(reinterpret_cast<const char *>(word));
  return field.size == 8 ? text(static_cast<long>(word))
                         : text(static_cast<int>(word));
}

// A conversion that fits its argument, and its text according to snprintf.
struct Conversion {
  explicit Conversion(Random &random);
  std::string text, expected;
  Argument argument;
};

Conversion::Conversion(Random &random) {
  static const char *const sizes[] = {"", "", "hh", "h", "l", "ll", "j", "z"};
  for (;;) {
    text = "%" + random.maybe("-") + random.maybe("+") + random.maybe(" ") +
           random.maybe("#") + random.maybe("0");
    text += random.maybeNumber("", 40) + random.maybeNumber(".", 30);
    text += sizes[random.below(std::size(sizes))];
    text += "diuoxXcspeEfFgGaA"[random.below(17)];
    FormatField field = detail::readPrintf(text.c_str());
    argument = random.argument("bcahstijlmfdpz"[random.below(14)]);
    // For %#g the C library prints too few zeros (PointPrintf).
    bool general = field.type == 'g' || field.type == 'G';
    if (field.failed() || !detail::printfTakes(field, argument.type) ||
        (general && field.alternate))
      continue;
    expected = byPrintf(text, field, argument);
    return;
  }
}

} // namespace

TEST(PointReference, BracesAreThoseOfFmt) {
  Random random(1);
  for (unsigned i = 0; i < kFormats; ++i) {
    std::string format, expected;
    std::vector<Argument> arguments;
    bool numbered = random.coin();
    for (size_t count = 1 + random.below(4), at = 0; at < count; ++at) {
      Field field(random);
      std::string index = numbered ? std::to_string(at) : "";
      format += "{{" + ("{" + index + ":" + field.spec + "}") + "}}";
      expected += "{" + field.expected + "}";
      arguments.push_back(field.argument);
    }
    ASSERT_EQ(text(TPRT_POINT_STYLE_BRACES, format, arguments), expected)
        << format;
  }
}

TEST(PointReference, PrintfIsThatOfTheCLibrary) {
  Random random(2);
  for (unsigned i = 0; i < kFormats; ++i) {
    std::string format, expected;
    std::vector<Argument> arguments;
    for (size_t count = 1 + random.below(4); count; --count) {
      Conversion conversion(random);
      format += "100%% " + conversion.text;
      expected += "100% " + conversion.expected;
      arguments.push_back(conversion.argument);
    }
    ASSERT_EQ(text(TPRT_POINT_STYLE_PRINTF, format, arguments), expected)
        << format;
  }
}
