// Five hundred libraries with a wrong table of points are opened, probed and closed. The
// memory of the closed libraries' sleds must be reused.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 -I %S/Inputs -I %S/../../../runtime/include %t/lib.c -o %t/good.so
// RUN: %python -c "open(r'%t/far', 'wb').write(bytes([0, 0, 0, 0x7f]) * 4)"
// RUN: llvm-objcopy --update-section tp_points=%t/far %t/good.so %t/bad.so
// RUN: %plain_clang -O2 %t/main.c %tprt_flags -o %t/main
// RUN: cd %t && env TPRT_OPTIONS=verbose=1 ./main 2>errors | FileCheck %s
// RUN: FileCheck %s --check-prefix=BAD < errors
//
// CHECK: 500 libraries, 500 hits, sites 0 apart
// BAD: bad0.so: record 0 of its table of points {{.*}}; its points stay off
//--- lib.c
#include "point.h"
uint64_t answer(uint64_t x) { POINT(answer, "%lu %lu", x, x); return x + 1; }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int hits;
static const tprt_site *last;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits, last = event->site; }

int main() {
  const tprt_site *first = NULL;
  int i = 0;
  for (; i < 500; ++i) {
    char path[40];
    snprintf(path, sizeof path, "./bad%d.so", i);
    link("bad.so", path);
    void *library = dlopen(path, RTLD_NOW);
    unlink(path);
    tprt_action action = {.handler = onHit};
    tprt_probe *probe;
    tprt_probe_attach(NULL, &action, &probe, NULL);
    ((uint64_t (*)(uint64_t))dlsym(library, "answer"))(1);
    tprt_probe_detach(probe, -1);
    dlclose(library);
    first = first ? first : last;
  }
  printf("%d libraries, %d hits, sites %zd apart\n", i, hits, (const char *)last - (const char *)first);
}
