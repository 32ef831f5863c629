// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads continue after an int3. Async-signal-safe, without a lock.
#ifndef TPRT_ARCH_TRAP_H
#define TPRT_ARCH_TRAP_H

#include "sites/arch.h"

#include <ucontext.h>

namespace tprt {

inline constexpr uint8_t kInt3 = 0xcc;

// The address at which an interrupted thread continues.
inline greg_t &programCounter(void *context) {
  return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
}

// Where a thread that executed the int3 at `address` continues: at the stub of
// the sled there, or again at the sled. 0: that int3 is not ours.
uint64_t destinationOfTrap(uint64_t address);

// Where a thread continues if it was at `pc` when it got a SIGTRAP from a
// thread or process. If the signal came while the thread executed an int3, the
// int3's own signal is lost ("standard signals do not queue", signal(7)), and
// `pc` is inside the sled. Then the thread executes the int3 once more.
uint64_t beforeLostTrap(uint64_t pc);

} // namespace tprt

#endif
