// A handler that is left by longjmp does not lower its thread's guard. The next hit, higher up
// the stack, must see that the guard is stale, and must be delivered.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -DAT=TPRT_KIND_EXIT %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s
//
// CHECK: 5 hits, 0 missed, detach: it was done
#include "../Inputs/harness.h"
#include <setjmp.h>

#ifndef AT
#define AT TPRT_KIND_ENTRY
#endif
static jmp_buf back;
static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (event->kind != AT)
    return;
  ++hits;
  longjmp(back, 1);
}
__attribute__((noinline)) void f(int depth) {
  volatile char room[64];
  room[0] = 0;
}

int main() {
  tprt_probe *probe = attach("f", TPRT_KIND_SET_ALL, (tprt_action){.handler = onHit});
  for (volatile int i = 0; i < 5; ++i)
    if (!setjmp(back))
      f(i);
  tprt_stats stats = readStats();
  printf("%d hits, %lu missed, detach: %s\n", hits, (unsigned long)stats.missed, detach(probe, 2000));
}
