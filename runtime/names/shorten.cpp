// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortens names of the C++ library to their usual short forms; see match.h.
// The functions have no state and acquire no lock: async-signal-safe.
#include "names/shorten.h"
#include "names/brackets.h"
#include "names/match.h"

#include <string.h>

namespace tprt {

static bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Returns the position after the > that closes the < at `open`, or nullptr if
// there is none.
static char *afterArguments(char *open) {
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

// Removes each template argument that begins with `which`, with any contents of
// its <>. `which` begins with the comma and ends with the <.
static void dropArguments(char *name, const char *which) {
  for (char *at = name; (at = strstr(at, which));) {
    char *end = afterArguments(at + strlen(which) - 1);
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
    char *after = end + (wide ? 9 : 6), *to = at + kStd;
    if (wide)
      *to++ = 'w';
    memmove(to, word, static_cast<size_t>(end - word));
    to += end - word;
    memmove(to, after, strlen(after) + 1);
  }
}

void shortenLibraryNames(char *name) {
  replaceAll(name, "std::__cxx11::", "std::");
  replaceAll(name, "std::__1::", "std::");
  replaceAll(name, "[abi:cxx11]", "");
  replaceAll(name, "> >", ">>");
  replaceAll(name, "> >", ">>"); // the middle of three
  // With and without the space that match.cpp removes.
  static constexpr const char *kDropped[] = {
      ", std::char_traits<", ", std::allocator<", ", std::default_delete<",
      ",std::char_traits<",  ",std::allocator<",  ",std::default_delete<"};
  for (const char *argument : kDropped)
    dropArguments(name, argument);
  nameAliases(name);
}

} // namespace tprt
