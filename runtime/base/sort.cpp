// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting; see sort.h. The code of the heap sort is the same for items of all
// types.
#include "base/sort.h"
#include "base/array.h"

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

// Keys of 32 bits need three passes.
static constexpr unsigned kDigitBits = 11;
static constexpr uint32_t kDigits = 1u << kDigitBits;

static uint32_t digitOf(const Keyed &item, unsigned shift) {
  return item.key >> shift & (kDigits - 1);
}

// One pass of a radix sort by the digit at `shift`, lowest digits first.
static void sortByDigit(const Array<Keyed> &from, Array<Keyed> &to,
                        unsigned shift) {
  // First the number of items with each digit, later the index at which the
  // next item with this digit is stored.
  uint32_t next[kDigits] = {};
  for (const Keyed &item : from)
    ++next[digitOf(item, shift)];
  uint32_t sum = 0;
  for (uint32_t &place : next) {
    uint32_t count = place;
    place = sum;
    sum += count;
  }
  Keyed *out = to.begin();
  for (const Keyed &item : from)
    out[next[digitOf(item, shift)]++] = item;
}

bool sortByKey(Array<Keyed> &items) {
  bool ordered = true;
  uint32_t used = 0; // bits in which keys differ
  for (size_t i = 1; i < items.size(); ++i) {
    ordered &= items[i - 1].key <= items[i].key;
    used |= items[i - 1].key ^ items[i].key;
  }
  if (ordered)
    return true;
  Array<Keyed> other;
  if (!other.resize(items.size()))
    return false;
  for (unsigned shift = 0; shift < 32; shift += kDigitBits)
    if (used >> shift & (kDigits - 1)) {
      sortByDigit(items, other, shift);
      items.swap(other);
    }
  return true;
}

} // namespace tprt
