/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of only the jumps, calls and returns of a hit:
 * floor_jumps_hit_ns, and floor_jumps_pair_ns for an entry and an exit. The
 * time of a function without these instructions is subtracted.
 */
#include "clock.h"
#include "hit_target.h"

#include <stdio.h>

uint64_t jumps_off(uint64_t value);
uint64_t jumps_hit(uint64_t value);
uint64_t jumps_pair(uint64_t value);

int main(void) {
  static double hit[HIT_ROUNDS], pair[HIT_ROUNDS];
  for (int i = 0; i < HIT_ROUNDS; ++i) {
    double off = hit_loop(jumps_off);
    hit[i] = hit_loop(jumps_hit) - off;
    pair[i] = hit_loop(jumps_pair) - off;
  }
  printf("floor_jumps_hit_ns %.3f\nfloor_jumps_pair_ns %.3f\n", tp_bench_median(hit, HIT_ROUNDS),
         tp_bench_median(pair, HIT_ROUNDS));
  return 0;
}
