// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Glob patterns over symbol names: bytes, no locale (fnmatch would decode
// multibyte text for every one of a hundred thousand names).
#include "core/sites.h"

#include <string.h>

namespace tprt {

bool isGlob(const char *pattern) { return strpbrk(pattern, "*?["); }

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

const char *globFault(const char *pattern) {
  if (!*pattern)
    return "is empty";
  for (const char *p = pattern; *p; ++p)
    if (*p == '[' && !(p = bracketEnd(p)))
      return "has a '[' without its ']'";
  return nullptr;
}

static bool bracketMatches(const char *p, const char *end, unsigned char c) {
  ++p;
  bool negated = *p == '!' || *p == '^';
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
  return found != negated;
}

bool globMatches(const char *pattern, const char *text) {
  // On a mismatch go back to the last star and let it take one byte more:
  // linear for one star, at worst quadratic, never exponential.
  const char *star = nullptr, *retry = nullptr;
  while (*text) {
    bool same = false;
    const char *next = pattern + 1;
    if (*pattern == '*') {
      star = pattern++;
      retry = text;
      continue;
    }
    if (*pattern == '[') {
      const char *end = bracketEnd(pattern);
      same = end &&
             bracketMatches(pattern, end, static_cast<unsigned char>(*text));
      next = end ? end + 1 : next;
    } else {
      same = *pattern == '?' || *pattern == *text;
    }
    if (same && *pattern) {
      pattern = next;
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

const char *fileNameOf(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool globMatchesPath(const char *pattern, const char *path) {
  return globMatches(pattern, path) || globMatches(pattern, fileNameOf(path));
}

} // namespace tprt
