/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A leaf function of a few instructions, called in a loop.
 */
#include "points/ways.h"

DECLARE(leaf_called);

__attribute__((noinline)) uint32_t leaf(uint32_t left, uint32_t right) {
  TRACE(leaf_called, "left=%u right=%u", left, right);
  return left * 31 ^ right >> 3;
}

enum { CALLS = 10000000 };

uint64_t work(void) {
  uint32_t value = 1;
  for (uint32_t i = 0; i < CALLS; ++i)
    value = leaf(value, i);
  __asm__ volatile("" ::"r"(value));
  return CALLS;
}
