// A function without exit sleds cannot be timed. A message names it with the reason, and its
// callers' times are still right. A call that is left by longjmp has no time, and a message reports
// that.
//
// RUN: %tp_clang -O2 -ftp-entry=2,0 %s -o %t.none
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="time=*" %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %tp_clang -O2 -ftp-entry=2,0 -ftp-exit %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="time=*" %t 2>&1 | FileCheck %s
//
// NONE: tprt: time=*: 4 of 4 functions can't be timed, without an exit sled (build with -ftp-exit): {{.*, .*, .*, ...}}
// NONE: tprt: no call of the 4 watched functions has ended in
// NONE: not timed: 4 functions without an exit sled
// CHECK: tprt: time=*: 1 of 4 functions can't be timed, without an exit sled (build with -ftp-exit): jump{{$}}
// CHECK: tprt: 3 calls of 3 functions
// CHECK-DAG: 1 {{.*}} main (
// CHECK-DAG: 1 {{.*}} outer (
// CHECK-DAG: 1 {{.*}} cut (
// CHECK: not timed: 1 function without an exit sled
// CHECK: left by an exception, longjmp or an exit without a probe: 1 call, counted without a time
#include <setjmp.h>
static jmp_buf back;
__attribute__((noinline)) int jump(void) { longjmp(back, 1); }
__attribute__((noinline)) int cut(int x) {
  if (x)
    jump();
  __asm__ volatile("");
  return 1;
}
__attribute__((noinline)) int outer(int x) {
  if (setjmp(back) == 0)
    return cut(x);
  return 2;
}
int main(int argc, char **argv) { return outer(argc) - 2; }
