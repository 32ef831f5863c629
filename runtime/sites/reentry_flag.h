// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flag in a thread's block. While it is raised, the thread does work that a
// hit in one of its signal handlers must not do at the same time. Such a signal
// handler may leave the work by siglongjmp, so that the flag is not lowered. So
// the flag's value is the stack position of the hit that raised it. The flag is
// no longer valid once the stack is in use again from that position upward.
// Only the thread itself uses it, in hits; any thread may call isUnderWay() and
// where().
#ifndef TPRT_SITES_REENTRY_FLAG_H
#define TPRT_SITES_REENTRY_FLAG_H

#include <stdint.h>

namespace tprt {

bool guardHolds(uint64_t guard, uint64_t here); // thread_block.h

class OwnWork {
public:
  // Returns false if the work is already in progress, in code that this hit
  // interrupted. `here` is the hit's position, or the lower position of the
  // caller's frame.
  bool begin(uint64_t here) {
    if (position && guardHolds(position, here))
      return false;
    __atomic_store_n(&position, here, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
  }
  void end() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&position, 0, __ATOMIC_RELEASE);
  }
  // Called when the thread now uses its stack from `low` to `high` for
  // something else.
  void endIfBetween(uint64_t low, uint64_t high) {
    if (position >= low && position < high)
      end();
  }
  bool isUnderWay() const { return where() != 0; }
  // The position, or 0 if no work is in progress.
  uint64_t where() const {
    return __atomic_load_n(&position, __ATOMIC_ACQUIRE);
  }

private:
  uint64_t position; // 0 means that no work is in progress.
};

} // namespace tprt

#endif
