// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binary search. May be called on any thread. Async-signal-safe if the caller's
// comparison is.
#ifndef TPRT_BASE_SEARCH_H
#define TPRT_BASE_SEARCH_H

namespace tprt {

template <class T> struct SameType {
  using Type = T;
};

// The first index from `low` on for which `isBefore(index)` is false; `high` if
// it is true for all indexes below `high`. The comparison must be true for all
// indexes below a certain index, and false from that index on.
template <class Index, class Before>
inline Index partitionPoint(typename SameType<Index>::Type low, Index high,
                            const Before &isBefore) {
  while (low < high) {
    Index middle = low + (high - low) / 2;
    if (isBefore(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

} // namespace tprt

#endif
