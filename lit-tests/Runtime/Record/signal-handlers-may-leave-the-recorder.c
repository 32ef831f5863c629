// A signal handler that leaves by siglongjmp may have interrupted the recorder itself, for example while
// the recorder claims a new block. Even then, the end of the calls must be stored at once, before the
// thread claims its next block. A later mark would also end the calls in between, and their exits would
// have no entries.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:s_*" %t
// RUN: %tpctl report --sort=name %t.rec 2>&1 | FileCheck %s
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:s_*,args=1" %t
// RUN: %tpctl report --sort=name %t.rec 2>&1 | FileCheck %s
//
// CHECK-NOT: began before
// CHECK: calls ended without an exit
// CHECK-NOT: began before
// CHECK: 400 {{.*}} s_handler
// CHECK: 1 {{.*}} s_loop
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf place;
static volatile int sink;
__attribute__((noinline)) void s_inner(int number) { sink = number; }
__attribute__((noinline)) void s_outer(int number) {
  s_inner(number);
  sink = number + 1;
}
__attribute__((noinline)) void s_handler(int number) {
  s_inner(number);
  siglongjmp(place, 1);
}
__attribute__((noinline)) void s_loop(void) {
  for (volatile int i = 0; i < 400; ++i) {
    if (sigsetjmp(place, 1) == 0) {
      struct itimerval once = {{0, 0}, {0, 150 + i % 100}};
      setitimer(ITIMER_REAL, &once, 0);
      for (;;)
        s_outer(i);
    }
    s_outer(-i);
  }
  sink = 0;
}
int main(void) {
  signal(SIGALRM, s_handler);
  s_loop();
}
