// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the keys of a hit, as program.h has them. In hits: async-signal-safe,
// without vector registers. Each function returns the new end of the keys.
#ifndef TPRT_PROGRAMS_HIT_KEYS_H
#define TPRT_PROGRAMS_HIT_KEYS_H

#include "programs/program.h"

namespace tprt {

inline uint64_t *addWord(uint64_t *keysEnd, uint64_t word) {
  *keysEnd = word;
  return keysEnd + 1;
}

// `count` bytes at an address, at most `most`. Unknown if they cannot be read,
// or if `count` is negative.
uint64_t *addBytesKey(uint64_t *keysEnd, uint64_t address, uint32_t most,
                      uint64_t count);
// A string, which ends after `bound` bytes if no NUL comes before.
uint64_t *addStringKey(uint64_t *keysEnd, uint64_t address, uint32_t most,
                       uint64_t bound);
// The stack of the hit. Of a call whose frame is gone only the caller is known,
// from its entry.
uint64_t *addStackKey(uint64_t *keysEnd, const HitValues &hit, uint32_t most);

} // namespace tprt

#endif
