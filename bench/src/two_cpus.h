/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Puts two threads on two CPUs. Otherwise the scheduler keeps a new thread
 * for milliseconds on the CPU of the thread that created it. Two threads on
 * one CPU never disturb each other, so a flip during another thread's work
 * would cost the same as a flip alone.
 */
#ifndef TP_BENCH_TWO_CPUS_H
#define TP_BENCH_TWO_CPUS_H

#include <sched.h>

enum tp_bench_side { TP_BENCH_FIRST_CPU, TP_BENCH_LAST_CPU };

/* Keeps the calling thread on the first or the last CPU that it may run on. */
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
