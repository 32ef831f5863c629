/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program with many calls: recursive Fibonacci. Prints its time in
 * seconds.
 */
#include "clock.h"
#include <stdio.h>

__attribute__((noinline)) unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(int argc, char **argv) {
  unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 32;
  double start = tp_bench_cpu();
  unsigned result = fib(n);
  double seconds = tp_bench_cpu() - start;
  if (n == 32 && result != 2178309)
    return 1;
  printf("%.9f\n", seconds);
  return 0;
}
