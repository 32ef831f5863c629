// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a name of a function is one that a pattern asks for. A pattern may be
// anything that is shown as a name, or typed as people know it: as linked, or
// readable, in full or shortened, with or without the parameters, the result's
// type and ABI tags, in the spelling of this demangler or of others (`> >`,
// decltype(nullptr)). No state, no lock.
#ifndef TPRT_NAMES_MATCH_H
#define TPRT_NAMES_MATCH_H

#include "names/demangle.h"

#include <string.h>

namespace tprt {

enum class NameMatch : uint8_t {
  None,
  ByGlob,
  // The text of the pattern is the name itself, though it has characters of
  // globs: f(char*), operator*. Where some function matches so, the pattern
  // asks for no other.
  Whole
};

// The forms of one linked name, made in memory that is given. The memory can
// be used for one name after the other.
struct NameForms {
  // As linked. No other form is there if it is not mangled.
  const char *linked;
  struct Form {
    size_t length; // 0: it is not there
    size_t nameBegin, nameEnd;
    char text[names::kMostBytes];
  };
  // In full; without ABI tags, or for Rust without the hash, if that differs;
  // and shortened as tables have it, which is made where a pattern asks for it.
  Form full, plain, shortened;
  bool isShortened;
  names::Memory memory;

  void set(const char *of);
  // The same of the readable name, for a name whose linked form is not known.
  void setReadable(const char *readable);
};

class NamePattern {
public:
  // How many bytes the constructor needs for a pattern.
  static size_t bytesFor(const char *text) { return 2 * (strlen(text) + 1); }
  // The room, and the text, have to outlive the pattern.
  NamePattern(const char *text, char *room);

  NameMatch matches(NameForms &forms) const;

private:
  NameMatch matchForm(const char *text, NameForms::Form &form) const;
  const char *given;
  const char *normal;    // as writeNormal() has it
  const char *shortened; // the same with the short names of the C++ library
  bool hasTag, hasHash, isGlobText;
  // Only a name with this text has a short form that the pattern may be about.
  // nullptr: none has.
  const char *shortenedText;
};

// Writes a name, or a pattern, in the one spelling that patterns are compared
// in: `>>` for `> >`, `,` for `, `, std::nullptr_t, and LLVM's names of lambdas
// and unnamed types for those of others. An ellipsis becomes a star. The result
// is no longer than the text.
void writeNormal(const char *text, char *out);

// The '!' between module and function in a pattern, or nullptr. A '!' inside
// brackets, or in the name of an operator, is part of a name.
const char *splitAtModule(const char *text);
// Shortens what is the C++ library's own: std::string for the whole name of its
// type, and no std::allocator<...> as the last argument of a template.
void shortenLibraryNames(char *name);

} // namespace tprt

#endif
