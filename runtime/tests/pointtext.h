// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of the texts of points: arguments of all types, their
// text by a format, and test numbers.
#ifndef TPRT_TESTS_POINTTEXT_H
#define TPRT_TESTS_POINTTEXT_H

#include "points/braces.h"
#include "points/printf.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace test {

using namespace tprt;

struct Argument {
  char type;
  uint64_t word;
};

inline Argument of(int value) { return {'i', static_cast<uint64_t>(value)}; }
inline Argument of(unsigned value) { return {'j', value}; }
inline Argument of(long value) { return {'l', static_cast<uint64_t>(value)}; }
inline Argument of(unsigned long value) { return {'m', value}; }
inline Argument of(bool value) { return {'b', value}; }
inline Argument of(char value) { return {'c', static_cast<uint64_t>(value)}; }
inline Argument of(const char *value) {
  return {'z', reinterpret_cast<uint64_t>(value)};
}
inline Argument of(const void *value) {
  return {'p', reinterpret_cast<uint64_t>(value)};
}
inline Argument of(double value) {
  Argument argument{'d', 0};
  memcpy(&argument.word, &value, sizeof value);
  return argument;
}
inline Argument of(float value) { return {'f', of(double{value}).word}; }
inline Argument of(const tprt_characters &value) {
  return {'v', reinterpret_cast<uint64_t>(&value)};
}

inline std::string text(uint8_t style, const std::string &format,
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

inline double fromBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::vector<double> doubles() {
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

} // namespace test

#endif
