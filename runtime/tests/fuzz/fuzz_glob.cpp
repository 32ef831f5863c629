// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes globs. The input is a pattern, a zero byte, and a text. Each pattern
// without a fault must match the same texts as the plain definition of globs
// below.
#include "names/path_glob.h"

#include <cstdlib>
#include <cstring>
#include <string>

// Matches one element of a pattern with one byte. *next becomes the position
// after the element.
static bool matchesOne(const char *pattern, unsigned char c,
                       const char **next) {
  *next = pattern + 1;
  if (*pattern != '[')
    return *pattern == '?' || static_cast<unsigned char>(*pattern) == c;
  const char *p = pattern + 1;
  bool negated = *p == '!' || *p == '^', found = false;
  p += negated;
  if (!*p || !strchr(p + 1, ']')) // the bracket is not closed
    return c == '[';
  for (bool first = true; first || *p != ']'; first = false) {
    auto low = static_cast<unsigned char>(p[0]), high = low;
    bool range = p[1] == '-' && p[2] && p[2] != ']';
    if (range)
      high = static_cast<unsigned char>(p[2]);
    found |= low <= c && c <= high;
    p += range ? 3 : 1;
  }
  *next = p + 1;
  return found != negated;
}

static bool matches(const char *pattern, const char *text) {
  if (!*pattern)
    return !*text;
  if (*pattern == '*')
    return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
  const char *next;
  return *text &&
         matchesOne(pattern, static_cast<unsigned char>(*text), &next) &&
         matches(next, text + 1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  std::string all(reinterpret_cast<const char *>(data), bytes);
  size_t end = all.find('\0');
  std::string pattern = all.substr(0, end),
              text =
                  end == std::string::npos ? "" : all.substr(end + 1).c_str();
  bool found = tprt::globMatches(pattern.c_str(), text.c_str());
  // The definition needs exponential time. The definition has no alternatives
  // and escapes. It also does not cover a bracket in a name that is compared
  // with a bracket in the pattern that may begin a class.
  bool isPlain = pattern.find('[') == std::string::npos ||
                 text.find('[') == std::string::npos;
  isPlain = isPlain && pattern.find_first_of("{\\") == std::string::npos;
  if (isPlain && !tprt::globFault(pattern.c_str()) &&
      pattern.size() + text.size() < 24 &&
      found != matches(pattern.c_str(), text.c_str()))
    abort();
  return 0;
}
