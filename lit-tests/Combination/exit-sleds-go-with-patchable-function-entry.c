// If this fails, a program with the entry nops of another tracer cannot have tp's exit
// sleds, or the exit sleds move those nops.
// RUN: %clang -O2 -fpatchable-function-entry=5,2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK:      nop
// CHECK-NEXT: nop
// CHECK-NEXT: f:
// CHECK:      nopl (%rax)
// CHECK:      leal
// CHECK-NEXT: .Ltp_exit0:
// CHECK-NEXT: retq
// CHECK:      .section tp_sleds
// CHECK:      .byte 181
// CHECK:      .section __patchable_function_entries
int f(int X) { return X + 1; }
