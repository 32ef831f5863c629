// If the program sets a SIGTRAP handler after the first attach with traps, the
// handler stays. The next attach detects that handler and prints the remedy. Once the
// handler is removed, traps work as before.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: it was done, 1 hits
// CHECK-NEXT: every matching site was refused, 1 hits
// CHECK-NEXT: 1 of 1 site refused, the first f ({{.*}}): it needs a trap, and SIGTRAP may not reach libtprt there: {{.*}} or the program replaced libtprt's handler
// CHECK-NEXT: it was done, 2 hits
#include "tprt/tprt.h"
#include <signal.h>
#include <stdio.h>

static int hits;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((tp_never)) static void onTrap(int number) {}
__attribute__((tp_never, noinline)) static void toggle(void) {
  tprt_selector selector = {.function = "f", .flags = TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  printf("%s, %d hits\n", tprt_status_string(status), hits);
  if (status != TPRT_STATUS_OK)
    puts(tprt_error_string());
  tprt_probe_detach(probe, -1);
}

__attribute__((tp_never)) int main() {
  struct sigaction mine = {.sa_handler = onTrap}, libtprts;
  toggle();
  sigaction(SIGTRAP, &mine, &libtprts);
  toggle();
  sigaction(SIGTRAP, &libtprts, NULL);
  toggle();
}
