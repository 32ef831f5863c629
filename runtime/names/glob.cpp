// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Glob patterns over names; see glob.h. Patterns are compared bytewise, without
// a locale: fnmatch would decode multibyte text for each of a hundred thousand
// names. No state, no lock.
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

// The end of the bracket expression at `p` if the expression accepts `c`,
// otherwise nullptr. Not inlined, so that the loop of globMatches() stays short
// for literals and stars.
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

// `isCertain` is set if whatever follows `text` does not change the result.
static inline bool matchPlain(const char *pattern, const char *text,
                              bool &isCertain) {
  // On a mismatch, returns to the last star and lets it match one more byte.
  // The time is linear for one star, quadratic in the worst case, and never
  // exponential.
  const char *star = nullptr, *retry = nullptr;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      retry = text;
      continue;
    }
    const char *end = // the end of the item that matches this byte
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
      isCertain = true;
      return false;
    }
  }
  for (; *pattern == '*'; ++pattern)
    star = pattern;
  isCertain = !*pattern && star && !star[1];
  return !*pattern;
}

bool plainGlobMatches(const char *pattern, const char *text) {
  bool isCertain;
  return matchPlain(pattern, text, isCertain);
}

bool plainGlobMatchesBeginning(const char *pattern, const char *beginning,
                               bool &isCertain) {
  return matchPlain(pattern, beginning, isCertain);
}

// The positions of the alternatives in a pattern.
struct Alternatives {
  static constexpr size_t kMost = 4096; // bytes of a pattern
  // Indexed by position, for the brace that opens a group and for each comma
  // that ends an alternative: the position of another comma of the group. 0
  // means that there is none.
  uint16_t next[kMost];
  // For these positions and for the brace that closes the group: the position
  // of the closing brace. 0 means an ordinary character.
  uint16_t close[kMost];
  bool any = false;

  // Returns whether the pattern is short enough.
  bool read(const char *pattern);
};

// Whether `at` is in the name of an operator: operator<, operator->.
static bool isOperatorAt(const char *pattern, size_t at) {
  static constexpr char kWord[] = "operator";
  constexpr size_t kLength = sizeof kWord - 1;
  return at >= kLength && memcmp(pattern + at - kLength, kWord, kLength) == 0;
}

bool Alternatives::read(const char *pattern) {
  size_t length = strnlen(pattern, kMost);
  if (length == kMost)
    return false;
  memset(next, 0, (length + 1) * sizeof *next);
  memset(close, 0, (length + 1) * sizeof *close);
  // While a bracket is open, its `close` is the position after the enclosing
  // bracket.
  size_t open = 0;
  size_t parentheses = 0, braces = 0; // how many of the open brackets are
                                      // parentheses or braces
  auto pop = [&] {
    size_t at = open - 1;
    open = close[at];
    close[at] = 0;
    parentheses -= pattern[at] == '(';
    braces -= pattern[at] == '{';
    return at;
  };
  for (size_t i = 0; i < length; ++i) {
    char c = pattern[i];
    if (c == '\\' && pattern[i + 1]) {
      any = true;
      ++i;
    } else if (strchr("<>-=", c) && isOperatorAt(pattern, i)) {
      while (pattern[i + 1] && strchr("<>-=", pattern[i + 1]))
        ++i;
    } else if (c == '[' && pattern[i + 1] != ']') {
      if (const char *end = bracketEnd(pattern + i))
        i = static_cast<size_t>(end - pattern);
    } else if (c == '{' || c == '(' || c == '<') {
      close[i] = static_cast<uint16_t>(open);
      open = i + 1;
      parentheses += c == '(';
      braces += c == '{';
    } else if (c == ',' && open && pattern[open - 1] == '{') {
      next[i] = next[open - 1];
      next[open - 1] = static_cast<uint16_t>(i);
    } else if (c == '>' && open && pattern[open - 1] == '<') {
      pop();
    } else if ((c == ')' && parentheses) || (c == '}' && braces)) {
      size_t at;
      do {
        at = pop();
        if (pattern[at] != (c == ')' ? '(' : '{'))
          next[at] = 0;
      } while (pattern[at] != (c == ')' ? '(' : '{'));
      if (c == ')' || !next[at])
        continue;
      any = true;
      close[at] = close[i] = static_cast<uint16_t>(i);
      for (size_t each = next[at]; each; each = next[each])
        close[each] = static_cast<uint16_t>(i);
    }
  }
  while (open)
    next[pop()] = 0;
  return true;
}

// The positions of a pattern that the text so far may have reached.
struct Places {
  uint64_t words[Alternatives::kMost / 64];
  void clear(size_t length) {
    memset(words, 0, (length / 64 + 1) * sizeof *words);
  }
  void add(size_t at) { words[at / 64] |= uint64_t{1} << at % 64; }
};

// If the item of the pattern at `p` matches this byte, returns the position
// after the item. Otherwise returns nullptr.
static const char *endOfTaking(const char *p, unsigned char c) {
  if (*p == '[') {
    const char *end = matchBracket(p, c);
    return end ? end + 1 : nullptr;
  }
  bool isAny = *p == '?';
  p += *p == '\\' && p[1];
  return isAny || static_cast<unsigned char>(*p) == c ? p + 1 : nullptr;
}

// Follows all paths through the pattern at once, so the time is at most
// proportional to the pattern's length times the text's. A path continues only
// at later positions, so one pass over the positions in order finds all
// positions that need no byte of the text.
[[gnu::noinline]] static bool alternativesMatch(const char *pattern,
                                                const char *text) {
  Alternatives groups;
  if (!groups.read(pattern) || !groups.any)
    return false;
  size_t length = strlen(pattern);
  Places both[2], *now = &both[0], *then = &both[1];
  now->clear(length);
  now->add(0);
  for (;; ++text) {
    auto c = static_cast<unsigned char>(*text);
    then->clear(length);
    bool goesOn = false;
    auto take = [&](size_t at) {
      then->add(at);
      goesOn = true;
    };
    for (size_t word = 0; word <= length / 64; ++word)
      while (now->words[word]) {
        size_t at =
            64 * word + static_cast<size_t>(__builtin_ctzll(now->words[word]));
        now->words[word] &= now->words[word] - 1;
        const char *p = pattern + at;
        if (!*p) {
          if (!c)
            return true;
        } else if (*p == '{' && groups.close[at]) {
          now->add(at + 1);
          for (size_t each = groups.next[at]; each; each = groups.next[each])
            now->add(each + 1);
        } else if (groups.close[at]) {
          now->add(groups.close[at] + 1);
        } else if (*p == '*') {
          now->add(at + 1);
          if (c)
            take(at);
        } else if (const char *end = c ? endOfTaking(p, c) : nullptr) {
          take(static_cast<size_t>(end - pattern));
        }
      }
    if (!goesOn)
      return false;
    Places *before = now;
    now = then;
    then = before;
  }
}

// Whether the pattern may have alternatives or escapes.
static bool mayHaveAlternatives(const char *pattern) {
  const char *brace = strchr(pattern, '{');
  return (brace && strchr(brace, ',')) || strchr(pattern, '\\');
}

bool globMatches(const char *pattern, const char *text) {
  // A name may also contain braces: put<Box{1,2}>.
  return plainGlobMatches(pattern, text) ||
         (mayHaveAlternatives(pattern) && alternativesMatch(pattern, text));
}

bool isGlob(const char *text) {
  return strchr(text, '*') || strchr(text, '?') || strchr(text, '[') ||
         mayHaveAlternatives(text);
}

} // namespace tprt
