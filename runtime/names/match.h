// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a function's name matches a pattern. A pattern may be any form in
// which a name is shown or typed: linked or readable, in full or shortened,
// with or without the parameters, the result's type and ABI tags. It may use
// the spelling of this demangler or of others (`> >`, decltype(nullptr)). The
// functions have no state and acquire no lock.
#ifndef TPRT_NAMES_MATCH_H
#define TPRT_NAMES_MATCH_H

#include "demangle/demangle.h"

#include <string.h>

namespace tprt {

enum class NameMatch : uint8_t {
  None,
  ByGlob,
  // The pattern's text is the name itself, although it contains a glob's
  // special characters: f(char*), operator*. If a function matches in this
  // manner, the pattern selects no other function.
  Whole
};

// The forms of one linked name, in the caller's memory, which can be reused for
// further names.
struct NameForms {
  // The linked name. If the name is not mangled, there is no other form.
  const char *linked;
  struct Form {
    size_t length; // 0 means that the form does not exist
    size_t nameBegin, nameEnd;
    char text[names::kMostBytes];
  };
  // The full form; the form without ABI tags (for Rust, without the hash), if
  // it differs; and the shortened form of tables, which is made only if a
  // pattern needs it.
  Form full, plain, shortened;
  bool isShortened;
  names::Memory memory;

  void set(const char *of);
  // Sets the forms of a readable name whose linked form is unknown.
  void setReadable(const char *readable);
};

class NamePattern {
public:
  // The number of bytes that the constructor needs for a pattern.
  static size_t bytesFor(const char *text) { return 2 * (strlen(text) + 1); }
  // The room and the text must outlive the pattern.
  NamePattern(const char *text, char *room);

  NameMatch matches(NameForms &forms) const;

private:
  NameMatch matchForm(const char *text, NameForms::Form &form) const;
  const char *given;
  const char *normal;    // in the spelling of writeNormal()
  const char *shortened; // the same, with the short names of the C++ library
  bool hasTag, hasHash, isGlobText;
  // Only names with this text have a short form that may match the pattern.
  // nullptr means that no name has one.
  const char *shortenedText;
};

// Writes a name, or a pattern, in the normal spelling, which is used to compare
// patterns: `>>` for `> >`, `,` for `, `, std::nullptr_t, and LLVM's names of
// lambdas and unnamed types for those of other demanglers. An ellipsis becomes
// a star. The result is no longer than the text.
void writeNormal(const char *text, char *out);

// The '!' between module and function in a pattern, or nullptr. A '!' inside
// brackets, or in the name of an operator, is part of a name.
const char *splitAtModule(const char *text);
} // namespace tprt

#endif
