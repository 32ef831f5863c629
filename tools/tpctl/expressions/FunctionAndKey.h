// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pattern of functions with an expression about their calls, as --since takes
// it: 'libc!malloc:result'.

#ifndef TPCTL_FUNCTION_AND_KEY_H
#define TPCTL_FUNCTION_AND_KEY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tpctl::expressions {

struct FunctionAndKey {
  std::string Function, Key;
  /// Divides a text of the form FUNCTION:EXPR. Errors are wrong usage.
  static llvm::Expected<FunctionAndKey> parse(llvm::StringRef Text);
};

} // namespace tpctl::expressions

#endif
