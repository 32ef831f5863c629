// tprt_record_mark() stores a number between the calls of its thread. Without a recording the
// function does nothing. It also works in a signal handler.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// CHECK-NOT: mark
// CHECK: * mark 18446744073709551615
// CHECK-NEXT: served
// CHECK-NEXT: * mark 4711
// CHECK-NEXT: served
// CHECK-NOT: mark
#include "../Inputs/record.h"
#include <signal.h>

__attribute__((noinline)) void served(void) { __asm__ volatile(""); }
NO_SLEDS void onSignal(int number) {
  (void)number;
  tprt_record_mark(4711);
}

int main(int count, char **arguments) {
  (void)count;
  tprt_record_mark(1);
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  tprt_record_mark(UINT64_MAX);
  recordFunctions("served");
  served();
  signal(SIGUSR1, onSignal);
  raise(SIGUSR1);
  served();
  mustBeOk(tprt_recording_stop());
  tprt_record_mark(2);
}
