// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes text from programs and files readable, and safe for a terminal. tpctl
// passes all names, paths and strings that it prints through these functions.
// Thread-safe.

#ifndef TP_TRACE_READABLE_H
#define TP_TRACE_READABLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tp::trace {

/// Text on one line that does not control a terminal. A question mark replaces
/// each byte of
/// - a control character (C0, DEL and C1: ECMA-48, sections 5.2 and 5.3), but
///   not a tab,
/// - a character that changes the direction of text, or ends a line (Unicode
///   Standard Annex 9, section 2; U+2028 and U+2029),
/// - anything that is not UTF-8.
/// In patterns a question mark matches any byte, so the result still matches
/// the original name.
std::string printable(llvm::StringRef Text);

/// A linker's name, demangled and printable. C++ and Rust are demangled by the
/// runtime's code (runtime/names/), which also compares names with patterns. To
/// limit time, memory and stack, a name stays mangled if it is longer than 64
/// kB, if its demangled form is longer than 32 kB, or if it is nested too
/// deeply.
std::string readableName(llvm::StringRef Linked);

} // namespace tp::trace

#endif
