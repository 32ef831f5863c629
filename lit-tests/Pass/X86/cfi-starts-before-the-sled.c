// If this fails, a backtrace from the sled goes wrong: no push may be described
// before it has happened.
// RUN: %clang -O0 -fplugin-arg-tp-entry=5 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:      .cfi_startproc
// CHECK-NOT:  .cfi_
// CHECK:      .asciz "\017\037D\000"
// CHECK-NEXT: pushq %rbp
// CHECK-NEXT: .cfi_def_cfa_offset 16
int f(int X) { return X + 1; }
