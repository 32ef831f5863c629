// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules for lists of calls under way, which duration_probe.cpp and
// control/times.cpp keep for each thread. A call is known by its stack
// position: the stack pointer at its entry. Called in hits, on any thread:
// async-signal-safe.
#ifndef TPRT_TIMING_SHADOW_STACK_H
#define TPRT_TIMING_SHADOW_STACK_H

#include "threads/thread_block.h"

namespace tprt {

// The most calls that one list holds.
constexpr uint32_t kMostOpen = 4096;

// Whether the call at `position` is under way around a call that begins at
// `stack`. 0: the call ended on another thread. guardStands() makes a system
// call, so it is only asked about calls that lie below the new one. Therefore
// a call on an alternate stack further up that was left by longjmp is noticed
// later.
inline bool isOpenAround(uint64_t position, uint64_t stack) {
  return position > stack || (position && guardStands(position, stack));
}

// Marks a call in any thread's list as ended if it is at `stack`. The caller
// runs at that position, so no such call is under way. The list's thread may
// add and remove calls meanwhile, but none at `stack`. Most calls are
// elsewhere, so the position is compared before the exchange, which is slow.
inline void disown(uint64_t &position, uint64_t stack) {
  uint64_t own = __atomic_load_n(&position, __ATOMIC_RELAXED);
  if (own == stack)
    __atomic_compare_exchange_n(&position, &own, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

} // namespace tprt

#endif
