// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting without libc, whose qsort allocates memory. Any thread.
#ifndef TPRT_BASE_SORT_H
#define TPRT_BASE_SORT_H

#include "base/array.h"
#include "base/small_alloc.h"

#include <stddef.h>

namespace tprt {

// Sorts in place and needs no memory. `less` gets the addresses of two items.
// An item consists of whole 4-byte words. If the items are already in order,
// the sort needs one pass.
void heapSort(void *items, size_t count, size_t bytes,
              bool (*less)(const void *, const void *));

// The same, where `less` is a lambda that captures nothing.
template <class T, class Less> void heapSort(T *items, size_t count, Less) {
  static_assert(sizeof(T) % 4 == 0);
  heapSort(items, count, sizeof(T), [](const void *a, const void *b) {
    return Less{}(*static_cast<const T *>(a), *static_cast<const T *>(b));
  });
}

struct Keyed {
  uint32_t key, value;
};

// Sorts by key; items with the same key keep their order. For arrays that may
// have a million items in a module: the time grows in proportion to their
// number, while heapSort() waits for memory at every step. If there is no
// memory for a copy of the items, returns false and leaves the items in any
// order.
bool sortByKey(Array<Keyed> &items);

} // namespace tprt

#endif
