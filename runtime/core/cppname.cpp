// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cppname.h. The forms of demangled names are those of libstdc++'s and
// libc++abi's demanglers.
#include "core/cppname.h"
#include "core/glob.h"

#include <stdlib.h>
#include <string.h>

extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *)
    __attribute__((weak));

namespace tprt {

bool canDemangle() { return __cxa_demangle != nullptr; }

// They begin at the last parenthesis that is inside no other and follows no
// space. Earlier ones belong to "(anonymous namespace)", "operator()" and
// scopes. libc++abi puts one behind the parameters for the suffix of a linked
// name: "f(int) (.cold)".
const char *parametersOf(const char *plain) {
  const char *found = nullptr;
  int depth = 0;
  for (char before = 0; *plain; before = *plain++) {
    if (*plain == '(' && !depth++ && before != ' ')
      found = plain;
    depth -= *plain == ')';
  }
  return found;
}

static bool isPartOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

// Names of operators have spaces, parentheses and angle brackets that are none
// of a list's: "operator new", "operator<".
static bool isOperator(const char *at, const char *plain) {
  constexpr size_t kLength = sizeof "operator" - 1;
  return strncmp(at, "operator", kLength) == 0 && !isPartOfWord(at[kLength]) &&
         (at == plain || !isPartOfWord(at[-1]));
}

// A space behind a scope's parameters, as in "f() const::{lambda()#1}".
static bool isInScope(const char *space, const char *plain) {
  return space > plain && space[-1] == ')' &&
         (strncmp(space, " const", 6) == 0 ||
          strncmp(space, " volatile", 9) == 0 || space[1] == '&');
}

// The result's type ends with the last space that is in no list of template
// arguments or parameters. A `>` inside parentheses is an operator.
const char *behindResult(const char *plain, const char *end) {
  constexpr size_t kMost = 64;
  char open[kMost];
  size_t depth = 0;
  const char *name = plain;
  for (const char *at = plain; at < end; ++at) {
    if (!depth && isOperator(at, plain))
      break;
    bool ends =
        strchr(")]}", *at) || (*at == '>' && depth && open[depth - 1] == '<');
    if (strchr("<([{", *at) && depth < kMost)
      open[depth++] = *at;
    else if (ends && depth)
      --depth;
    if (*at == ' ' && !depth && !isInScope(at, plain))
      name = at + 1;
  }
  return name;
}

bool demangledMatches(const char *glob, const char *linked) {
  int status = 0;
  char *plain = __cxa_demangle(linked, nullptr, nullptr, &status);
  if (!plain)
    return false;
  const char *parameters = parametersOf(plain);
  const char *name =
      behindResult(plain, parameters ? parameters : plain + strlen(plain));
  bool matches = globMatches(glob, plain) || globMatches(glob, name);
  if (!matches && parameters) {
    plain[parameters - plain] = 0;
    matches = globMatches(glob, plain) || globMatches(glob, name);
  }
  free(plain);
  return matches;
}

} // namespace tprt
