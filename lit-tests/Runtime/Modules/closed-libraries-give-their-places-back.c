// Five hundred libraries, each with a different path, are opened, probed and closed. The
// numbers and the stub memory of closed libraries must be reused.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: %plain_clang -O2 %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && ./main | FileCheck %s
//
// CHECK: 500 libraries, 500 hits, stubs grew 0 bytes, sites 0 apart
//--- lib.c
int answer(int x) { return x + 1; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int hits;
static const tprt_site *last;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits, last = event->site; }

int main() {
  size_t bytes = 0;
  const tprt_site *first = NULL;
  int i = 0;
  for (; i < 500; ++i) {
    char path[40];
    snprintf(path, sizeof path, "./lib%d.so", i);
    link("lib.so", path);
    void *library = dlopen(path, RTLD_NOW);
    unlink(path);
    tprt_action action = {.handler = onHit};
    tprt_probe *probe;
    tprt_probe_attach(NULL, &action, &probe, NULL);
    ((int (*)(int))dlsym(library, "answer"))(1);
    tprt_probe_detach(probe, -1);
    dlclose(library);
    tprt_stats stats;
    tprt_stats_read(&stats);
    first = first ? first : last;
    bytes = bytes ? bytes : stats.stub_bytes;
    if (stats.stub_bytes != bytes)
      return printf("%d: %zu bytes of stubs, %zu at first\n", i, stats.stub_bytes, bytes), 1;
  }
  printf("%d libraries, %d hits, stubs grew 0 bytes, sites %zd apart\n", i, hits,
         (const char *)last - (const char *)first);
}
