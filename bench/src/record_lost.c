/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two threads on two CPUs that do nothing but call a recorded function,
 * each as often as the argument says. TPRT_OPTIONS selects the recorder.
 */
#define _GNU_SOURCE
#include "two_cpus.h"
#include "hit_target.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long calls;

static void *run(void *side) {
  tp_bench_keep_to((enum tp_bench_side)(long)side);
  uint64_t value = 1;
  for (long i = 0; i < calls; ++i)
    value = hit_target(value);
  __asm__ volatile("" ::"r"(value));
  return NULL;
}

int main(int count, char **arguments) {
  calls = count > 1 ? atol(arguments[1]) : 1000000;
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i)
    if (pthread_create(
            &threads[i], NULL, run,
            (void *)(long)(i ? TP_BENCH_LAST_CPU : TP_BENCH_FIRST_CPU)) != 0)
      return 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  return 0;
}
