/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the time to attach a handler to all points of the program, or to all
 * sleds at its function entries, and to detach the handler. Argument 1 is
 * "points" or "sleds". points_flip.py generates the points and sleds. Prints
 * "name value" lines.
 */
#include "clock.h"
#include "tprt/tprt.h"

#include <stdio.h>
#include <string.h>

void hit_handler(const tprt_event *event, const tprt_regs *regs, void *data);

enum { REPEATS = 41 };

static tprt_probe *probe;
static tprt_result result;

/* The time in milliseconds. Ends the program if nothing was attached. */
static double attach(unsigned kinds) {
  tprt_selector selector = {.kinds = kinds};
  tprt_action action = {.flags = TPRT_HANDLER_GENERAL_REGS_ONLY, .handler = hit_handler};
  double start = tp_bench_wall();
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  double seconds = tp_bench_wall() - start;
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s: %s\n", tprt_status_string(status), tprt_error_string());
    exit(1);
  }
  return seconds * 1e3;
}

static double detach(void) {
  double start = tp_bench_wall();
  tprt_probe_detach(probe, -1);
  return (tp_bench_wall() - start) * 1e3;
}

int main(int argc, char **argv) {
  int points = argc > 1 && strcmp(argv[1], "points") == 0;
  unsigned kinds = points ? TPRT_KIND_SET_POINT : TPRT_KIND_SET_ENTRY;
  static double on[REPEATS], off[REPEATS];
  double first = attach(kinds);
  for (int i = 0; i < REPEATS; ++i) {
    off[i] = detach();
    on[i] = attach(kinds);
  }
  printf("sites %zu\nfirst %.4f\non %.4f\noff %.4f\n", result.enabled, first,
         tp_bench_median(on, REPEATS), tp_bench_median(off, REPEATS));
  return 0;
}
