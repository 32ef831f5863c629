// A copy of the process that clone() made without fork's handlers finds out at its next event
// that it is one. It takes blocks of its own, so its calls are not mixed with its parent's.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// CHECK-DAG: 1000 {{.*}}inParent
// CHECK-DAG: 1000 {{.*}}inCopy
// CHECK: events of 2 threads {{.*}}, none lost
// CHECK-NOT: note
#include "../Inputs/record.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

__attribute__((noinline)) void inParent(void) { __asm__ volatile(""); }
__attribute__((noinline)) void inCopy(void) { __asm__ volatile(""); }

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("in*");
  inParent();
  if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
    for (int i = 0; i < 1000; ++i)
      inCopy();
    _exit(0);
  }
  for (int i = 1; i < 1000; ++i)
    inParent();
  wait(NULL);
  mustBeOk(tprt_recording_stop());
}
