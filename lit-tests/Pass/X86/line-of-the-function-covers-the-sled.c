// If this fails, a debugger that stops at the sled shows no line.
// RUN: %clang -O2 -g -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:      .loc {{[0-9]+}} [[@LINE+6]] 0
// CHECK-NOT:  .loc
// CHECK:      .cfi_startproc
// CHECK:      xchgw %ax, %ax
// CHECK:      .loc {{[0-9]+}} [[@LINE+2]] {{[0-9]+}} prologue_end
// CHECK-NEXT: leal
int f(int X) { return X + 1; }
