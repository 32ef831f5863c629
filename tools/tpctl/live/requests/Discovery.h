// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the socket of a process's control through /proc, even if the process is
// in other namespaces.

#ifndef TPCTL_LIVE_REQUESTS_DISCOVERY_H
#define TPCTL_LIVE_REQUESTS_DISCOVERY_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/types.h>

namespace tpctl {

/// The address where a process's control listens.
struct ControlSocket {
  pid_t Pid, Thread;
  std::string Path; ///< as the process has seen it
};

/// Returns nullopt if the process has no control. The error says why the
/// process cannot be inspected.
llvm::Expected<std::optional<ControlSocket>> findSocket(pid_t Pid);

/// Opens the folder of the socket's file. Returns a descriptor of O_PATH.
llvm::Expected<int> openFolder(const ControlSocket &Socket);

/// Returns a descriptor.
llvm::Expected<int> connectTo(const ControlSocket &Socket);

} // namespace tpctl

#endif
