// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table that finds items by the page of their address. The items lie in
// one array. An attach to all functions of a library adds thousands of items in
// no particular order. In a sorted array, each addition would move the other
// items. Under the lock.
#ifndef TPRT_BASE_PAGE_HASH_H
#define TPRT_BASE_PAGE_HASH_H

#include "base/array.h"
#include "base/page_size.h"

namespace tprt {

// It lives as long as the process, and has neither constructor nor destructor.
// T has the members `uint64_t address` and `uint32_t next`; the table alone
// uses `next`. A pointer to an item is valid until the next insert() or
// remove().
template <class T> class Placed {
public:
  T *begin() { return items().begin(); }
  T *end() { return items().end(); }
  size_t size() { return items().size(); }

  T *find(uint64_t address) {
    for (uint32_t i = first(address); i; i = items()[i - 1].next)
      if (items()[i - 1].address == address)
        return &items()[i - 1];
    return nullptr;
  }
  // Whether `is` returns true for an item in the same page as `address`.
  template <class Is> bool hasNear(uint64_t address, const Is &is) {
    bool has = false;
    for (uint32_t i = first(address); i && !has; i = items()[i - 1].next)
      has = is(items()[i - 1]);
    return has;
  }
  // Returns false if there is no memory.
  bool insert(const T &item) {
    if ((items().size() >= heads().size() && !grow()) || !items().push(item))
      return false;
    link(static_cast<uint32_t>(items().size()));
    return true;
  }
  void remove(T *item) {
    unlink(numberOf(item));
    T *last = items().end() - 1;
    if (item != last) {
      unlink(numberOf(last));
      *item = *last;
      link(numberOf(item));
    }
    items().resize(items().size() - 1);
  }

private:
  // Items have numbers from 1 on; 0 ends an action list.
  uint32_t numberOf(const T *item) {
    return static_cast<uint32_t>(item - items().begin()) + 1;
  }
  uint32_t &head(uint64_t address) {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15; // 2^64 divided by the golden
                                                  // ratio
    return heads()[(address / pageBytes() * kOdd >> 32) & (heads().size() - 1)];
  }
  uint32_t first(uint64_t address) {
    return heads().empty() ? 0 : head(address);
  }
  void link(uint32_t number) {
    uint32_t &to = head(items()[number - 1].address);
    items()[number - 1].next = to;
    to = number;
  }
  void unlink(uint32_t number) {
    uint32_t *from = &head(items()[number - 1].address);
    while (*from != number)
      from = &items()[*from - 1].next;
    *from = items()[number - 1].next;
  }
  bool grow() {
    constexpr size_t kLeast = 512; // a power of two, like all sizes
    if (!heads().resize(heads().empty() ? kLeast : heads().size() * 2))
      return false;
    for (uint32_t &one : heads())
      one = 0;
    for (uint32_t number = 1; number <= items().size(); ++number)
      link(number);
    return true;
  }

  Array<T> &items() { return *allItems; }
  Array<uint32_t> &heads() { return *allHeads; }

  GlobalArray<T> allItems;
  GlobalArray<uint32_t> allHeads;
};

} // namespace tprt

#endif
