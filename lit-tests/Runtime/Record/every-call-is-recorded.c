// TPRT_OPTIONS=record=FILE:GLOB records each entry, exit and tail exit of the matching
// functions, and of no other functions. The events are in the order in which they happened, and
// the functions have their linked names.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:f_*" %t
// RUN: %tpctl report --format=csv --sort=name %t.rec | FileCheck %s --check-prefix=REPORT
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// REPORT-DAG: f_leaf,6,
// REPORT-DAG: f_outer,2,
// REPORT-DAG: f_tail,6,
// REPORT-NOT: other
//
// CHECK: f_outer {
// CHECK-NEXT: f_tail  (tail call)
// CHECK-NEXT: f_leaf
// CHECK-NEXT: f_tail  (tail call)
// CHECK-NEXT: f_leaf
// CHECK-NEXT: f_tail  (tail call)
// CHECK-NEXT: f_leaf
// CHECK-NEXT: } f_outer
// CHECK-NEXT: f_outer {
// CHECK-NOT: lost
#include <stdio.h>

__attribute__((noinline)) int f_leaf(int x) {
  __asm__ volatile("");
  return x + 1;
}
__attribute__((noinline)) int f_tail(int x) {
  __asm__ volatile("");
  return f_leaf(x);
}
__attribute__((noinline)) int f_outer(int x) {
  return f_tail(x) + f_tail(x + 1) + f_tail(x + 2);
}
__attribute__((noinline)) int other(int x) {
  __asm__ volatile("");
  return x;
}

int main(void) {
  int sum = f_outer(1);
  return other(sum + f_outer(2)) != 21;
}
