// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Demangles and shortens names; see tprt/names.h, which says what is
// async-signal-safe. A demangled name is treated as text in which brackets pair
// up. The characters of operators (operator<, operator->) are no brackets.
// Brackets that do not pair up are left as they are.
#include "optional/names.h"

#include <stdlib.h>
#include <string.h>

// Present where the program has a C++ runtime.
extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *)
    __attribute__((weak));

namespace tprt {

static constexpr char kEllipsis[] = "\u2026";
static constexpr size_t kLeastWidth = 3;

size_t columnsOf(const char *name) {
  size_t columns = 0;
  for (; *name; ++name)
    columns +=
        (*name & 0xc0) != 0x80; // not for bytes that continue a character
  return columns;
}

void cutName(char *name, size_t width) {
  if (width < kLeastWidth)
    width = kLeastWidth;
  if (columnsOf(name) <= width)
    return;
  char *at = name;
  for (size_t columns = 0; columns < width - 1; ++columns)
    while ((*++at & 0xc0) == 0x80)
      ;
  memcpy(at, kEllipsis, strnlen(at, 3) < 3 ? 0 : sizeof kEllipsis);
}

// --- walking over a name -----------------------------------------------------

static bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// If the name of an operator whose symbol has brackets begins at `at`, returns
// where that name ends. Otherwise returns `at`.
static char *skipOperator(const char *name, char *at) {
  static constexpr char kWord[] = "operator";
  static constexpr char kSymbols[][4] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                         "<=",  ">=",  "->",  "()",  "<",  ">"};
  constexpr size_t kLength = sizeof kWord - 1;
  if (strncmp(at, kWord, kLength) != 0 || (at != name && isWord(at[-1])))
    return at;
  for (const char *symbol : kSymbols)
    if (strncmp(at + kLength, symbol, strlen(symbol)) == 0)
      return at + kLength + strlen(symbol);
  return at;
}

namespace {
// The brackets that are open at a place of a name.
struct Brackets {
  static constexpr unsigned kMost = 64;
  char *open[kMost];
  unsigned count = 0;
  unsigned angles = 0; // how many of them are <

  // Returns the bracket that the one at `at` closes, or nullptr.
  char *step(char *at) {
    if (*at == '<' || *at == '(') {
      angles += *at == '<';
      if (count < kMost)
        open[count] = at;
      ++count;
    } else if (*at == '>' && count && at[-1] != '-') {
      if (count <= kMost && *open[count - 1] == '<')
        return --angles, open[--count];
    } else if (*at == ')') {
      // A < that is still open was a comparison.
      while (count && count <= kMost) {
        char *last = open[--count];
        if (*last == '(')
          return last;
        --angles;
      }
    }
    return nullptr;
  }
};
} // namespace

// Returns the place behind the > that closes the < at `open`, or nullptr if
// none does.
static char *behindArguments(char *open) {
  Brackets brackets;
  for (char *at = open; *at; ++at)
    if (brackets.step(at) == open)
      return at + 1;
  return nullptr;
}

// --- the C++ library's own names ---------------------------------------------

// Replaces each `from` by `to`, which must not be longer than `from`.
static void replaceAll(char *name, const char *from, const char *to) {
  size_t length = strlen(from), less = length - strlen(to);
  for (char *at = name; (at = strstr(at, from));) {
    memcpy(at, to, length - less);
    at += length - less;
    memmove(at, at + less, strlen(at + less) + 1);
  }
}

// Removes each template argument that begins with `which`, whatever follows
// inside its <>. `which` begins with the comma and ends with the <.
static void dropArguments(char *name, const char *which) {
  for (char *at = name; (at = strstr(at, which));) {
    char *end = behindArguments(at + strlen(which) - 1);
    const char *next = end;
    while (next && *next == ' ')
      ++next;
    if (!next || (*next != '>' && *next != ',')) {
      ++at;
      continue;
    }
    memmove(at, next, strlen(next) + 1);
  }
}

