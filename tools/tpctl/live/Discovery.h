// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the socket of a process's control in /proc, whatever namespaces the
// process is in.

#ifndef TPCTL_LIVE_DISCOVERY_H
#define TPCTL_LIVE_DISCOVERY_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/types.h>

namespace tpctl {

/// The path of the socket, as the process sees it. nullopt: the process has no
/// control. The error says why the process cannot be looked at.
llvm::Expected<std::optional<std::string>> findSocket(pid_t Pid);

/// Connects to it. Returns a descriptor.
llvm::Expected<int> connectTo(pid_t Pid, const std::string &Path);

} // namespace tpctl

#endif
