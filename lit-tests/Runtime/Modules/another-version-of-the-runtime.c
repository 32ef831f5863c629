// If a program was linked with a libtprt.so of another interface, the loader says so, and the
// program does not run with structures of another size.
//
// RUN: rm -rf %t && split-file %s %t && mkdir %t/newer
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %t/main.c %tprt_flags -o %t/main
// RUN: %t/main
// RUN: %plain_clang -shared -fPIC -Wl,-soname,libtprt.so.0 -Wl,--version-script=%t/newer.map %t/newer.c -o %t/newer/libtprt.so.0
// RUN: not env LD_LIBRARY_PATH=%t/newer %t/main 2>&1 | FileCheck %s
//
// CHECK: libtprt.so.0: version `TPRT_2' not found (required by {{.*}}main)
//--- main.c
#include "tprt/tprt.h"
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {}

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  f();
  return tprt_probe_attach(&selector, &action, &probe, NULL);
}
//--- newer.c
int tprt_probe_attach_sized(void) { return 0; }
//--- newer.map
TPRT_3 { global: tprt_*; };
