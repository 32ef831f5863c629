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

// The address at which a thread that executed the int3 at `address` continues:
// the stub of the sled, or again the sled. Returns 0 if that int3 is not ours.
uint64_t destinationOfTrap(uint64_t address);

// The address at which a thread continues that received a SIGTRAP from a thread
// or process at `pc`. If the signal arrived while the thread executed an int3,
// the int3's own signal is lost ("standard signals do not queue", signal(7)),
// and `pc` is inside the sled. The thread then executes the int3 again.
uint64_t beforeLostTrap(uint64_t pc);

} // namespace tprt

#endif