// Replaces names like std::basic_string<char> by aliases like std::string.
static void nameAliases(char *name) {
  static constexpr char kBasic[] = "std::basic_";
  constexpr size_t kStd = 5, kLength = sizeof kBasic - 1;
  for (char *at = name; (at = strstr(at, kBasic)); at += kStd) {
    char *word = at + kLength, *end = word;
    while (isWord(*end))
      ++end;
    bool wide = strncmp(end, "<wchar_t>", 9) == 0;
    if (!wide && strncmp(end, "<char>", 6) != 0)
      continue;
    char *behind = end + (wide ? 9 : 6), *to = at + kStd;
    if (wide)
      *to++ = 'w';
    memmove(to, word, static_cast<size_t>(end - word));
    to += end - word;
    memmove(to, behind, strlen(behind) + 1);
  }
}

// --- what is too long --------------------------------------------------------

// Replaces the arguments of all templates that are nested `depth` deep by an
// ellipsis.
static void collapse(char *name, unsigned depth) {
  Brackets brackets;
  for (char *at = name; *at; ++at) {
    char *behind = skipOperator(name, at);
    if (behind != at) {
      at = behind - 1;
      continue;
    }
    char *open = brackets.step(at);
    constexpr size_t kBytes = sizeof kEllipsis - 1;
    if (!open || *open != '<' || brackets.angles + 1 != depth ||
        at - open - 1 <= static_cast<ptrdiff_t>(kBytes))
      continue;
    memcpy(open + 1, kEllipsis, kBytes);
    memmove(open + 1 + kBytes, at, strlen(at) + 1);
    at = open + 1 + kBytes;
  }
}

// Replaces the function's parameters by an ellipsis. They are in the last
// parentheses that are not inside other brackets.
static void collapseParameters(char *name) {
  Brackets brackets;
  char *from = nullptr, *to = nullptr;
  for (char *at = name; *at; ++at) {
    char *behind = skipOperator(name, at);
    if (behind != at) {
      at = behind - 1;
      continue;
    }
    char *open = brackets.step(at);
    if (open && *open == '(' && !brackets.count && open != name &&
        open[-1] != ' ' && open[-1] != ':')
      from = open + 1, to = at;
  }
  constexpr size_t kBytes = sizeof kEllipsis - 1;
  if (!from || to - from <= static_cast<ptrdiff_t>(kBytes))
    return;
  memcpy(from, kEllipsis, kBytes);
  memmove(from + kBytes, to, strlen(to) + 1);
}

} // namespace tprt

using namespace tprt;

char *tprt_name_demangle(const char *linked, char *out, size_t size) {
  if (!size)
    return out;
  int status = 0;
  char *plain = linked[0] == '_' && linked[1] == 'Z' && __cxa_demangle
                    ? __cxa_demangle(linked, nullptr, nullptr, &status)
                    : nullptr;
  const char *name = plain ? plain : linked;
  size_t length = strnlen(name, size - 1);
  memcpy(out, name, length);
  out[length] = 0;
  free(plain);
  return out;
}

char *tprt_name_shorten(char *name, size_t width) {
  replaceAll(name, "std::__cxx11::", "std::");
  replaceAll(name, "std::__1::", "std::");
  replaceAll(name, "[abi:cxx11]", "");
  replaceAll(name, "> >", ">>");
  replaceAll(name, "> >", ">>"); // the middle of three
  static constexpr const char *kDropped[] = {
      ", std::char_traits<", ", std::allocator<", ", std::default_delete<"};
  for (const char *argument : kDropped)
    dropArguments(name, argument);
  nameAliases(name);
  if (!width)
    return name;
  for (unsigned depth = 8; depth && columnsOf(name) > width; --depth)
    collapse(name, depth);
  if (columnsOf(name) > width)
    collapseParameters(name);
  cutName(name, width);
  return name;
}
