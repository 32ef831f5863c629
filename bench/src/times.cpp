/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of timing a call, entry and exit together, and compares it
 * with two reads of the counter. Links the static library, because a program
 * cannot reach this part of libtprt otherwise. The results are medians over the
 * rounds of the differences within a round. Prints "name value" lines.
 */

#include <cstdint>
#include <cstdio>

#include "clock.h"
#include "timing/duration_buckets.h"
#include "timing/timed_groups.h"
#include "timing/timed_rows.h"
extern "C" {
#include "hit_target.h"
}

#if defined(__x86_64__)
static inline uint64_t counter() { return __builtin_ia32_rdtsc(); }
#else
static inline uint64_t counter() {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#endif

__attribute__((noinline)) static uint64_t readTwice(uint64_t value) {
  uint64_t first = counter();
  __asm__ volatile("" ::"r"(first));
  uint64_t second = counter();
  __asm__ volatile("" ::"r"(second));
  return value * 3 + 1;
}

__attribute__((noinline)) static uint64_t readNever(uint64_t value) {
  __asm__ volatile("");
  return value * 3 + 1;
}

static double timed(size_t histogramBytes) {
  tprt::TimedGroup *group = nullptr;
  tprt::makeTimed(group, histogramBytes);
  tprt_selector selector = {};
  selector.function = "hit_target";
  tprt_result result = {};
  if (!group || tprt::addTimed(group, &selector, result) != TPRT_STATUS_OK) {
    fprintf(stderr, "cannot time: %s\n", tprt_error_string());
    exit(1);
  }
  double ns = hit_loop(hit_target);
  if (tprt::timedCalls(group) != HIT_CALLS) {
    fprintf(stderr, "not all calls were timed\n");
    exit(1);
  }
  tprt::endTimed(group, -1);
  return ns;
}

int main() {
  static double two[HIT_ROUNDS], sums[HIT_ROUNDS], all[HIT_ROUNDS];
  hit_loop(hit_target);
  for (int i = 0; i < HIT_ROUNDS; ++i) {
    two[i] = hit_loop(readTwice) - hit_loop(readNever);
    double off = hit_loop(hit_target);
    sums[i] = timed(0) - off;
    all[i] = timed(tprt::kHistogramBytes) - off;
  }
  printf("timed_two_reads_ns %.3f\n", tp_bench_median(two, HIT_ROUNDS));
  printf("timed_sums_ns %.3f\n", tp_bench_median(sums, HIT_ROUNDS));
  printf("timed_histogram_ns %.3f\n", tp_bench_median(all, HIT_ROUNDS));
}
