/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program of 100,000 functions that tpctl enables from outside. A thread
 * calls one of them all the time and notes its longest delay. If the scheduler
 * gave the CPU to another thread, the gap does not count; if the thread
 * itself waited, the gap counts. For each line of input the program prints
 * the longest delay, in microseconds, and starts again.
 */
#define _GNU_SOURCE
#include "two_cpus.h"
#include "clock.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

unsigned f_0(unsigned value);

static volatile double longest;

/* How often the scheduler gave this thread's CPU to another thread. */
static long taken_away(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

static void *call(void *unused) {
  long before_gap = taken_away();
  tp_bench_keep_to(TP_BENCH_LAST_CPU);
  for (double before = tp_bench_wall();;) {
    f_0(1);
    double now = tp_bench_wall(), gap = now - before;
    if (gap > longest) {
      long times = taken_away();
      if (times == before_gap)
        longest = gap;
      before_gap = times;
      now = tp_bench_wall();
    }
    before = now;
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  char line[16];
  tp_bench_keep_to(TP_BENCH_FIRST_CPU);
  pthread_create(&thread, 0, call, 0);
  while (fgets(line, sizeof line, stdin)) {
    printf("%.3f\n", longest * 1e6);
    fflush(stdout);
    longest = 0;
  }
  return 0;
}
