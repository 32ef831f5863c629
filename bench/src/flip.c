/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the time to flip functions in a fresh process; flip.py generates
 * them. This program flips the functions on for the first time, off, and on
 * again. The times are those of complete attach and detach calls. Prints
 * "name value" lines.
 *
 * Argument 1: "all" selects all functions, "name" does so by a glob, and "some"
 *             selects as many as argument 3 says, evenly spread, many times.
 * Argument 2: the number of busy threads that run meanwhile.
 */
#define _GNU_SOURCE
#include "two_cpus.h"
#include "clock.h"
#include "memory.h"
#include "tprt/tprt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);
unsigned f_0(unsigned value);

static volatile int stop;

static void *busy(void *unused) {
  tp_bench_keep_to(TP_BENCH_FIRST_CPU);
  while (!stop)
    f_0(1);
  return unused;
}

enum { REPEATS = 9, SOME_REPEATS = 501, SITES = 100000 };

static const tprt_site *all_sites[SITES], *some_sites[SITES];
static size_t found;
static int collect(const tprt_site *site, void *unused) {
  (void)unused;
  all_sites[found++] = site;
  return found == SITES;
}

/* The microseconds of one flip of `count` functions: half of a detach and the
 * attach after it. */
static int some(tprt_action action, size_t count) {
  static double times[SOME_REPEATS];
  tprt_result result;
  tprt_probe *probe = 0;
  tprt_site_visit(0, collect, 0);
  if (count == 0 || count > found)
    return 1;
  for (size_t i = 0; i < count; ++i)
    some_sites[i] = all_sites[i * (found / count)];
  tprt_selector selector = {.sites = some_sites, .site_count = count};
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  for (int i = 0; i < SOME_REPEATS && status == TPRT_STATUS_OK; ++i) {
    double start = tp_bench_wall();
    tprt_probe_detach(probe, -1);
    status = tprt_probe_attach(&selector, &action, &probe, &result);
    times[i] = (tp_bench_wall() - start) / 2;
  }
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
    return 1;
  }
  tprt_probe_detach(probe, -1);
  printf("some %.4f\n", tp_bench_median(times, SOME_REPEATS) * 1e6);
  return 0;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "all";
  int threads = argc > 2 ? atoi(argv[2]) : 0;
  pthread_t thread;
  for (int i = 0; i < threads; ++i)
    pthread_create(&thread, 0, busy, 0);
  if (threads) {
    tp_bench_keep_to(TP_BENCH_LAST_CPU);
    nanosleep(&(struct timespec){0, 2000000}, 0);
  }

  tprt_selector selector = {.function = strcmp(how, "name") ? 0 : "f_*",
                            .kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.kind = TPRT_ACTION_CALL,
                        .flags = TPRT_HANDLER_GENERAL_REGS_ONLY,
                        .handler = hit_handler};
  if (strcmp(how, "some") == 0) {
    int failed = some(action, argc > 3 ? strtoul(argv[3], 0, 10) : 1);
    stop = 1;
    return failed;
  }
  tprt_probe *probe = 0;
  tprt_result result;
  double start = tp_bench_wall();
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  double first = tp_bench_wall() - start;
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
    return 1;
  }
  f_0(1);
  double dirty = tp_bench_dirty_bytes();
  double off[REPEATS], on[REPEATS], both[REPEATS];
  for (int i = 0; i < REPEATS; ++i) {
    start = tp_bench_wall();
    tprt_probe_detach(probe, -1);
    double middle = tp_bench_wall();
    status = tprt_probe_attach(&selector, &action, &probe, &result);
    double end = tp_bench_wall();
    if (status != TPRT_STATUS_OK)
      return 1;
    off[i] = middle - start, on[i] = end - middle, both[i] = end - start;
  }
  stop = 1;
  tprt_probe_detach(probe, -1);
  tprt_stats stats;
  tprt_stats_read(&stats);
  printf("sites %zu\nstub_bytes %zu\ndirty_bytes %.0f\n", result.enabled, stats.stub_bytes, dirty);
  printf("first %.4f\noff %.4f\non %.4f\nreflip %.4f\n",
         first * 1e3, tp_bench_median(off, REPEATS) * 1e3, tp_bench_median(on, REPEATS) * 1e3,
         tp_bench_median(both, REPEATS) * 1e3);
  return 0;
}
