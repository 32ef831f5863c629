// A call that is left by longjmp has an entry and no exit in the recording. The reader ends it at
// the latest with the call that it is in, and says so. That call has its own exit.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:j_*" %t
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// CHECK: j_outer {
// CHECK-NEXT: j_middle {
// CHECK-NEXT: j_leap {
// CHECK: j_after{{$}}
// CHECK: } j_leap  (no exit: unwound)
// CHECK: } j_middle  (no exit: unwound)
// CHECK: } j_outer{{$}}
#include <setjmp.h>
static jmp_buf place;
static volatile int leaps = 1;
__attribute__((noinline)) void j_leap(void) {
  if (leaps)
    longjmp(place, 1);
}
__attribute__((noinline)) void j_middle(void) {
  j_leap();
  __asm__ volatile("");
}
__attribute__((noinline)) void j_after(void) { __asm__ volatile(""); }
__attribute__((noinline)) void j_outer(void) {
  if (!setjmp(place))
    j_middle();
  j_after();
  __asm__ volatile("");
}
int main(void) { j_outer(); }
