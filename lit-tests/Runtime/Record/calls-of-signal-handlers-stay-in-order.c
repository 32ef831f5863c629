// A signal handler may interrupt the recorder as it stores the arguments of a call. The entry of a call in
// the handler must not wait then for the recorder's end, as the exit is stored at once: the exit would come
// first, and the reader would see calls that began before the recording, and calls without an exit.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:o_*,args=1" %t
// RUN: %tpctl report --sort=name %t.rec 2>&1 | FileCheck %s
//
// CHECK-NOT: {{began before|without an exit}}
// CHECK: {{ }}1000 {{.*}} o_handler
// CHECK: o_inner
#include <signal.h>
#include <sys/time.h>

static volatile int sink, count;
__attribute__((noinline)) void o_inner(int number) { sink = number; }
__attribute__((noinline)) void o_outer(int number) {
  o_inner(number);
  sink = number + 1;
}
__attribute__((noinline)) void o_handler(int number) {
  o_inner(number);
  if (++count == 1000)
    signal(SIGALRM, SIG_IGN); // A signal that is pending is dropped.
}
int main(void) {
  struct itimerval often = {{0, 100}, {0, 100}};
  signal(SIGALRM, o_handler);
  setitimer(ITIMER_REAL, &often, 0);
  while (count < 1000)
    o_outer(count);
}
