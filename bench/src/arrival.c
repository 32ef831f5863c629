// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: arrival FOLDER
//
// Opens FOLDER/l0.so to FOLDER/l1509.so while a counting probe by pattern waits
// for them. Prints what opening one costs the probe when some 10 and when some
// 1500 are loaded: medians of twenty, in microseconds. The time is that of
// __gmon_start__, by which a module calls the runtime (docs/runtime.md, "Modules
// loaded later"). Modules call this program's own __gmon_start__, which measures
// how long the runtime's takes.
#define _GNU_SOURCE
#include "clock.h"
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>

enum { kEach = 20, kFew = 0, kMany = 1490, kAll = kMany + kEach };

static void (*runtime)(void);
static double taken[kAll];
static int arrivals;

void __gmon_start__(void);
void __gmon_start__(void) {
  if (!runtime || arrivals == kAll)
    return;
  double start = tp_bench_cpu();
  runtime();
  taken[arrivals++] = (tp_bench_cpu() - start) * 1e6;
}

int main(int count, char **arguments) {
  tprt_selector selector = {.function = "work", .flags = TPRT_SELECT_AWAIT};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  runtime = (void (*)(void))dlsym(RTLD_NEXT, "__gmon_start__");
  if (count != 2 || !probe || !runtime)
    return fprintf(stderr, "no folder, no probe, or no runtime: %s\n", tprt_error_string()), 1;
  for (int i = 0; i < kAll; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/l%d.so", arguments[1], i);
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
      return fprintf(stderr, "%s\n", dlerror()), 1;
    ((int (*)(int))dlsym(library, "work"))(i);
  }
  if (tprt_probe_count(probe) != kAll || arrivals != kAll)
    return fprintf(stderr, "%d arrivals, %lu counted\n", arrivals, (unsigned long)tprt_probe_count(probe)), 1;
  printf("few %f\nmany %f\n", tp_bench_median(taken + kFew, kEach), tp_bench_median(taken + kMany, kEach));
  return 0;
}
