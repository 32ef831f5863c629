// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: arrival FOLDER LIBRARIES [probe]
//
// Opens FOLDER/l0.so and the following libraries, with or without a pending
// counting probe whose pattern matches them. Prints the time to open one
// library when few and when nearly all are loaded: medians of the first and the
// last twenty, in microseconds. The difference of two runs is the cost of the
// probe.
#define _GNU_SOURCE
#include "clock.h"
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { kEach = 20 };

int main(int count, char **arguments) {
  tprt_selector selector = {.function = "work", .flags = TPRT_SELECT_AWAIT};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  int libraries = count > 2 ? atoi(arguments[2]) : 0;
  double *taken = calloc((size_t)libraries + 1, sizeof *taken);
  if (count > 3)
    tprt_probe_attach(&selector, &action, &probe, NULL);
  if (libraries < 2 * kEach || !taken || (count > 3 && !probe))
    return fprintf(stderr, "no folder, fewer than 40 libraries, or no probe: %s\n", tprt_error_string()), 1;
  for (int i = 0; i < libraries; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/l%d.so", arguments[1], i);
    double start = tp_bench_cpu();
    void *library = dlopen(path, RTLD_NOW);
    taken[i] = (tp_bench_cpu() - start) * 1e6;
    if (!library)
      return fprintf(stderr, "%s\n", dlerror()), 1;
    ((int (*)(int))dlsym(library, "work"))(i);
  }
  if (probe && tprt_probe_count(probe) != (unsigned long)libraries)
    return fprintf(stderr, "%lu of %d calls counted\n", (unsigned long)tprt_probe_count(probe), libraries), 1;
  printf("few %f\nmany %f\n", tp_bench_median(taken, kEach), tp_bench_median(taken + libraries - kEach, kEach));
  return 0;
}
