/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arguments with calls: lookups in a hash table. The traced arguments are
 * the results of two functions for the found key.
 */
#include "points/ways.h"

#include <stddef.h>

DECLARE(key_found);

enum { SLOTS = 1024, LOOKUPS = 8000000 };
static uint32_t keys[SLOTS];

/* The empty asm keeps a compiler from dropping calls with an unused result. */
__attribute__((noinline)) const char *name_of(uint32_t key) {
  __asm__ volatile("");
  return key & 1 ? "odd" : "even";
}

__attribute__((noinline)) int depth_of(uint32_t key, size_t slot) {
  __asm__ volatile("");
  return (int)((slot - key) % SLOTS);
}

__attribute__((noinline)) size_t find(uint32_t key) {
  size_t slot = key * 2654435761u % SLOTS;
  while (keys[slot] != key)
    slot = (slot + 1) % SLOTS;
  TRACE(key_found, "key=%u name=%s depth=%d", key, name_of(key), depth_of(key, slot));
  return slot;
}

uint64_t work(void) {
  for (uint32_t key = 1; key <= SLOTS / 2; ++key) {
    size_t slot = key * 2654435761u % SLOTS;
    while (keys[slot])
      slot = (slot + 1) % SLOTS;
    keys[slot] = key;
  }
  size_t sum = 0;
  for (uint32_t i = 0; i < LOOKUPS; ++i)
    sum += find(i % (SLOTS / 2) + 1);
  __asm__ volatile("" ::"r"(sum));
  return LOOKUPS;
}
