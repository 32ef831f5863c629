// If this fails, an attach crashes x86-64 programs that run under qemu's user-mode emulator,
// as in containers on machines of another kind. The emulator's /proc/self/maps shows code as not
// executable. libtprt must not restore that protection.
//
// REQUIRES: qemu-x86_64, x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: qemu-x86_64 %t | FileCheck %s
//
// CHECK: it was done, 200 hits, then 200
#include "tprt/tprt.h"
#include <stdio.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

int main() {
  tprt_selector selector = {.function = "f", .kinds = TPRT_KIND_SET_ALL};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  for (int i = 0; i < 100; ++i)
    f();
  printf("%s, %d hits, ", tprt_status_string(status), hits);
  tprt_probe_detach(probe, -1);
  f();
  printf("then %d\n", hits);
}
