/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Many arguments: a loop that keeps eight words in registers, and traces all of
 * them.
 */
#include "points/ways.h"

DECLARE(round_done);

enum { ROUNDS = 10000000 };

static inline uint32_t turn(uint32_t value, unsigned by) {
  return value << by | value >> (32 - by);
}

__attribute__((noinline)) uint32_t mix(uint32_t rounds) {
  uint32_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  for (uint32_t i = 0; i < rounds; ++i) {
    a += b, d = turn(d ^ a, 16), c += d, b = turn(b ^ c, 12);
    e += f, h = turn(h ^ e, 8), g += h, f = turn(f ^ g, 7);
    TRACE(round_done, "%u: %x %x %x %x %x %x %x %x", i, a, b, c, d, e, f, g, h);
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

uint64_t work(void) {
  __asm__ volatile("" ::"r"(mix(ROUNDS)));
  return ROUNDS;
}
