// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For actions with `every`: counts a thread's hits on a site since a probe was
// attached, and decides which hits are n-th hits. Each thread has a separate
// table, by probe and site. The table grows with the number of sites that the
// thread hits.
#ifndef TPRT_THREADS_EVERY_NTH_H
#define TPRT_THREADS_EVERY_NTH_H

#include "sites/reentry_flag.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// A thread's table, with open addressing; the capacity is a power of two. An
// entry with the key 0 is free. Only the thread itself uses the table, with its
// guard raised. The capacity is 0 while the table is being replaced with a
// larger table. If a siglongjmp leaves the replacement, the capacity stays 0.
struct HitNumbers {
  struct Entry {
    uint64_t key;
    uint64_t hits;
  };
  Entry *entries;
  uint32_t capacity, used;
  OwnWork growing;
};

// A new key, which all entries of a probe share. Returns 0 if there are too
// many such probes. Called under the lock.
uint64_t takeEveryKey();
// The probe is gone, so the entries with its key are dead. The key 0 is
// ignored.
void giveEveryKey(uint64_t key);

// Whether this hit of the calling thread, at `position`, is an n-th hit. *lost
// is set if this is unknown because there is no memory. Async-signal-safe.
bool isNthHit(HitNumbers &numbers, uint64_t key, uint32_t site, uint32_t every,
              uint64_t position, bool *lost);

// Empties the table for the block's next thread.
void forgetHits(HitNumbers &numbers);

} // namespace tprt

#endif
