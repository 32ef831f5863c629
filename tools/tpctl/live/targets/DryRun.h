// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --dry-run: what would run at each call, without attaching anything.

#ifndef TPCTL_LIVE_TARGETS_DRY_RUN_H
#define TPCTL_LIVE_TARGETS_DRY_RUN_H

#include "Ask.h"
#include "Target.h"

namespace tpctl {

/// Prints the programs of the functions that the patterns select, or without a
/// process that of all functions. The patterns and the expressions are
/// prepared.
llvm::Expected<ExitCode> dryRun(Target &At, Patterns &P, Ask &A);

} // namespace tpctl

#endif
