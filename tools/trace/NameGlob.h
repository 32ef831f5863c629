// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of the tools that are compared with names of functions. The
// comparison is that of the runtime (runtime/names/), so that a process and a
// tool find the same functions, and find what a tool has shown. Thread-safe.

#ifndef TP_TRACE_NAMEGLOB_H
#define TP_TRACE_NAMEGLOB_H

#include "llvm/Support/Error.h"
#include <string>

namespace tp::trace {

/// How a pattern is about a name.
enum class NameMatch {
  None,
  ByGlob,
  Whole ///< it is the name itself, though it may be a glob, too: f(char*)
};

/// A pattern as the runtime takes it.
class NameGlob {
public:
  /// Fails if the text is empty.
  static llvm::Expected<NameGlob> create(llvm::StringRef Text);
  /// \p Linked may be empty: it is not known. Then \p Shown is compared. As in
  /// the process, a pattern f is about f.constprop.0 and f@@VERSION, too.
  NameMatch match(llvm::StringRef Linked, llvm::StringRef Shown) const;

private:
  NameMatch matchOne(llvm::StringRef Linked, llvm::StringRef Shown) const;
  std::string Text;
};

} // namespace tp::trace

#endif
