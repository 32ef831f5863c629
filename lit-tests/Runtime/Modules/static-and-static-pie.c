// A static program has no loader that lists its notes, but libtprt must still find them.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -I %tprt_include -c %s -o %t.o
// RUN: %plain_clang -static %t.o %{libdir}/libtprt.a -o %t.static
// RUN: %t.static | FileCheck %s
// RUN: %clang -O2 -fPIE -fplugin-arg-tp-entry=5,0 -I %tprt_include -c %s -o %t.pie.o
// RUN: %plain_clang -static-pie %t.pie.o %{libdir}/libtprt.a -o %t.pie
// RUN: %t.pie | FileCheck %s
//
// CHECK: it was done, 3 hits
#include "tprt/tprt.h"
#include <stdio.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { *(int *)data += tprt_regs_argument(regs, 0); }
__attribute__((noinline)) void f(int i) { __asm__ volatile("" ::"r"(i)); }

int main() {
  int sum = 0;
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit, .data = &sum};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f(1), f(2);
  tprt_probe_detach(probe, -1);
  f(4);
  printf("%s, %d hits\n", tprt_status_string(status), sum);
}
