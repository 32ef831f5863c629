/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Recursive Fibonacci, traced at its entry.
 */
#include "points/ways.h"

DECLARE(fib_called);

__attribute__((noinline)) unsigned fib(unsigned n) {
  TRACE(fib_called, "n=%u", n);
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

uint64_t work(void) {
  __asm__ volatile("" ::"r"(fib(34)));
  return 18454929; /* calls of fib */
}
