/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A hot loop: a hash over bytes, traced at each byte.
 */
#include "points/ways.h"

#include <stddef.h>

DECLARE(byte_hashed);

static unsigned char bytes[4096];

__attribute__((noinline)) uint64_t hash(const unsigned char *at, size_t count) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; ++i) {
    value = (value ^ at[i]) * 0x100000001b3;
    TRACE(byte_hashed, "i=%zu value=%llx", i, (unsigned long long)value);
  }
  return value;
}

enum { TIMES = 3000 };

uint64_t work(void) {
  uint64_t sum = 0;
  for (int i = 0; i < TIMES; ++i) {
    bytes[i % sizeof(bytes)] += 1;
    sum += hash(bytes, sizeof(bytes));
  }
  __asm__ volatile("" ::"r"(sum));
  return TIMES * sizeof(bytes);
}
