// Calls in signal handlers, which interrupt the recorder at any instruction, are recorded or
// counted as lost or missed. No call vanishes, and the calls of the interrupted code are complete.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec >%t.out
// RUN: %tpctl report --format=csv --columns=calls,function %t.rec >%t.csv || %tpctl report --format=csv %t.rec >%t.csv
// RUN: %python %S/Inputs/compare-signals.py %t.out %t.csv | FileCheck %s
//
// CHECK: every call of main is there, and every call of the handlers is recorded or counted
#include "../Inputs/record.h"
#include <signal.h>
#include <sys/time.h>

static volatile long handled;
__attribute__((noinline)) void inHandler(void) { __asm__ volatile(""); }
__attribute__((noinline)) void inMain(void) { __asm__ volatile(""); }
NO_SLEDS void onSignal(int number) {
  (void)number;
  ++handled;
  inHandler();
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("in*");
  struct sigaction action = {.sa_handler = onSignal, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &every, NULL);
  enum { kCalls = 1000000 };
  for (int i = 0; i < kCalls; ++i)
    inMain();
  every = (struct itimerval){{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  tprt_recording_figures figures;
  tprt_recording_read(&figures);
  mustBeOk(tprt_recording_stop());
  tprt_stats stats;
  tprt_stats_read(&stats);
  printf("%d %ld %ld\n", kCalls, handled, (long)(figures.lost + stats.missed));
}
