// A library is closed, replaced by another build at the same path, and opened
// again, while other threads attach elsewhere, visit and refresh. Each time, the new
// build must be loaded, and destructors must run in the closing thread. So a library may
// stay loaded only for an attach to its own sites.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DVERSION=1 %t/lib.c -o %t/lib1.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -DVERSION=2 %t/lib.c -o %t/lib2.so
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -rdynamic %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: 400 reloads, 0 stale, 400 destructors, 0 of them elsewhere
// CHECK-NEXT: under a pending probe: 200 reloads, 0 stale, 200 hits, 0 destructors elsewhere
//--- lib.c
void closed(void);
int version(void) { return VERSION; }
__attribute__((destructor)) static void stop(void) { closed(); }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_t mainThread;
static int destructors, elsewhere, hits;
static volatile int stop;
void closed(void) {
  ++destructors;
  elsewhere += !pthread_equal(pthread_self(), mainThread);
}

__attribute__((noinline)) void own(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(int *)data; }
static int skip(const tprt_site *site, void *data) { return 0; }

static void *toggle(void *unused) {
  static int ownHits;
  while (!stop) {
    tprt_selector selector = {.function = "own", .flags = TPRT_SELECT_LOADED};
    tprt_action action = {.handler = onHit, .data = &ownHits};
    tprt_probe *probe;
    if (tprt_probe_attach(&selector, &action, &probe, NULL) == TPRT_STATUS_OK)
      tprt_probe_detach(probe, -1);
  }
  return NULL;
}
static void *look(void *unused) {
  while (!stop) {
    tprt_site_visit(NULL, skip, NULL);
    tprt_module_refresh();
  }
  return NULL;
}

static int reload(int times, tprt_probe **probe) {
  int stale = 0;
  for (int i = 0; i < times; ++i) {
    int wanted = 1 + i % 2;
    link(wanted == 1 ? "lib1.so" : "lib2.so", "new.so");
    rename("new.so", "lib.so");
    if (probe) { // identifies the period of one library
      tprt_selector selector = {.function = "version", .flags = TPRT_SELECT_AWAIT};
      tprt_action action = {.handler = onHit, .data = &hits};
      tprt_probe_attach(&selector, &action, probe, NULL);
    }
    void *library = dlopen("./lib.so", RTLD_NOW);
    stale += ((int (*)(void))dlsym(library, "version"))() != wanted;
    if (probe)
      tprt_probe_detach(*probe, -1);
    dlclose(library);
    unlink("lib.so");
  }
  return stale;
}

int main(void) {
  alarm(200); // what hangs is a failure
  mainThread = pthread_self();
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, toggle, NULL);
  pthread_create(&threads[1], NULL, look, NULL);
  int stale = reload(400, NULL);
  printf("%d reloads, %d stale, %d destructors, %d of them elsewhere\n", 400, stale, destructors, elsewhere);
  stop = 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  tprt_probe *probe;
  stale = reload(200, &probe);
  printf("under a pending probe: %d reloads, %d stale, %d hits, %d destructors elsewhere\n", 200, stale, hits,
         elsewhere);
}
