// If this fails, the end of an inlined function is reported as the exit of its caller.
// RUN: %clang -O2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --implicit-check-not=.Ltp_exit1:
// CHECK-LABEL: {{^}}f:
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
static int g(int X) { return X * 3; }
int f(int X) { return g(X) + g(X + 1); }
