// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl as the first process of a container. Called before there are threads.

#ifndef TPCTL_FIRSTPROCESS_H
#define TPCTL_FIRSTPROCESS_H

#include <optional>

namespace tpctl {

/// If this is the first process of its PID namespace (pid_namespaces(7)),
/// continues in a child: for libtprt, control=1 does not mean that process 1 is
/// the tool. The first process waits for all processes that become its
/// children, and passes signals on. In the first process, returns the child's
/// exit code, as a shell reports it. Otherwise, returns nullopt.
std::optional<int> waitAsFirstProcess();

} // namespace tpctl

#endif
