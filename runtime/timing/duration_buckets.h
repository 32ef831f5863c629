// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buckets of histograms of durations.
#ifndef TPRT_TIMING_DURATION_BUCKETS_H
#define TPRT_TIMING_DURATION_BUCKETS_H

#include <stdint.h>

namespace tprt {

// Ticks below 16 have a bucket each. Above, each doubling has 16 buckets of
// equal width. Without a branch, because short calls have ticks about 16.
constexpr unsigned kBucketShift = 48; // docs/reference/control.md
constexpr uint32_t kBuckets = 61 * 16;
constexpr uint32_t bucketOf(uint64_t ticks) {
  auto shift = 59 - static_cast<unsigned>(__builtin_clzll(ticks | 16));
  return static_cast<uint32_t>(shift * 16 + (ticks >> shift));
}
// The least ticks of a bucket.
constexpr uint64_t startOfBucket(uint32_t bucket) {
  return bucket < 16 ? bucket
                     : (uint64_t{16} | bucket % 16) << (bucket / 16 - 1);
}

} // namespace tprt

#endif
