// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a thread's hits on a site is the n-th since a probe was attached:
// for actions with `every`. Each thread has a table of its own, by probe and
// site; it grows with what the thread hits.
#ifndef TPRT_CORE_EVERY_H
#define TPRT_CORE_EVERY_H

#include "core/ownwork.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// A thread's table: open addressing, a power of two. A key of 0 is free. Used
// by its own thread alone, with the guard up. The capacity is 0 while the table
// is exchanged for a larger one, and after that was left by siglongjmp.
struct HitNumbers {
  struct Entry {
    uint64_t key;
    uint64_t hits;
  };
  Entry *entries;
  uint32_t capacity, used;
  OwnWork growing;
};

// A probe's key: what its entries have in common. 0: there are too many such
// probes. Under the lock.
uint64_t takeEveryKey();
// The probe is gone, so that its entries are dead. 0 is ignored.
void giveEveryKey(uint64_t key);

// Whether this hit of the calling thread, at `position`, is an n-th one. *lost
// is set where there is no memory to know. Async-signal-safe.
bool isNthHit(HitNumbers &numbers, uint64_t key, uint32_t site, uint32_t every,
              uint64_t position, bool *lost);

// For the next thread of the block.
void forgetHits(HitNumbers &numbers);

} // namespace tprt

#endif
