// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bars of a histogram as text.

#ifndef TPCTL_LIVE_VERBS_BARS_H
#define TPCTL_LIVE_VERBS_BARS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>

namespace tpctl {

/// Writes a line for each number from the first key of `Counts` to the last
/// one. `StartOf(I)` is the text for the beginning of the I-th range.
void writeBars(llvm::raw_ostream &OS, const std::map<int, uint64_t> &Counts,
               llvm::function_ref<std::string(int)> StartOf);

} // namespace tpctl

#endif
