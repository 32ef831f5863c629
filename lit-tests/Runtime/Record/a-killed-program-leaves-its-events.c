// A program that is killed by SIGKILL at any moment leaves a recording that can be read, in
// which at most one event of each thread is missing. Inputs/kill-at-random.py says how this is
// judged. TP_KILL_RUNS=1000 makes it a thousand runs.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: %python %S/Inputs/kill-at-random.py %tpctl %t.rec %run %t %t.rec | FileCheck %s
// RUN: %python %S/Inputs/kill-at-random.py %tpctl %t.rec %run %t %t.rec ring | FileCheck %s
//
// CHECK: runs are whole, at most one event a thread is lost
#include "../Inputs/record.h"
#include <pthread.h>

__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) void outer(void) {
  inner();
  __asm__ volatile("");
}
NO_SLEDS void *run(void *unused) {
  (void)unused;
  for (;;)
    outer();
}

int main(int count, char **arguments) {
  alarm(60);
  if (count > 2)
    startRecording(arguments[1], TPRT_RECORDING_MODE_NEWEST, 16 << 20);
  else
    startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0); // a size would be reached before the kill
  recordFunctions("*er");
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  puts("begun");
  fflush(stdout);
  run(NULL);
}
