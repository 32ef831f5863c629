/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of a call under `uftrace record`: the time of the
 * target compiled with -pg less the time of the same function compiled
 * without -pg. The program makes few calls, because each call is recorded.
 */
#include "clock.h"
#include "hit_target.h"

#include <stdio.h>

uint64_t hit_target_plain(uint64_t value);

enum { RECORDED_ROUNDS = 5 };

int main(void) {
  double pair[RECORDED_ROUNDS];
  for (int i = 0; i < RECORDED_ROUNDS; ++i) {
    double off = hit_loop(hit_target_plain);
    pair[i] = hit_loop(hit_target) - off;
  }
  printf("uftrace_pair_ns %.3f\n", tp_bench_median(pair, RECORDED_ROUNDS));
  return 0;
}
