/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the least possible cost of a call from a function's entry. The
 * target is compiled with -finstrument-functions-after-inlining and calls empty
 * functions. The figures are the time of a pair of calls and half of that
 * time. The time of the same function without instrumentation is
 * subtracted.
 */
#include "clock.h"
#include "hit_target.h"

#include <stdio.h>

uint64_t hit_target_plain(uint64_t value);
void __cyg_profile_func_enter(void *, void *) __attribute__((alias("floor_hook")));
void __cyg_profile_func_exit(void *, void *) __attribute__((alias("floor_hook")));
__attribute__((noinline)) void floor_hook(void *function, void *caller) {
  __asm__ volatile("" ::"r"(function), "r"(caller));
}

int main(void) {
  static double off[HIT_ROUNDS], on[HIT_ROUNDS];
  for (int i = 0; i < HIT_ROUNDS; ++i) {
    off[i] = hit_loop(hit_target_plain);
    on[i] = hit_loop(hit_target) - off[i];
  }
  double pair = tp_bench_median(on, HIT_ROUNDS);
  printf("finstrument_pair_ns %.3f\nfloor_instrument_functions_ns %.3f\n", pair, pair / 2);
  return 0;
}
