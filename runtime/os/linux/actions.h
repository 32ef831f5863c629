// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's actions for signals, kept for libtprt's handlers, which run in
// place of the program's handlers. Any thread may call these functions.
// Async-signal-safe.
#ifndef TPRT_OS_ACTIONS_H
#define TPRT_OS_ACTIONS_H

#include <signal.h>
#include <stdint.h>

namespace tprt {

// The kernel's structure (x86-64 and AArch64, sigaction(2) "C library/kernel
// differences"). libc sets `restorer`.
struct KernelAction {
  void *handler;
  unsigned long flags;
  void *restorer;
  uint64_t mask;
};

constexpr uint64_t signalBit(int number) { return uint64_t{1} << (number - 1); }

inline bool hasHandler(const struct sigaction &action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

// Returns a permanent, constant copy of `action`, or nullptr if there were more
// than 128 different actions. Defined in signals.cpp.
const struct sigaction *keepAction(const struct sigaction &action);

// Called when the program sets or reads its action for SIGTRAP by sigaction().
// If this returns true, the call is complete; libtprt's handler stays, and
// calls the program's action. If this returns false, the caller makes the
// system call. Defined in sigtrap.cpp.
bool setTrapAction(const struct sigaction *action, struct sigaction *old);

} // namespace tprt

#endif
