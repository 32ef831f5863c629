/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two threads on two CPUs. The scheduler leaves a new thread where its maker
 * runs for milliseconds, and two on one CPU never disturb each other: then a
 * flip beside a busy thread costs what it costs alone.
 */
#ifndef TP_BENCH_BESIDE_H
#define TP_BENCH_BESIDE_H

#include <sched.h>

enum tp_bench_side { TP_BENCH_FIRST_CPU, TP_BENCH_LAST_CPU };

/* Keeps the calling thread to the first or the last CPU it may run on. */
static inline void tp_bench_keep_to(enum tp_bench_side side) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (side == TP_BENCH_FIRST_CPU)
      break;
  }
  sched_setaffinity(0, sizeof(one), &one);
}

#endif
