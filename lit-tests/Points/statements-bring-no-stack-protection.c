// If this fails, a function without variables on the stack gets a canary because of a statement.
//
// C++ strings, and words without a free register (from the seventh word on, or on AArch64 from the
// ninth on), are in memory for a moment. So functions with such statements do get a canary.
//
// REQUIRES: gcc-12, x86_64-host
// RUN: %plain_clang -std=c11 -O2 -fstack-protector-strong -I %tprt_include -S %s -o - | FileCheck %s
// RUN: %plain_clangxx -x c++ -std=c++17 -O2 -fstack-protector-strong -I %tprt_include -S %s -o - | FileCheck %s
// RUN: gcc-12 -std=c11 -O2 -fstack-protector-strong -I %tprt_include -S %s -o - | FileCheck %s
// RUN: g++-12 -x c++ -std=c++17 -O2 -fstack-protector-strong -I %tprt_include -S %s -o - | FileCheck %s
//
// CHECK: leaf
// CHECK-NOT: %fs:40
// CHECK-NOT: stack_chk
// CHECK: tp_points
// CHECK-NOT: %fs:40
// CHECK-NOT: stack_chk
#include <tprt/trace.h>
TPRT_POINT(point);
int leaf(int a, const char *text, double d) {
  TPRT_TRACE(point, "%d %s %g %d %d %p", a, text, d, a + 1, 7, (const void *)text);
  return a;
}
