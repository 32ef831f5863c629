// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings of traced programs as text, the same in all tables and lines.

#ifndef TPCTL_ESCAPE_H
#define TPCTL_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tpctl {

/// A string without its quotes, as C writes it: `\` and what
/// tp::trace::printable() replaces are escapes, and `"` if quotes will be
/// around it. So nothing is lost.
std::string escaped(llvm::StringRef Text, bool InQuotes);

} // namespace tpctl

#endif
