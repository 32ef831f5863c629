// A call is in the table of times only after it has ended. A call that is still open at the
// end of the process is in no row, but the message must not claim that there was no call.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=time=main" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=time=*" %t 2>&1 | FileCheck %s --check-prefix=ALL
//
// CHECK-NOT: can't be timed
// CHECK: tprt: no call of the only watched function has ended in time-option-says
// ALL: tprt: no call of the 2 watched functions has ended in time-option-says
#include <stdlib.h>
__attribute__((noinline)) void serve(int requests) {
  __asm__ volatile("");
  if (requests)
    exit(0);
}
int main(int argc, char **argv) {
  serve(argc);
  return argv[0] == 0;
}
