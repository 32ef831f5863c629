// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortens names; see tprt/names.h. A demangled name is treated as text in
// which brackets pair up. The characters of operators (operator<, operator->)
// do not count as brackets. Unpaired brackets are left unchanged.
#include "names/short_names.h"
#include "names/brackets.h"
#include "names/match.h"
#include "names/shorten.h"

#include <string.h>

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
// the end of that name. Otherwise returns `at`.
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

// --- what is too long --------------------------------------------------------

// Replaces the arguments of all templates that are nested `depth` deep by an
// ellipsis.
static void collapse(char *name, unsigned depth) {
  Brackets brackets;
  for (char *at = name; *at; ++at) {
    char *after = skipOperator(name, at);
    if (after != at) {
      at = after - 1;
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
    char *after = skipOperator(name, at);
    if (after != at) {
      at = after - 1;
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

char *tprt_name_shorten(char *name, size_t width) {
  shortenLibraryNames(name);
  if (!width)
    return name;
  for (unsigned depth = 8; depth && columnsOf(name) > width; --depth)
    collapse(name, depth);
  if (columnsOf(name) > width)
    collapseParameters(name);
  cutName(name, width);
  return name;
}
