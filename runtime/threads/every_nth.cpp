// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a hit is an n-th hit; see every_nth.h. Runs inside hits, so
// it is async-signal-safe. The only system calls in this file are mmap and
// munmap, when a table grows. Keys are allocated and freed under the lock.
#include "threads/every_nth.h"
#include "base/os_memory.h"
#include "base/small_alloc.h"
#include "sites/site.h"

#include <string.h>

namespace tprt {

// A key consists of a place in this array, and of the place's generation when
// the key was made. So a table recognizes dead entries when it is rebuilt:
//   generation (28 bits) | place (12 bits) | site (24 bits)
static constexpr unsigned kPlaceBits = 12, kSiteBits = 24;
static constexpr uint32_t kPlaces = 1u << kPlaceBits;
static uint32_t generations[kPlaces]; // odd while a probe has the place

static uint64_t keyOf(uint32_t place) {
  uint64_t generation = __atomic_load_n(&generations[place], __ATOMIC_RELAXED);
  return (generation << kPlaceBits | place) << kSiteBits;
}
static uint32_t placeIn(uint64_t key) {
  return key >> kSiteBits & (kPlaces - 1);
}
static bool isLive(uint64_t key) {
  return keyOf(placeIn(key)) >> kSiteBits == key >> kSiteBits;
}

uint64_t takeEveryKey() {
  static uint32_t next; // the next place to try; places are reused as late as
                        // possible
  for (uint32_t i = 0; i < kPlaces; ++i) {
    uint32_t place = next++ % kPlaces;
    if (generations[place] % 2)
      continue;
    uint32_t generation = (generations[place] + 1) & ((1u << 28) - 1);
    __atomic_store_n(&generations[place], generation, __ATOMIC_RELAXED);
    return keyOf(place);
  }
  return 0;
}

void giveEveryKey(uint64_t key) {
  if (key)
    __atomic_store_n(&generations[placeIn(key)], generations[placeIn(key)] + 1,
                     __ATOMIC_RELAXED);
}

static HitNumbers::Entry *placeOf(HitNumbers::Entry *entries, uint32_t capacity,
                                  uint64_t key) {
  uint64_t at = key * 0x9e3779b97f4a7c15u >> 32;
  for (;; ++at) {
    HitNumbers::Entry *entry = &entries[at & (capacity - 1)];
    if (!entry->key || entry->key == key)
      return entry;
  }
}

// Replaces the table with a table of twice the size that its live entries need.
static bool makeRoom(HitNumbers &numbers) {
  uint32_t alive = 0;
  for (uint32_t i = 0; i < numbers.capacity; ++i)
    alive += numbers.entries[i].key && isLive(numbers.entries[i].key);
  uint32_t capacity = 256;
  while (capacity < 4 * alive)
    capacity *= 2;
  auto *entries = static_cast<HitNumbers::Entry *>(
      allocatePages(capacity * sizeof(HitNumbers::Entry)));
  if (!entries)
    return false;
  for (uint32_t i = 0; i < numbers.capacity; ++i)
    if (numbers.entries[i].key && isLive(numbers.entries[i].key))
      *placeOf(entries, capacity, numbers.entries[i].key) = numbers.entries[i];
  HitNumbers::Entry *old = numbers.entries;
  size_t oldBytes = numbers.capacity * sizeof(HitNumbers::Entry);
  // A hit in a signal handler meanwhile finds either no table or a complete
  // table.
  __atomic_store_n(&numbers.capacity, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  numbers.entries = entries;
  numbers.used = alive;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&numbers.capacity, capacity, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (oldBytes)
    freePages(old, oldBytes);
  return true;
}

bool isNthHit(HitNumbers &numbers, uint64_t key, uint32_t site, uint32_t every,
              uint64_t position, bool *lost) {
  if (2 * numbers.used >= numbers.capacity && numbers.growing.begin(position)) {
    // If a hit in a signal handler is delivered meanwhile, that hit uses the
    // old table.
    bool made = makeRoom(numbers);
    numbers.growing.end();
    *lost = !made && numbers.used + 1 >= numbers.capacity;
  } else {
    *lost = numbers.used + 1 >= numbers.capacity;
  }
  if (*lost)
    return false;
  HitNumbers::Entry *entry =
      placeOf(numbers.entries, numbers.capacity, key | site);
  numbers.used += !entry->key;
  entry->key = key | site;
  return ++entry->hits % every == 0;
}

void forgetHits(HitNumbers &numbers) {
  numbers.growing.end();
  if (numbers.used)
    memset(numbers.entries, 0, numbers.capacity * sizeof(HitNumbers::Entry));
  numbers.used = 0;
}

} // namespace tprt
