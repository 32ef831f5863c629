/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures LTTng-UST's tracepoint with two integers. The time of the same
 * function without a tracepoint is subtracted. The cost depends on whether a
 * session records the tracepoint. Prints a "name value" line.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "points/lttng_events.h"

#include "clock.h"
#include "hit_target.h"

#include <stdio.h>

__attribute__((noinline, aligned(64))) static uint64_t without(uint64_t value) {
  return value * 3 + 1;
}

__attribute__((noinline, aligned(64))) static uint64_t with(uint64_t value) {
  lttng_ust_tracepoint(tp_bench, two_integers, value, 7);
  return value * 3 + 1;
}

int main(void) {
  static double times[HIT_ROUNDS];
  hit_loop(with);
  for (int i = 0; i < HIT_ROUNDS; ++i) {
    double off = hit_loop(without);
    times[i] = hit_loop(with) - off;
  }
  printf("lttng_%s %.3f\n",
         lttng_ust_tracepoint_enabled(tp_bench, two_integers) ? "record_ns" : "off_ns",
         tp_bench_median(times, HIT_ROUNDS));
  return 0;
}
