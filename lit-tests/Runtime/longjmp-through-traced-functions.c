// longjmp out of probed functions, from their middle and from a signal handler
// that interrupted them, leaves nothing behind: later calls are hit, and detach
// returns.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 3000 hits, 0 missed, detach: it was done
#include "tprt/tprt.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static int hits;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void bottom(int way) {
  __asm__ volatile("" ::: "memory");
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
  tprt_selector selector = {.function = "*", .events = 1 << TPRT_RECORD_ENTRY};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    return puts(tprt_last_error()), 1;
  hits = 0;
  for (volatile int i = 0; i < 1200; ++i)
    if (!sigsetjmp(back, 1))
      middle(i % 2); // 2 hits, or 3 with the signal handler
  tprt_stats stats;
  tprt_stats_read(&stats);
  tprt_status status = tprt_probe_detach(probe, 1000);
  printf("%d hits, %lu missed, detach: %s\n", hits, (unsigned long)stats.missed, tprt_status_string(status));
}
