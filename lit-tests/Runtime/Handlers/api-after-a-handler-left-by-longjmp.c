// A handler that was left by longjmp is over for the API, too. The function that longjmp led
// to may attach and detach at once, without another hit before.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: inside: this call is not allowed from inside a handler
// CHECK-NEXT: visit: it was done
// CHECK-NEXT: attach: it was done
// CHECK-NEXT: count: 1
// CHECK-NEXT: refresh: it was done
// CHECK-NEXT: detach: it was done
#include "tprt/tprt.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static tprt_selector other = {.function = "g"};
static int stop(const tprt_site *site, void *data) { return 1; }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  printf("inside: %s\n", tprt_status_string(tprt_site_visit(&other, stop, NULL)));
  longjmp(back, 1);
}
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((noinline)) void g(void) { __asm__ volatile(""); }

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit}, count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe, *counter;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  if (!setjmp(back))
    f();
  tprt_status visit = tprt_site_visit(&other, stop, NULL);
  tprt_status attach = tprt_probe_attach(&other, &count, &counter, NULL);
  __attribute__((noinline)) void (*volatile call)(void) = g;
  call();
  unsigned long counted = attach ? 0 : tprt_probe_count(counter);
  tprt_status refresh = tprt_module_refresh(), detach = tprt_probe_detach(probe, 1000);
  printf("visit: %s\nattach: %s\ncount: %lu\nrefresh: %s\ndetach: %s\n", tprt_status_string(visit),
         tprt_status_string(attach), counted, tprt_status_string(refresh), tprt_status_string(detach));
}
