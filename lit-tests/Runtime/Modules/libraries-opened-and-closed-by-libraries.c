// One library's constructor opens a second library, and attaches to both. The destructor
// of the first library closes the second one, and attaches once more. With a pending
// probe, and a second thread that refreshes all the time, each library must be found
// before its own constructor runs: no call may be missed.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/inner.c -o %t/inner.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -I %tprt_include %t/outer.c -o %t/outer.so
// RUN: %plain_clang -O2 -pthread -rdynamic %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: 100 rounds, every call of inner and outer was hit, own probes {{[1-9][0-9]*}} hits, 0 failures
// CHECK-NEXT: detached: 0 sites on
//--- inner.c
extern int calls[2];
__attribute__((noinline)) int inner(int x) { ++calls[0]; return x + 1; }
__attribute__((constructor)) static void start(void) { inner(1); }
//--- outer.c
#include "tprt/tprt.h"
#include <dlfcn.h>

extern int calls[2], ownHits, failures;
static void *library;
__attribute__((noinline)) int outer(int x) { ++calls[1]; return x + 2; }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++ownHits; }

static int attach(void) {
  tprt_selector selector = {.module = "*er.so", .flags = TPRT_SELECT_LOADED};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (library && probe)
    outer(1);
  if (probe)
    tprt_probe_detach(probe, -1);
  return status;
}
__attribute__((constructor)) static void start(void) {
  outer(1);
  library = dlopen("./inner.so", RTLD_NOW);
  ((int (*)(int))dlsym(library, "inner"))(1);
  failures += attach() != TPRT_STATUS_OK;
}
__attribute__((destructor)) static void stop(void) {
  dlclose(library);
  library = 0;
  attach(); // this library is being unloaded: the attach selects nothing or some sites
}
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int calls[2], ownHits, failures;
static volatile int stop;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
static void *refresh(void *unused) {
  while (!stop)
    tprt_module_refresh();
  return NULL;
}

int main(void) {
  alarm(100); // what hangs is a failure
  static int hits[2];
  pthread_t thread;
  pthread_create(&thread, NULL, refresh, NULL);
  int i = 0;
  for (; i < 100; ++i) {
    const char *functions[] = {"inner", "outer"};
    tprt_probe *probes[2];
    for (int j = 0; j < 2; ++j) {
      tprt_selector selector = {.function = functions[j], .flags = TPRT_SELECT_AWAIT};
      tprt_action action = {.handler = onHit, .data = &hits[j]};
      tprt_probe_attach(&selector, &action, &probes[j], NULL);
    }
    void *library = dlopen("./outer.so", RTLD_NOW);
    for (int j = 0; j < 2; ++j)
      failures += tprt_probe_detach(probes[j], -1) != TPRT_STATUS_OK;
    dlclose(library);
  }
  stop = 1;
  pthread_join(thread, NULL);
  // While the other thread holds a library, it is not unloaded, and its constructor does not run.
  if (hits[0] != calls[0] || hits[1] != calls[1] || calls[0] < 20 || calls[1] < 20)
    return printf("%d of %d, and %d of %d calls were hit\n", hits[0], calls[0], hits[1], calls[1]), 1;
  printf("%d rounds, every call of inner and outer was hit, own probes %d hits, %d failures\n", i, ownHits, failures);
  tprt_stats stats;
  tprt_stats_read(&stats);
  printf("detached: %zu sites on\n", stats.enabled);
}
