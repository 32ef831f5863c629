// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in Rust's older mangling: C++ names with escapes such as $LT$ and a
// hash as the last part. The functions have no state, acquire no lock and
// allocate nothing: async-signal-safe.
#include "demangle/legacy_rust.h"
#include "demangle/demangle.h"

#include <string.h>

namespace tprt::names {

static bool isHash(const char *at) {
  if (strncmp(at, "::h", 3) != 0)
    return false;
  for (unsigned i = 3; i < 19; ++i)
    if (!(at[i] >= '0' && at[i] <= '9') && !(at[i] >= 'a' && at[i] <= 'f'))
      return false;
  return true;
}

// Reads the character of an escape such as $LT$. Returns the escape's end, or
// nullptr if there is no escape.
static const char *readEscape(const char *at, char &to) {
  static constexpr struct {
    char text[6], to;
  } kEscapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
                  {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
  for (const auto &one : kEscapes)
    if (size_t length = strlen(one.text); strncmp(at, one.text, length) == 0)
      return to = one.to, at + length;
  if (at[0] != '$' || at[1] != 'u')
    return nullptr;
  unsigned value = 0;
  for (at += 2; *at && *at != '$'; ++at) {
    bool isDigit = *at >= '0' && *at <= '9';
    if (!isDigit && !(*at >= 'a' && *at <= 'f'))
      return nullptr;
    value = value << 4 |
            static_cast<unsigned>(isDigit ? *at - '0' : *at - 'a' + 10);
    if (value >= 0x7f)
      return nullptr;
  }
  to = static_cast<char>(value);
  return *at && value >= ' ' ? at + 1 : nullptr;
}

bool fromOldRust(char *name, Parts &parts, bool withHash) {
  constexpr size_t kHash = sizeof "::h0123456789abcdef" - 1;
  // Such a name has no parameters. A suffix from the linker may follow.
  if (parts.nameBegin || parts.nameEnd > parts.length)
    return false;
  char *end = name + parts.length;
  if (char *suffix = strstr(name, " (."))
    end = suffix;
  if (static_cast<size_t>(end - name) <= kHash || !isHash(end - kHash))
    return false;
  const char *from = name, *last = withHash ? end : end - kHash;
  char *to = name;
  bool isStart = true;
  while (from < last) {
    char escaped;
    if (isStart && from[0] == '_' && from[1] == '$')
      ++from; // before an escape at a part's beginning
    isStart = false;
    if (const char *next = *from == '$' ? readEscape(from, escaped) : nullptr) {
      *to++ = escaped;
      from = next;
    } else if (from[0] == '.' && from[1] == '.') {
      *to++ = ':';
      *to++ = ':';
      from += 2;
    } else {
      isStart = from[0] == ':' && from > name && from[-1] == ':';
      *to++ = *from++;
    }
  }
  parts.nameEnd = static_cast<size_t>(to - name);
  memmove(to, end, strlen(end) + 1);
  parts.length = parts.nameEnd + strlen(to);
  return true;
}

} // namespace tprt::names
