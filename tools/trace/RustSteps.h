// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much work a Rust name (v0) is. LLVM's demangler has no bound of its own.

#ifndef TP_TRACE_RUSTSTEPS_H
#define TP_TRACE_RUSTSTEPS_H

#include "llvm/ADT/StringRef.h"

namespace tp::trace {

/// Whether a demangler reaches the end of the name, or a fault in it, within
/// so many steps: productions of the grammar (Rust RFC 2603, "Syntax of mangled
/// names") and bytes of identifiers. What a back reference leads to counts each
/// time.
bool hasFewRustSteps(llvm::StringRef Name, size_t MostSteps);

} // namespace tp::trace

#endif
