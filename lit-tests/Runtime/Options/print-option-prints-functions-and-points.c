// If this fails, TPRT_OPTIONS=print= leaves out hits of functions or of points.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS='print=work*' %t 2>&1 | FileCheck %s
// RUN: env TPRT_OPTIONS='print=point:work*' %t 2>&1 | FileCheck --check-prefix=POINTS %s
//
// CHECK: {{^[0-9:.]+ [0-9]+}} work: entered
// CHECK-NEXT: {{^[0-9:.]+ [0-9]+}} work_done: left 3
// CHECK-NEXT: {{^[0-9:.]+ [0-9]+}} work: entered
// CHECK-NEXT: {{^[0-9:.]+ [0-9]+}} work_done: left 2
// POINTS-NOT: entered
// POINTS: {{^[0-9:.]+ [0-9]+}} work_done: left 3
// POINTS-NEXT: {{^[0-9:.]+ [0-9]+}} work_done: left 2
#include "tprt/trace.h"

TPRT_POINT(work_done);

__attribute__((noinline)) int work(int left) {
  TPRT_TRACE(work_done, "left %d", left);
  return left - 1;
}

int main(void) { return work(work(3)) != 1; }
