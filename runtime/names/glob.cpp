// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Glob patterns over names; see glob.h. They compare bytes and know no locale:
// fnmatch would decode multibyte text for each of a hundred thousand names. No
// state, no lock.
#include "names/glob.h"

#include <stdint.h>
#include <string.h>

namespace tprt {

// The end of a bracket expression that starts at `p` ('['), or nullptr.
static const char *bracketEnd(const char *p) {
  ++p;
  if (*p == '!' || *p == '^')
    ++p;
  if (*p == ']')
    ++p;
  while (*p && *p != ']')
    ++p;
  return *p ? p : nullptr;
}

// The end of the bracket expression at `p` if the expression accepts `c`, else
// nullptr. Not inlined, so that the loop of globMatches() stays short for
// literals and stars.
[[gnu::noinline]] static const char *matchBracket(const char *p,
                                                  unsigned char c) {
  const char *end = bracketEnd(p);
  bool isClass = end && (c != '[' || p[1] == '[' || p[1] == '!' || p[1] == '^');
  if (!isClass)
    return c == '[' ? p : nullptr;
  bool negated = *++p == '!' || *p == '^';
  p += negated;
  bool found = false;
  for (; p < end; ++p) {
    auto low = static_cast<unsigned char>(*p);
    auto high = low;
    if (p + 2 < end && p[1] == '-') {
      high = static_cast<unsigned char>(p[2]);
      p += 2;
    }
    found |= low <= c && c <= high;
  }
  return found != negated ? end : nullptr;
}

bool globMatches(const char *pattern, const char *text) {
  // On a mismatch, go back to the last star and let it take one byte more. This
  // is linear for one star, at worst quadratic, and never exponential.
  const char *star = nullptr, *retry = nullptr;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      retry = text;
      continue;
    }
    const char *end = // the end of what takes this byte
        *pattern == '[' ? matchBracket(pattern, static_cast<uint8_t>(*text))
        : *pattern == *text || *pattern == '?' ? pattern
                                               : nullptr;
    if (end) {
      pattern = end + 1;
      ++text;
    } else if (star) {
      pattern = star + 1;
      text = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    ++pattern;
  return !*pattern;
}

bool isGlob(const char *text) {
  return strchr(text, '*') || strchr(text, '?') || strchr(text, '[');
}

} // namespace tprt
