// A child of fork() is a separate process in the recording: its calls are in the file under
// its own number and not under its parent's, and both sides' calls are all there.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s --check-prefix=TRACE
//
// CHECK-DAG: 2 {{.*}}inParent
// CHECK-DAG: 3000 {{.*}}inChild
// CHECK-DAG: 5 {{.*}}inGrandchild
// CHECK-NOT: note
//
// TRACE: {{[0-9.]+ +}}[[#PARENT:]] {{.*}} inParent
// TRACE-DAG: {{[0-9.]+ +}}[[#PARENT]] {{.*}}* fork: child [[#CHILD:]]
// TRACE-DAG: {{ }}[[#CHILD]] {{.*}} inChild
// TRACE: {{ }}[[#PARENT]] {{.*}} inParent
#include "../Inputs/record.h"
#include <sys/wait.h>

__attribute__((noinline)) void inParent(void) { __asm__ volatile(""); }
__attribute__((noinline)) void inChild(void) { __asm__ volatile(""); }
__attribute__((noinline)) void inGrandchild(void) { __asm__ volatile(""); }

NO_SLEDS void child(void) {
  for (int i = 0; i < 3000; ++i)
    inChild();
  if (!fork()) {
    for (int i = 0; i < 5; ++i)
      inGrandchild();
    exit(0);
  }
  wait(NULL);
  exit(0);
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("in*");
  inParent();
  if (!fork())
    child();
  wait(NULL);
  inParent();
  mustBeOk(tprt_recording_stop());
}
