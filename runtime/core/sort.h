// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting without libc, whose qsort allocates. Any thread.
#ifndef TPRT_CORE_SORT_H
#define TPRT_CORE_SORT_H

#include "core/memory.h"
#include "core/plain/array.h"

#include <stddef.h>

namespace tprt {

// In place, without memory. By less(a, b), of the addresses of two items, which
// are of whole words of 4 bytes. One pass over what is in order.
void heapSort(void *items, size_t count, size_t bytes,
              bool (*less)(const void *, const void *));

// By less(a, b), a lambda that captures nothing.
template <class T, class Less> void heapSort(T *items, size_t count, Less) {
  static_assert(sizeof(T) % 4 == 0);
  heapSort(items, count, sizeof(T), [](const void *a, const void *b) {
    return Less{}(*static_cast<const T *>(a), *static_cast<const T *>(b));
  });
}

struct Keyed {
  uint32_t key, value;
};

// By key; items of one key keep their order. Time in proportion to their
// number, where heapSort() waits for memory at every step: for what a module
// may have a million of. False: no memory for a copy of them; they may be out
// of order.
bool sortByKey(Array<Keyed> &items);

} // namespace tprt

#endif
