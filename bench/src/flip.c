/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Time to flip all of a program's functions (generated, see flip.py) in a fresh
 * process: on for the first time, off, on again, as attach and detach take, with
 * everything they do. Argument 1: "all", or "name" to select by a glob; argument
 * 2: number of busy threads beside. Prints "name value" lines.
 */
#include "clock.h"
#include "tprt/tprt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);
unsigned f_0(unsigned value);

static volatile int stop;

static void *busy(void *unused) {
  while (!stop)
    f_0(1);
  return unused;
}

enum { REPEATS = 9 };

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "all";
  int threads = argc > 2 ? atoi(argv[2]) : 0;
  pthread_t thread;
  for (int i = 0; i < threads; ++i)
    pthread_create(&thread, 0, busy, 0);
  if (threads)
    nanosleep(&(struct timespec){0, 2000000}, 0);

  tprt_selector selector = {.function = strcmp(how, "name") ? 0 : "f_*"};
  tprt_action action = {.kind = TPRT_ACTION_CALL,
                        .flags = TPRT_HANDLER_GENERAL_REGS_ONLY,
                        .handler = hit_handler};
  tprt_probe *probe = 0;
  tprt_result result;
  double start = tp_bench_wall();
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  double first = tp_bench_wall() - start;
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_last_error());
    return 1;
  }
  f_0(1);
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
  printf("functions %zu\nfirst %.4f\noff %.4f\non %.4f\nreflip %.4f\n", result.enabled,
         first * 1e3, tp_bench_median(off, REPEATS) * 1e3, tp_bench_median(on, REPEATS) * 1e3,
         tp_bench_median(both, REPEATS) * 1e3);
  return 0;
}
