/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures how long a snapshot delays a thread that continues recording:
 * the longest gap between two recorded calls while a snapshot is made, and
 * in a period of the same length without a snapshot. If the scheduler ran
 * another program on the thread's CPU, the gap does not count. Arguments:
 * the recording's file, the snapshot's, and the ring's size in MB. Prints
 * "name value" lines.
 */
#define _GNU_SOURCE
#include "two_cpus.h"
#include "clock.h"
#include "hit_target.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <tprt/record.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
  SNAPSHOTS = 25,
  WINDOWS = 2 * SNAPSHOTS,
  NO_WINDOW = WINDOWS,
  ENDED = -1
};

/* The variable in which the recording thread notes its longest gap, in ticks. */
static volatile int window = NO_WINDOW;
static volatile uint64_t longest[WINDOWS + 1];

static long preemptions(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/* Checks whether the scheduler caused the gap. Returns the current time. */
__attribute__((noinline)) static uint64_t note(int in, uint64_t gap,
                                               long *preempted) {
  long now = preemptions();
  if (now == *preempted && window == in)
    longest[in] = gap;
  *preempted = now;
  return __rdtsc();
}

static void *run(void *unused) {
  (void)unused;
  tp_bench_keep_to(TP_BENCH_LAST_CPU);
  long preempted = preemptions();
  uint64_t value = 1, before = __rdtsc();
  for (int in; (in = window) != ENDED;) {
    value = hit_target(value);
    uint64_t now = __rdtsc();
    if (now - before > longest[in])
      now = note(in, now - before, &preempted);
    before = now;
  }
  __asm__ volatile("" ::"r"(value));
  return NULL;
}

static int failed(void) {
  fprintf(stderr, "%s\n", tprt_error_string());
  return 1;
}

static void print(const char *name, int first, double ticks_per_us) {
  double each[SNAPSHOTS];
  for (int i = 0; i < SNAPSHOTS; ++i)
    each[i] = (double)longest[2 * i + first] / ticks_per_us;
  double middle = tp_bench_median(each, SNAPSHOTS);
  printf("%s_longest_us %.3f\n%s_worst_us %.3f\n", name, middle, name,
         each[SNAPSHOTS - 1]);
}

int main(int count, char **arguments) {
  if (count < 4)
    return 2;
  tprt_recording_options options = {.file = arguments[1],
                                    .size = strtoull(arguments[3], NULL, 10)
                                            << 20,
                                    .mode = TPRT_RECORDING_MODE_NEWEST};
  tprt_selector selector = {.function = "hit_target",
                            .kinds = TPRT_KIND_SET_ALL};
  if (tprt_recording_start(&options) != TPRT_STATUS_OK ||
      tprt_recording_add(&selector, NULL, NULL) != TPRT_STATUS_OK)
    return failed();
  tp_bench_keep_to(TP_BENCH_FIRST_CPU);
  double start = tp_bench_wall();
  uint64_t ticks = __rdtsc();
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0)
    return 1;
  /* The ring is full before the first snapshot, so all snapshots copy the
   * same amount.
   */
  sleep(1);
  double taken[SNAPSHOTS];
  for (int i = 0; i < SNAPSHOTS; ++i) {
    double begin = tp_bench_wall();
    window = 2 * i;
    tprt_status status = tprt_recording_snapshot(arguments[2]);
    window = NO_WINDOW;
    taken[i] = tp_bench_wall() - begin;
    if (status != TPRT_STATUS_OK)
      return failed();
    unlink(arguments[2]);
    window = 2 * i + 1;
    usleep((useconds_t)(taken[i] * 1e6));
    window = NO_WINDOW;
  }
  window = ENDED;
  pthread_join(thread, NULL);
  double per_us =
      (double)(__rdtsc() - ticks) / ((tp_bench_wall() - start) * 1e6);
  print("snapshot", 0, per_us);
  print("no_snapshot", 1, per_us);
  printf("snapshot_ms %.3f\n", tp_bench_median(taken, SNAPSHOTS) * 1e3);
  return tprt_recording_stop() == TPRT_STATUS_OK ? 0 : failed();
}
