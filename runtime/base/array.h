// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A growing array of plain data, in the runtime's own pages instead of malloc's
// memory (os_memory.h). Not thread-safe: the owner of an array serialises its
// use.
#ifndef TPRT_BASE_ARRAY_H
#define TPRT_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// The part of an Array that does not depend on the type of its items, so that
// the library has this code only once.
class Run {
public:
  Run() = default;
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;
  ~Run() { reset(); }

  void reset();
  void clear() { used = 0; }
  void swap(Run &other);
  size_t size() const { return used; }
  bool empty() const { return used == 0; }

protected:
  // Makes room for `wanted` bytes or for twice the present size, whichever is
  // larger. Because of the doubling, pushing n items copies fewer than 2 n
  // items.
  bool grow(size_t usedBytes, size_t wanted);
  bool reserve(size_t count, size_t itemBytes);
  bool resize(size_t count, size_t itemBytes);
  bool append(const void *from, size_t count, size_t itemBytes);
  // Returns the address for one more item, or nullptr if there is no memory.
  void *add(size_t itemBytes);
  void *at(size_t i, size_t itemBytes) const {
    return static_cast<char *>(items) + i * itemBytes;
  }

  void *items = nullptr;
  size_t used = 0;  // The number of items.
  size_t bytes = 0; // The size of the memory at `items`.
};

// A growing array of plain data. If there is no memory, push() and resize()
// return false and leave the array as it was.
template <class T> class Array : public Run {
public:
  bool push(const T &item) {
    // Usually there is room, and the push is only a few instructions.
    if ((used + 1) * sizeof(T) <= bytes) [[likely]] {
      static_cast<T *>(items)[used++] = item;
      return true;
    }
    void *place = add(sizeof(T));
    if (place)
      *static_cast<T *>(place) = item;
    return place;
  }
  bool resize(size_t count) { return Run::resize(count, sizeof(T)); }
  // Copies `count` items from `from` to the end of the array.
  bool append(const T *from, size_t count) {
    return Run::append(from, count, sizeof(T));
  }
  bool reserve(size_t count) { return Run::reserve(count, sizeof(T)); }
  T &operator[](size_t i) { return begin()[i]; }
  const T &operator[](size_t i) const { return begin()[i]; }
  T *begin() { return static_cast<T *>(items); }
  T *end() { return begin() + used; }
  const T *begin() const { return static_cast<const T *>(items); }
  const T *end() const { return begin() + used; }
};

// An array that lives as long as the process. It has neither constructor nor
// destructor: if a destructor of libtprt ran first, the program's own
// destructors could not call libtprt any more.
template <class T> class GlobalArray {
public:
  Array<T> &operator*() { return *reinterpret_cast<Array<T> *>(storage); }

private:
  alignas(Array<T>) char storage[sizeof(Array<T>)] = {};
};

} // namespace tprt

#endif
