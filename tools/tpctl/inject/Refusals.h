// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reasons why libtprt is not loaded into a process, as messages.

#ifndef TPCTL_INJECT_REFUSALS_H
#define TPCTL_INJECT_REFUSALS_H

#include "Image.h"
#include "Tracee.h"

namespace tpctl {

/// Returns a refusal that follows from /proc. Changes nothing.
llvm::Error checkProcess(pid_t Pid);
/// Returns a refusal that follows from the loaded modules.
llvm::Error checkImage(const Image &Target);
/// Explains an error of ptrace or /proc. Other errors are returned unchanged.
llvm::Error explain(pid_t Pid, llvm::Error E);

} // namespace tpctl

#endif
