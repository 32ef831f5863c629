// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes the process's answer that no function matches: if the compiler has
// inlined the function, the debug information says where.

#ifndef TPCTL_LIVE_REQUESTS_INLINING_H
#define TPCTL_LIVE_REQUESTS_INLINING_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <sys/types.h>

namespace tpctl {

/// If \p Why is the answer that asks whether the function was inlined, searches
/// the debug information of the process's files for the patterns, and returns
/// the answer with what was found. Otherwise, or if nothing was found within a
/// few seconds, returns \p Why.
std::string withInlining(pid_t Pid, llvm::ArrayRef<std::string> Patterns,
                         std::string Why);

} // namespace tpctl

#endif
