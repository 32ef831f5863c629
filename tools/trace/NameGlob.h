// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools' patterns for names of functions. The runtime's code
// (runtime/names/) compares the names. So a process and a tool find the same
// functions, and each name that a tool shows can be used as a pattern.
// Thread-safe.

#ifndef TP_TRACE_NAMEGLOB_H
#define TP_TRACE_NAMEGLOB_H

#include "llvm/Support/Error.h"
#include <string>

namespace tp::trace {

/// How a pattern matches a name.
enum class NameMatch {
  None,
  ByGlob,
  Whole ///< it is the name itself, though it may be a glob, too: f(char*)
};

/// The pattern in the runtime's form.
class NameGlob {
public:
  /// Fails if the text is empty.
  static llvm::Expected<NameGlob> create(llvm::StringRef Text);
  /// Compares \p Linked, or \p Shown if \p Linked is empty because it is
  /// unknown. As in the process, a pattern f also matches f.constprop.0 and
  /// f@@VERSION.
  NameMatch match(llvm::StringRef Linked, llvm::StringRef Shown) const;

private:
  NameMatch matchOne(llvm::StringRef Linked, llvm::StringRef Shown) const;
  std::string Text;
};

} // namespace tp::trace

#endif
