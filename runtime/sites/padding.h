// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead bytes: padding that no thread executes, after an instruction that never
// continues to the next one. A jump may be written there. Offsets are from the
// module's origin. Any thread may use this without a lock.
#ifndef TPRT_SITES_PADDING_H
#define TPRT_SITES_PADDING_H

#include "base/array.h"

namespace tprt {

struct DeadRun {
  uint32_t start, end;
};

class DeadBytes {
public:
  // Adds a run after all earlier runs, or extends the last run. Returns false
  // if there is no memory.
  bool add(uint32_t start, uint32_t end);
  // Shortens runs that are the target of a jump, because the target is not
  // dead. `targets` is in order.
  void cut(const uint32_t *targets, size_t count);
  // The same, if first(start, end) returns the first target from `start` up to
  // `end`, or `end` if there is none.
  template <class First> void cut(const First &first) {
    for (DeadRun &run : runs)
      run.end = first(run.start, run.end);
  }

  // Whether the `bytes` bytes from `start` on can be allocated.
  bool hasAt(uint32_t start, uint32_t bytes) const;
  // Allocates `bytes` bytes from `start` on. Returns false if they are not dead
  // or are already allocated.
  bool takeAt(uint32_t start, uint32_t bytes);
  // Allocates at most `most` bytes from `start` on. Returns how many.
  uint8_t takeUpTo(uint32_t start, uint32_t most);
  // Allocates `bytes` bytes that begin anywhere from `low` to `high`. Returns
  // the offset, or 0. If possible, leaves `spared` bytes free at the beginning
  // of a run, because the return before the run may need them.
  uint32_t takeNear(uint32_t low, uint32_t high, uint32_t bytes,
                    uint32_t spared);
  // The offset that takeNear() would return, without an allocation.
  uint32_t findNear(uint32_t low, uint32_t high, uint32_t bytes) const;
  void swap(DeadBytes &other) {
    runs.swap(other.runs);
    found = other.found = 0;
  }
  void reset() { runs.reset(); }

private:
  bool takeFrom(size_t i, uint32_t at, uint32_t bytes);
  bool findLeaving(uint32_t low, uint32_t high, uint32_t bytes, uint32_t keep,
                   size_t &run, uint32_t &at) const;
  uint32_t takeLeaving(uint32_t low, uint32_t high, uint32_t bytes,
                       uint32_t keep);
  // The first run that ends after `at`.
  size_t firstAfter(uint32_t at) const;

  Array<DeadRun> runs; // In order of address, without overlap.
  // The last result of firstAfter(). Most calls concern the same run as the
  // previous call, or one of the next runs.
  mutable size_t found = 0;
};

} // namespace tprt

#endif
