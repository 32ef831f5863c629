// A probe by pattern also probes the sites of libraries opened after it was
// attached, before their constructors run, also if the caller's RUNPATH finds them, and
// for dependencies. The program only calls dlopen.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/dep.c -o %t/libdep.so
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -L%t -ldep -Wl,-rpath,%t -o %t/liblater.so
// RUN: %plain_clang %t/main.c %tprt_flags -Wl,-rpath,%t,--enable-new-dtags -o %t/main
// RUN: %t/main | FileCheck %s
//
// CHECK: attached: no loaded module has a sled table, or points, set 1
// CHECK-NEXT: opened: 3 hits
// CHECK-NEXT: called: 5 hits
// CHECK-NEXT: detached: 5 hits
//--- dep.c
int later_dep(int x) { return x + 1; }
//--- lib.c
int later_dep(int x);
__attribute__((noinline)) int later_own(int x) { return later_dep(x) * 2; }
__attribute__((constructor)) static void later_start(void) { later_own(1); }
//--- main.c
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

int main() {
  tprt_selector selector = {.function = "later_*", .flags = TPRT_SELECT_AWAIT};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("attached: %s, set %d\n", tprt_status_string(status), probe != NULL);
  void *library = dlopen("liblater.so", RTLD_NOW);
  printf("opened: %d hits\n", hits);
  int (*own)(int) = (int (*)(int))dlsym(library, "later_own");
  own(3);
  printf("called: %d hits\n", hits);
  tprt_probe_detach(probe, -1);
  own(3);
  printf("detached: %d hits\n", hits);
}
