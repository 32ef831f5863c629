// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads libtprt into a running process that has none, and starts its control.
// docs/reference/control.md explains how. On one thread, by a child process
// with signals blocked for a moment.

#ifndef TPCTL_INJECT_INJECT_H
#define TPCTL_INJECT_INJECT_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <sys/types.h>

namespace tpctl {

struct Injection {
  /// For so long one thread of the process was stopped. No other was.
  std::chrono::nanoseconds Stopped{0};
  /// False: libtprt was there already.
  bool Loaded = false;
};

/// Returns when the control can be connected to. The error says why the process
/// is left as it was, and what to do about it.
llvm::Expected<Injection> inject(pid_t Pid);

} // namespace tpctl

#endif
