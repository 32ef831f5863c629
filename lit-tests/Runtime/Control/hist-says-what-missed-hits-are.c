// A signal may arrive while libtprt handles a hit. The functions that its handler calls are then not timed. If this
// fails, tpctl hist does not say what that means, or what helps.
//
// REQUIRES: tpctl
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: %tpctl hist --budget=none work inner -- %t 2>&1 | FileCheck %s
// CHECK: note: {{[0-9,]+}} hit{{s?}} missed: libtprt was busy with another hit of the same thread, as when a signal handler interrupts it, or the thread got no memory; the missed calls have no times, but 'tpctl count' counts such calls{{$}}
// RUN: %tpctl count work inner -- %t ignore 2>&1 | FileCheck %s --check-prefix=COUNT --implicit-check-not=missed
// COUNT: 1,000 {{.*}} inner{{$}}
#include "tprt/tprt.h"
#include <signal.h>
#include <sys/time.h>

static volatile int signals;
__attribute__((noinline)) void inner(void) { signals = signals + 1; }
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static void handle(int number) {
  (void)number;
  inner();
}

int main(int argc, char **argv) {
  (void)argv;
  tprt_stats stats = {0};
  signal(SIGALRM, handle);
  // Each signal starts the timer of the next one, so a slow machine is not busy with signals alone.
  const struct itimerval once = {{0, 0}, {0, 50}};
  while (signals < 1000 || (argc == 1 && !stats.missed && signals < 100000)) {
    const int before = signals;
    setitimer(ITIMER_REAL, &once, 0);
    while (signals == before)
      work();
    tprt_stats_read(&stats);
  }
  return 0;
}
