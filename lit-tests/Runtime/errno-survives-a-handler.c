// A handler that calls libc may set errno; the traced program must not see it.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: errno 7
#include "tprt/tprt.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { close(-1); }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  errno = 7;
  f();
  printf("errno %d\n", errno);
}
