// If this fails, a function without variables on the stack gets a canary because of a statement.
//
// Words that no register is left for (from the seventh on, AArch64: from the ninth on) and strings
// of C++ are in memory for a moment, so functions with such statements do get one.
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
