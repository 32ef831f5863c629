// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See sort.h. One piece of code for items of all types.
#include "core/sort.h"

#include <stdint.h>
#include <string.h>

namespace tprt {

namespace {
struct Heap {
  char *items;
  size_t bytes;
  bool (*less)(const void *, const void *);

  char *at(size_t i) const { return items + i * bytes; }
  void swap(size_t a, size_t b) const {
    for (size_t i = 0; i < bytes; i += 4) {
      uint32_t left, right;
      memcpy(&left, at(a) + i, 4);
      memcpy(&right, at(b) + i, 4);
      memcpy(at(a) + i, &right, 4);
      memcpy(at(b) + i, &left, 4);
    }
  }
  void sift(size_t root, size_t end) const {
    for (size_t child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && less(at(child), at(child + 1)))
        ++child;
      if (!less(at(root), at(child)))
        return;
      swap(root, child);
    }
  }
};
} // namespace

void heapSort(void *items, size_t count, size_t bytes,
              bool (*less)(const void *, const void *)) {
  Heap heap{static_cast<char *>(items), bytes, less};
  size_t ordered = 1;
  while (ordered < count && !less(heap.at(ordered), heap.at(ordered - 1)))
    ++ordered;
  if (ordered >= count)
    return;
  for (size_t i = count / 2; i-- > 0;)
    heap.sift(i, count);
  for (size_t end = count; end-- > 1;) {
    heap.swap(0, end);
    heap.sift(0, end);
  }
}

} // namespace tprt
