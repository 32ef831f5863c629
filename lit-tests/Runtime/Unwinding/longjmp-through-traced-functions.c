// A longjmp out of probed functions, from their middle or from a signal handler
// that interrupted them, has no lasting effect: later calls are hit, and detach
// returns.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t.exits
// RUN: %t.exits | FileCheck %s --check-prefix=EXITS
//
// CHECK: 4200 entries, 0 exits, 0 missed, detach: it was done
// EXITS: 4200 entries, 1200 exits, 0 missed, detach: it was done
#include "../Inputs/harness.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static int hits[3];
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits[event->kind]; }
__attribute__((noinline)) void leaf(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void bottom(int way) {
  leaf();
  if (way)
    raise(SIGUSR1);
  siglongjmp(back, 1);
}
__attribute__((noinline)) void middle(int way) {
  bottom(way);
  __asm__ volatile("");
}
__attribute__((noinline)) void onSignal(int number) { siglongjmp(back, 2); }

int main() {
  signal(SIGUSR1, onSignal);
  tprt_probe *probe = attach("*", TPRT_KIND_SET_ALL, (tprt_action){.handler = onHit});
  for (volatile int i = 0; i < 1200; ++i)
    if (!sigsetjmp(back, 1))
      middle(i % 2); // 3 entries, or 4 with the signal handler; leaf alone returns
  tprt_stats stats = readStats();
  tprt_status status = tprt_probe_detach(probe, 1000);
  printf("%d entries, %d exits, %lu missed, detach: %s\n", hits[0], hits[1] + hits[2], (unsigned long)stats.missed,
         tprt_status_string(status));
}
