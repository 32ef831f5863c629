// If this fails, a backtrace from the sled is wrong: the CFI at the sled describes a push
// that is only after the sled.
// RUN: %clang -O0 -fplugin-arg-tp-entry=5 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:      .cfi_startproc
// CHECK-NOT:  .cfi_
// CHECK:      .asciz "\017\037D\000"
// CHECK-NEXT: pushq %rbp
// CHECK-NEXT: .cfi_def_cfa_offset 16
int f(int X) { return X + 1; }
