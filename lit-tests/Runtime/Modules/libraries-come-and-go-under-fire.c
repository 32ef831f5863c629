// Two threads open, call and close their own libraries, while a third attaches
// and detaches by pattern: every result must be right, and nothing may hang. The test
// then repeats this with one pending counting probe: every call must be counted.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DNAME=work_0 -DADD=3 %t/lib.c -o %t/lib0.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=5,0 -DNAME=work_1 -DADD=4 %t/lib.c -o %t/lib1.so
// RUN: %plain_clang -O2 -pthread %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: {{^}}0 wrong, 0 failed, libraries were unloaded and probed
// CHECK-NEXT: counted all
//--- lib.c
int NAME(int x) { return x + ADD; }
static int loads;
__attribute__((constructor)) static void start(void) { ++loads; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile int stop;
static int wrong, failed, unloaded, hits, toggles;
static unsigned long calls;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add((int *)data, 1, __ATOMIC_RELAXED);
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *number) {
  int which = (int)(long)number;
  while (!stop) {
    void *library = dlopen(which ? "./lib1.so" : "./lib0.so", RTLD_NOW);
    int (*function)(int) = (int (*)(int))dlsym(library, which ? "work_1" : "work_0");
    for (int i = 0; i < 20; ++i, __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED))
      if (function(i) != i + 3 + which)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    dlclose(library);
    void *still = dlopen(which ? "./lib1.so" : "./lib0.so", RTLD_NOW | RTLD_NOLOAD);
    if (still)
      dlclose(still);
    else
      __atomic_fetch_add(&unloaded, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void run(void (*meanwhile)(void)) {
  pthread_t threads[2];
  stop = 0;
  for (long i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, work, (void *)i);
  // Continues until both have happened, however busy the machine is.
  for (double end = now() + 0.5; now() < end || ((!hits || !unloaded) && now() < end + 60);)
    meanwhile();
  stop = 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
}

static tprt_selector selector = {.function = "work_*", .flags = TPRT_SELECT_AWAIT};
static void toggle(void) {
  tprt_action action = {.handler = onHit, .data = &hits};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  for (double end = now() + 0.001; now() < end;)
    ;
  failed += !probe || tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  ++toggles;
}
static void wait(void) {
  struct timespec pause = {0, 10000000};
  nanosleep(&pause, NULL);
}

int main() {
  run(toggle);
  printf("%d wrong, %d failed, libraries were %sunloaded and %sprobed\n", wrong, failed, unloaded ? "" : "never ",
         hits ? "" : "never ");
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  calls = 0;
  run(wait);
  unsigned long counted = tprt_probe_count(probe);
  if (wrong || counted != calls)
    return printf("%d wrong, counted %lu of %lu\n", wrong, counted, calls), 1;
  puts("counted all");
}
