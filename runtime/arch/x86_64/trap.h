// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads go on that executed an int3. Async-signal-safe, without a lock.
#ifndef TPRT_ARCH_TRAP_H
#define TPRT_ARCH_TRAP_H

#include "core/arch.h"

#include <ucontext.h>

namespace tprt {

inline constexpr uint8_t kInt3 = 0xcc;

// Where a thread that was interrupted goes on.
inline greg_t &programCounter(void *context) {
  return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
}

// Where a thread that executed the int3 at `address` is to go on: at the stub
// of the sled there, at the sled once more, or 0: that int3 is not ours.
uint64_t destinationOfTrap(uint64_t address);

// Where a thread goes on that got a sent SIGTRAP at `pc`. If that came while it
// executed an int3, that one's signal is lost in it ("standard signals do not
// queue", signal(7)), and the thread is inside the sled: it executes the int3
// once more.
uint64_t beforeLostTrap(uint64_t pc);

} // namespace tprt

#endif
