// If this fails, a breakpoint or a backtrace at an exit shows a line other than
// that of the return.
// RUN: %clang -O2 -g -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:       .loc {{[0-9]+ }}[[@LINE+8]] 10
// CHECK-NOT:   .loc
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  .asciz
// CHECK-NOT:   .loc
// CHECK:       jmp g
int g(int);
int f(int X) {
  return g(X + 1);
}
