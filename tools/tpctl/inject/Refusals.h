// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why libtprt is not loaded into a process, in words.

#ifndef TPCTL_INJECT_REFUSALS_H
#define TPCTL_INJECT_REFUSALS_H

#include "Image.h"
#include "Tracee.h"

namespace tpctl {

/// What /proc says of the process. Nothing is changed.
llvm::Error checkProcess(pid_t Pid);
/// What is loaded into it.
llvm::Error checkImage(const Image &Target);
/// Puts an error of ptrace's or /proc's in words. Others stay as they are.
llvm::Error explain(pid_t Pid, llvm::Error E);

} // namespace tpctl

#endif
