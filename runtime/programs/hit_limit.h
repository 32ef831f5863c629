// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of counting or recording by the program itself: STOP_IF of
// tprt/control_program.h. One for all threads of the process. In hits.
#ifndef TPRT_PROGRAMS_HIT_LIMIT_H
#define TPRT_PROGRAMS_HIT_LIMIT_H

#include "sites/arch.h"

#include <stdint.h>

namespace tprt {

struct HitLimit {
  // Of hits for which STOP_IF's register is not 0, if they are counted.
  uint32_t taken, finished;
  uint32_t over;   // 1: the last hit has been taken.
  uint32_t done;   // 1: it was also added or recorded, as were those before it.
  uint64_t doneAt; // As readTicks() tells.

  bool isOver() const { return __atomic_load_n(&over, __ATOMIC_RELAXED); }
  bool isDone() const { return __atomic_load_n(&done, __ATOMIC_ACQUIRE); }

  // Whether a hit counts, for which the program has run. `lastAt`: see
  // ProgramResult.
  bool takes(uint32_t lastAt) {
    if (!lastAt)
      return !isOver();
    if (lastAt > 1) {
      const uint32_t number = __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED);
      if (number != lastAt)
        return number < lastAt;
    }
    return !__atomic_exchange_n(&over, 1, __ATOMIC_RELAXED);
  }
  // A hit that was taken has been added or recorded.
  void finish(uint32_t lastAt) {
    if (lastAt == 1 ||
        (lastAt > 1 &&
         __atomic_add_fetch(&finished, 1, __ATOMIC_ACQ_REL) == lastAt)) {
      __atomic_store_n(&doneAt, readTicks(), __ATOMIC_RELAXED);
      __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    }
  }
  void reset() {
    __atomic_store_n(&taken, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&finished, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&done, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&over, 0, __ATOMIC_RELEASE);
  }
};

} // namespace tprt

#endif
