/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the work of one of the programs in this folder. Prints its CPU time in
 * seconds, the instructions if the processor counts them, and the number of
 * passes of a trace statement. Prints "name value" lines.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "points/ways.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int traced;

/* A descriptor that counts this thread's instructions from now on, or -1. */
static int count_instructions(void) {
  struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                       .size = sizeof(attributes),
                                       .config = PERF_COUNT_HW_INSTRUCTIONS,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

int main(void) {
  int counter = count_instructions();
  uint64_t before = 0, after = 0;
  int counted = counter >= 0 && read(counter, &before, sizeof(before)) == sizeof(before);
  double start = tp_bench_cpu();
  uint64_t passes = work();
  double seconds = tp_bench_cpu() - start;
  counted = counted && read(counter, &after, sizeof(after)) == sizeof(after);
  printf("seconds %.9f\npasses %llu\n", seconds, (unsigned long long)passes);
  if (counted)
    printf("instructions %llu\n", (unsigned long long)(after - before));
  return 0;
}
