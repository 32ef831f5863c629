// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What /proc says about a process.

#ifndef TPCTL_PROCESSES_H
#define TPCTL_PROCESSES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <sys/types.h>

namespace tpctl {

/// A field of /proc/PID/status; "" if there is none.
std::string statusField(pid_t Pid, llvm::StringRef Name);
/// The letter of the process's state in /proc/PID/status; 0: there is no
/// process.
char stateOf(pid_t Pid);

} // namespace tpctl

#endif
