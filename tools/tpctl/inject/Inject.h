// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads libtprt into a running process that has none, and starts its control.
// docs/reference/control.md explains how. Uses one thread, and a child process.
// Signals are blocked for a moment.

#ifndef TPCTL_INJECT_INJECT_H
#define TPCTL_INJECT_INJECT_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <sys/types.h>

namespace tpctl {

struct Injection {
  /// How long one thread of the process was stopped. The others kept running.
  std::chrono::nanoseconds Stopped{0};
  /// False if the process had libtprt already.
  bool Loaded = false;
};

/// Returns when tpctl can connect to the control. The error says why the
/// process was left unchanged, and what to do about it.
llvm::Expected<Injection> inject(pid_t Pid);

} // namespace tpctl

#endif
