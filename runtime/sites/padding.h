// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead bytes: padding that no thread executes, after an instruction that never
// continues to the next one. A jump may be put there. Offsets are from the
// module's origin. Any thread; takes no lock.
#ifndef TPRT_SITES_PADDING_H
#define TPRT_SITES_PADDING_H

#include "base/array.h"

namespace tprt {

struct DeadRun {
  uint32_t start, end;
};

class DeadBytes {
public:
  // Adds a run after all earlier ones, or to the last one. False: no memory.
  bool add(uint32_t start, uint32_t end);
  // Shortens runs that are the target of a jump, because the target is not
  // dead. `targets` is in order.
  void cut(const uint32_t *targets, size_t count);
  // The same, where first(start, end) is the first target from `start` up to
  // `end`, or `end`.
  template <class First> void cut(const First &first) {
    for (DeadRun &run : runs)
      run.end = first(run.start, run.end);
  }

  // Whether `bytes` that begin at `start` can be taken.
  bool hasAt(uint32_t start, uint32_t bytes) const;
  // Takes `bytes` that begin at `start`. False: they are not dead, or taken.
  bool takeAt(uint32_t start, uint32_t bytes);
  // Takes at most `most` bytes that begin at `start`. Returns how many.
  uint8_t takeUpTo(uint32_t start, uint32_t most);
  // Takes `bytes` anywhere from `low` to `high`, where high is the last
  // permitted first byte. Returns the offset, or 0. If possible, leaves
  // `spared` bytes at the beginning of a run, which the return before the run
  // may need.
  uint32_t takeNear(uint32_t low, uint32_t high, uint32_t bytes,
                    uint32_t spared);
  // Where takeNear() would find `bytes`, or 0. Takes nothing.
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
  size_t firstBehind(uint32_t at) const;

  Array<DeadRun> runs; // In order of address, without overlap.
  // The last result of firstBehind(). Most questions are about the same run as
  // the previous question, or about one of the next runs.
  mutable size_t found = 0;
};

} // namespace tprt

#endif
