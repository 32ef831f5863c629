// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of an expression or a declaration to its tokens, and errors
// that point into the text.

#ifndef TPCTL_LEXER_H
#define TPCTL_LEXER_H

#include "Types.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace tpctl::expressions {

/// A text, and the option that it was given to.
struct Source {
  std::string Option, Text;
};

/// A part of a Source. `At` is its most important place: an operator.
struct Range {
  size_t Begin = 0, End = 0, At = 0;
};

/// The message, the line and a caret, as a compiler prints them.
std::string messageAt(const Source &, Range, const llvm::Twine &Message);
/// The same, as an error of wrong usage.
llvm::Error errorAt(const Source &, Range, const llvm::Twine &Message);

struct Token {
  enum KindType : uint8_t { End, Name, Number, Character, String, Operator };
  KindType Kind = End;
  size_t Begin = 0;
  llvm::StringRef Text; ///< as written
  uint64_t Value = 0;   ///< of a Number or a Character (one byte)
  Type T;               ///< of a Number
  bool IsTime = false;  ///< a Number with a unit of time
  std::string Bytes;    ///< of a String, without escapes

  size_t end() const { return Begin + Text.size(); }
  Range range() const { return {Begin, end(), Begin}; }
  bool is(llvm::StringRef Operator) const {
    return Kind == Token::Operator && Text == Operator;
  }
};

/// The last token is End. The texts of the tokens are parts of the source's.
llvm::Expected<std::vector<Token>> tokensOf(const Source &);

} // namespace tpctl::expressions

#endif
