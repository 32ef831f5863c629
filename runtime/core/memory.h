// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's own memory. Everything comes from mmap, so that a traced
// malloc, or an attach from inside one, cannot meet itself. Callers hold the
// runtime's lock unless a function says otherwise.
#ifndef TPRT_CORE_MEMORY_H
#define TPRT_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace tprt {

// Zeroed pages, or nullptr. Thread-safe and async-signal-safe.
void *allocatePages(size_t bytes);
// The same for a large, sparsely used range: costs address space only.
void *reservePages(size_t bytes);
// Makes pages that are about to be written present in one call rather than by a
// fault each. Does nothing for small ranges, or where the kernel can't.
void populatePages(void *memory, size_t bytes);
void freePages(void *memory, size_t bytes);
size_t roundToPages(size_t bytes);

// A run of pages for an array: at least `wanted` bytes with the first `used` of
// `run` (nullptr: none) in it; *bytes is the run's size before and after. What
// is given back is kept for the next one, up to 4.7 MB: to map and unmap an
// array in every operation costs page faults, and an interrupt of every core
// that runs this program. Not zeroed. nullptr: no memory, the old run stands.
// Thread-safe.
void *growRun(void *run, size_t used, size_t wanted, size_t *bytes);
void giveRun(void *run, size_t bytes);

// Zeroed small blocks in power-of-two sizes, for probes and chains. Under the
// lock.
void *allocateSmall(size_t bytes);
void freeSmall(void *memory, size_t bytes);

// A growing array of plain data. push() and resize() return false, and leave
// the array as it was, when there is no memory.
template <class T> class Array {
public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  Array(Array &&other) noexcept { swap(other); }
  ~Array() { reset(); }

  bool push(const T &item) {
    if (used == room && !reserve(room ? room * 2 : 1))
      return false;
    items[used++] = item;
    return true;
  }
  bool resize(size_t count) {
    if (count > room && !reserve(count))
      return false;
    if (count > used)
      memset(static_cast<void *>(items + used), 0, (count - used) * sizeof(T));
    used = count;
    return true;
  }
  bool reserve(size_t count) {
    if (count <= room)
      return true;
    void *memory = growRun(items, used * sizeof(T), count * sizeof(T), &bytes);
    if (!memory)
      return false;
    items = static_cast<T *>(memory);
    room = bytes / sizeof(T);
    return true;
  }
  void reset() {
    if (items)
      giveRun(items, bytes);
    items = nullptr;
    used = room = bytes = 0;
  }
  void clear() { used = 0; }
  void swap(Array &other) {
    T *i = items;
    items = other.items;
    other.items = i;
    size_t u = used;
    used = other.used;
    other.used = u;
    size_t r = room;
    room = other.room;
    other.room = r;
    size_t b = bytes;
    bytes = other.bytes;
    other.bytes = b;
  }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T *begin() { return items; }
  T *end() { return items + used; }
  const T *begin() const { return items; }
  const T *end() const { return items + used; }
  size_t size() const { return used; }
  bool empty() const { return used == 0; }

private:
  T *items = nullptr;
  size_t used = 0;
  size_t room = 0;
  size_t bytes = 0; // of the run
};

} // namespace tprt

#endif
