// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs want done at signals, kept for handlers of ours that stand for
// the program's. Any thread; async-signal-safe.
#ifndef TPRT_OS_ACTIONS_H
#define TPRT_OS_ACTIONS_H

#include <signal.h>
#include <stdint.h>

namespace tprt {

// The kernel's structure (x86-64 and AArch64, sigaction(2) "C library/kernel
// differences"). `restorer` is libc's.
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

// An action that is equal to `action` and stays as it is for good. nullptr:
// there were more than 128 different ones. Defined in signals.cpp.
const struct sigaction *keepAction(const struct sigaction &action);

// The program sets, or asks for, its action of SIGTRAP by sigaction(). True:
// that is done, and libtprt's handler stays and hands on to that action. False:
// it is the kernel's affair. Defined in sigtrap.cpp.
bool setTrapAction(const struct sigaction *action, struct sigaction *old);

} // namespace tprt

#endif
