// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limit on tpctl's own open files (RLIMIT_NOFILE).

#ifndef TPCTL_FILE_LIMIT_H
#define TPCTL_FILE_LIMIT_H

#include "llvm/Support/Error.h"

namespace tpctl {

/// An error if tpctl cannot open the files that it needs to watch this many
/// processes, even after raiseFileLimit(). Call this before anything is
/// started.
llvm::Error checkFileLimit(size_t Processes);
/// Raises the limit as far as it may be raised. A command that is started
/// later inherits the higher limit.
void raiseFileLimit();

} // namespace tpctl

#endif
