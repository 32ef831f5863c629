// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of memory: a loaded module's segments, and the range that a store can
// change. Plain data without locks.
#ifndef TPRT_BASE_EXTENT_H
#define TPRT_BASE_EXTENT_H

#include "base/array.h"

namespace tprt {

// The addresses from `start` up to, but excluding, `end`.
struct Extent {
  uint64_t start, end;
};

// A loaded module's segments, as the loader reports them.
struct Segment {
  uint64_t start, end; // Addresses.
  // PF_R | PF_W | PF_X. The member has 64 bits so that the structure has no
  // padding: a module's checksum reads the whole structure.
  uint64_t flags;
};

// All segments of one module, in any storage.
struct Segments {
  const Segment *first;
  size_t count;

  Segments(const Segment *first, size_t count) : first(first), count(count) {}
  Segments(const Array<Segment> &all) : Segments(all.begin(), all.size()) {}
  const Segment *begin() const { return first; }
  const Segment *end() const { return first + count; }
};

} // namespace tprt

#endif
