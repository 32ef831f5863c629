// A debugger sets a breakpoint at the sled, before or after the attach. The program's result is right in
// both cases, the site has the reason of its refusal, and gdb's backtrace from a handler shows the traced
// function and its callers.
//
// REQUIRES: gdb
// RUN: %clang -O2 -g -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: gdb -nx -batch -ex "break *traced" -ex run -ex bt -ex delete -ex "break onHit" -ex continue \
// RUN:   -ex bt -ex delete -ex "break *traced" -ex continue -ex continue -ex delete -ex continue %t 2>&1 | FileCheck %s
//
// CHECK: 1 of 1 site refused, the first traced ({{.*}}): the bytes there are not those of the table
// CHECK: Breakpoint 1, traced
// CHECK: #0 {{.*}}traced
// CHECK-NEXT: #1 {{.*}}caller
// CHECK: Breakpoint 2, onHit
// CHECK: #0 {{.*}}onHit
// CHECK: traced (
// CHECK-NEXT: caller (
// CHECK-NEXT: main (
// CHECK: Breakpoint 3, {{.*}}traced
// CHECK: Breakpoint 3, {{.*}}traced
// CHECK: result 30, 2 hits
// CHECK: exited normally
#include "tprt/tprt.h"
#include <stdio.h>

static int hits;
__attribute__((tp_never, noinline)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
}
__attribute__((noinline)) int traced(int x) {
  __asm__ volatile("");
  return x * 2;
}
__attribute__((noinline)) int caller(int x) { return traced(x) + 1; }

int main() {
  setvbuf(stdout, NULL, _IONBF, 0);
  tprt_selector selector = {.function = "traced"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  int sum = 0;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  sum += caller(1); // breakpoint 1
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  sum += caller(2);             // a hit, breakpoint 2
  sum += caller(3);             // breakpoint 3, which gdb steps over, and a hit
  tprt_probe_detach(probe, -1); // breakpoint 3 is where the store would go
  sum += caller(4);             // breakpoint 3 and no hit
  sum += caller(5);             // gdb has restored our jump: no hit either
  printf("result %d, %d hits\n", sum - 5, hits);
}
