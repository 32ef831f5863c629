// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the driver, in the style of clang's own.
#ifndef TP_CLANG_DIAGNOSTICS_H
#define TP_CLANG_DIAGNOSTICS_H

#include <string>

namespace tp {

/// Sets the name that messages begin with: the last part of argv[0].
void setProgramName(const std::string &Name);

/// Prints "NAME: error: MESSAGE" and exits with status 1.
[[noreturn]] void fail(const std::string &Message);

/// Prints "NAME: warning: MESSAGE".
void warn(const std::string &Message);

} // namespace tp

#endif
