// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts values in buckets whose width grows with the value. There are 32
// buckets for each doubling, so a percentile is off by at most 1.6 percent. Not
// thread-safe.

#ifndef TP_TRACE_HISTOGRAM_H
#define TP_TRACE_HISTOGRAM_H

#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"
#include <cstdint>
#include <vector>

namespace tp::trace {

class Histogram {
public:
  void add(uint64_t Value) {
    size_t At = bucketOf(Value) - First;
    if (LLVM_UNLIKELY(At >= Counts.size()))
      At = grow(Value);
    ++Counts[At];
  }
  void add(const Histogram &Other);
  /// Adds the values of another histogram, multiplied by a factor.
  void addScaled(const Histogram &Other, double Factor);
  /// The middle of the bucket below which this share of the values is.
  double quantile(double Share) const;
  uint64_t count() const;

private:
  static constexpr unsigned Bits = 5;
  static unsigned bucketOf(uint64_t Value) {
    constexpr uint64_t Linear = uint64_t(1) << Bits;
    if (Value < Linear)
      return static_cast<unsigned>(Value);
    unsigned Power = 63 - llvm::countl_zero(Value);
    return ((Power - Bits + 1) << Bits) +
           (static_cast<unsigned>(Value >> (Power - Bits)) & (Linear - 1));
  }
  static double middleOf(unsigned Bucket);
  size_t grow(uint64_t Value);
  void cover(unsigned From, unsigned To);

  std::vector<uint64_t> Counts;
  unsigned First = 0;
};

} // namespace tp::trace

#endif
