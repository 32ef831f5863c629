/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Clocks and medians for the benchmark programs.
 */
#ifndef TP_BENCH_CLOCK_H
#define TP_BENCH_CLOCK_H

#include <stdlib.h>
#include <time.h>

static inline double tp_bench_seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The CPU time of this thread, so that other load on the machine matters less.
 */
static inline double tp_bench_cpu(void) {
  return tp_bench_seconds(CLOCK_THREAD_CPUTIME_ID);
}
static inline double tp_bench_wall(void) {
  return tp_bench_seconds(CLOCK_MONOTONIC);
}

static inline int tp_bench_compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

static inline double tp_bench_median(double *values, size_t count) {
  qsort(values, count, sizeof(*values), tp_bench_compare);
  return values[count / 2];
}

#endif
