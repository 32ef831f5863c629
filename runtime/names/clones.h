// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suffixes of a function's linked name. When compilers make a copy or a part of
// a function, they add a suffix: f.constprop.0, f.isra.0, f.part.0, f.cold,
// f.llvm.123, and f.avx2 for one of several versions. Symbol tables add a
// version. The functions have no state and acquire no lock.
#ifndef TPRT_NAMES_CLONES_H
#define TPRT_NAMES_CLONES_H

#include <stddef.h>
#include <string.h>

namespace tprt {

// Whether a compiler adds this word between two dots. A resolver (f.resolver,
// f.ifunc) is another function.
inline bool isCloneWord(const char *word, size_t length) {
  static constexpr const char *kWords[] = {
      "constprop", "isra",       "part",      "cold",    "llvm",
      "lto_priv",  "localalias", "localfunc", "default", "specialized",
      "argprom",   "argelim",    "retelim",   "__uniq",  "extracted",
      "popcnt",    "bmi",        "bmi2",      "fma",     "fma4",
      "xop",       "aes",        "pclmul",    "gfni",    "mmx",
      "vaes",      "vpclmulqdq", "lzcnt",     "movbe",   "f16c"};
  // Processors and groups of instructions; _M belongs to AArch64's ACLE.
  static constexpr const char *kBeginnings[] = {"arch_", "sse", "ssse", "avx",
                                                "_M"};
  auto begins = [&](const char *with, bool whole) {
    size_t bytes = strlen(with);
    return (whole ? bytes == length : bytes <= length) &&
           memcmp(with, word, bytes) == 0;
  };
  for (const char *one : kWords)
    if (begins(one, true))
      return true;
  for (const char *one : kBeginnings)
    if (begins(one, false))
      return true;
  return false;
}

// The length of the name without a compiler's suffix. The name itself may
// contain dots, as in Go. So all words after the first word of a suffix must
// also be words of a suffix, or numbers.
inline size_t lengthWithoutClone(const char *name, size_t length) {
  size_t found = length, end = length;
  for (size_t at = length; at-- > 1;) {
    if (name[at] != '.')
      continue;
    const char *word = name + at + 1;
    size_t bytes = end - (at + 1);
    bool isNumber = bytes;
    for (size_t i = 0; i < bytes; ++i)
      isNumber &= word[i] >= '0' && word[i] <= '9';
    if (isCloneWord(word, bytes))
      found = at;
    else if (!isNumber)
      break;
    end = at;
  }
  return found;
}

// GCC and clang name such a part f.cold, and a copy of it f.cold.1.
inline bool namesColdPart(const char *name) {
  static constexpr char kCold[] = ".cold";
  constexpr size_t kLength = sizeof kCold - 1;
  const char *found = strstr(name, kCold);
  return found && (!found[kLength] || found[kLength] == '.');
}

// The length of the plain name, which people use for the function. The full
// symbol table calls a versioned function foo@@VERSION, or foo@VERSION. Other
// tables, and the symbol table of a stripped file, call it foo. A compiler
// calls a copy of foo foo.constprop.0. A cold part is not a function, and keeps
// its name.
inline size_t lengthOfPlainName(const char *name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const char *at = *name ? strchr(name + 1, '@') : nullptr;
  if (at && (at[1] == '@' || at[1] == '_' || isLetter(at[1])))
    return static_cast<size_t>(at - name);
  size_t length = strlen(name);
  return namesColdPart(name) ? length : lengthWithoutClone(name, length);
}

} // namespace tprt

#endif
