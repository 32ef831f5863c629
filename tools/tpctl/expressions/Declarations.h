// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads types, and declarations of functions.

#ifndef TPCTL_DECLARATIONS_H
#define TPCTL_DECLARATIONS_H

#include "Lexer.h"
#include <optional>

namespace tpctl::expressions {

struct ArgumentType {
  std::string Name;
  /// Which of the integer registers has it: 0 is the first. A floating-point
  /// argument is in none.
  unsigned Index = 0;
  Type T;
};

/// What is known about a function's arguments and result.
struct Signature {
  std::string Function;
  std::vector<ArgumentType> Arguments;
  std::optional<Type> Result; ///< if it is known
  bool IsVoid = false;        ///< there is no result
  bool IsVariadic = false;
};

/// As in malloc(size_t size).
std::string text(const Signature &);

/// Whether a type begins with this name.
bool beginsType(llvm::StringRef Name);
/// Reads a type at `At` and moves `At` behind it.
llvm::Expected<Type> parseType(const Source &, llvm::ArrayRef<Token>,
                               size_t &At);
/// Reads a declaration such as "void *malloc(size_t size)".
llvm::Expected<Signature> parseDeclaration(llvm::StringRef);

} // namespace tpctl::expressions

#endif
