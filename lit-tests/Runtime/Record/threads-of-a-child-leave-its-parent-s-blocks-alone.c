// In the child of a fork, another thread may record before the forking thread does. From then on, stubs in the child
// also record. Until its own first event, the forking thread has its parent's place in the block. The thread once
// stored its events there.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report --by=process --sort=name %t.rec 2>&1 | FileCheck %s
//
// CHECK-NOT: went back
// CHECK: {{^ +}}1 {{.*}} t_after
// CHECK-NEXT: {{^ +}}1 {{.*}} t_before
// CHECK-NOT: {{^ +[0-9]}}
// CHECK: {{^ +}}22 {{.*}} t_child
// CHECK: of 3 threads in {{.*}}, none lost
#include "../Inputs/record.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
__attribute__((noinline)) void t_before(void) { sink = 1; }
__attribute__((noinline)) void t_child(void) { sink = 2; }
__attribute__((noinline)) void t_after(void) { sink = 3; }

static void *callOnce(void *unused) {
  t_child();
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_UNTIL_FULL, 4 << 20);
  recordFunctions("t_*");
  t_before();
  pid_t child = fork();
  if (child == 0) {
    pthread_t other;
    pthread_create(&other, NULL, callOnce, NULL);
    pthread_join(other, NULL);
    for (int i = 0; i < 21; ++i)
      t_child();
    return 0;
  }
  waitpid(child, NULL, 0);
  t_after();
  return 0;
}
