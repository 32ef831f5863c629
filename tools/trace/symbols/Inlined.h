// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out where a function was inlined, for users whose pattern matches no
// function: the debug information of a binary lists each inlined call (DWARF 5,
// section 3.3.8, "Inlinable and Inlined Subroutines"). Reads files only;
// thread-safe.

#ifndef TP_TRACE_INLINED_H
#define TP_TRACE_INLINED_H

#include "BinaryFinder.h"
#include "NameGlob.h"
#include <optional>

namespace tp::trace {

/// A call in whose place the compiler put the function's code.
struct InlinedCall {
  std::string Function; ///< the inlined function, demangled
  std::string Caller;   ///< the function that contains the code, demangled
  std::string File;     ///< of the call, as compiled; empty if not known
  uint32_t Line = 0;    ///< 0 if not known
  size_t Others = 0;    ///< how many more such calls the binary has
};

/// The first inlined call of a function that the pattern matches. Returns
/// std::nullopt if there is none, if the file has no debug information, or if
/// the file also has such a function of its own. LLVM's parser may crash on
/// damaged debug information, and some 50 MB of it take a second: call this in
/// a process of its own.
std::optional<InlinedCall> findInlined(llvm::StringRef Path,
                                       const NameGlob &Name);

} // namespace tp::trace

#endif
