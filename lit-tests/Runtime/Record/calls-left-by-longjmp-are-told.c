// A call that is left by longjmp has an entry and no exit in the recording. It ends where the
// program continues, and the reader says so: later calls are not inside it. The same holds for
// siglongjmp out of a signal handler and for longjmp that is checked (_FORTIFY_SOURCE).
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:j_*" %t
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
// RUN: %clang -O2 -D_FORTIFY_SOURCE=2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t.checked %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:j_*" %t.checked
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// CHECK-COUNT-2: j_outer {
// CHECK: j_middle {
// CHECK-NEXT: j_leap  (no exit: unwound)
// CHECK-NEXT: } j_middle  (no exit: unwound)
// CHECK-NEXT: j_after{{$}}
// CHECK-NEXT: } j_outer{{$}}
// CHECK: j_outer {
// CHECK: j_raise {
// CHECK-NEXT: j_handler  (no exit: unwound)
// CHECK-NEXT: } j_raise  (no exit: unwound)
// CHECK-NEXT: j_after{{$}}
// CHECK-NEXT: } j_outer{{$}}
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf place;
static volatile int leaps = 1;
__attribute__((noinline)) void j_leap(void) {
  if (leaps)
    longjmp(place, 1);
}
__attribute__((noinline)) void j_middle(void) {
  j_leap();
  __asm__ volatile("");
}
__attribute__((noinline)) void j_handler(int number) {
  if (leaps)
    siglongjmp(place, number);
}
__attribute__((noinline)) void j_raise(void) {
  raise(SIGUSR1);
  __asm__ volatile("");
}
__attribute__((noinline)) void j_after(void) { __asm__ volatile(""); }
__attribute__((noinline)) void j_outer(void (*inside)(void)) {
  if (!sigsetjmp(place, 1))
    inside();
  j_after();
  __asm__ volatile("");
}
int main(void) {
  signal(SIGUSR1, j_handler);
  j_outer(j_after);
  j_outer(j_middle);
  j_outer(j_raise);
}
