// If this fails, a backtrace from an exit sled is wrong. At the sled the frame is removed, and the
// registers have their old values again. In code after the sled the frame exists again.
// RUN: %clang -O2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:       pushq %rbx
// CHECK-NEXT:  .cfi_def_cfa_offset 16
// CHECK:       popq
// CHECK-NEXT:  .cfi_def_cfa_offset 8
// CHECK-NEXT:  .cfi_remember_state
// CHECK-NEXT:  .cfi_restore %rbx
// CHECK-NEXT:  .Ltp_exit0:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
// CHECK:       .endif
// CHECK-NEXT:  .cfi_restore_state
// CHECK-NEXT:  .LBB0_
// CHECK-NEXT:  .cfi_def_cfa_offset 16
// CHECK-LABEL: {{^}}last:
// CHECK:       popq
// CHECK-NEXT:  .cfi_def_cfa_offset 8
// CHECK-NEXT:  .cfi_restore %rbx
// CHECK-NEXT:  .Ltp_exit1:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
// CHECK:       .endif
// CHECK-NEXT:  .Lfunc_end1:
int g(void);
_Noreturn void h(void);
int f(int X) {
  if (__builtin_expect(g() == X, 0))
    h();
  return X + 1;
}
int last(int X) { return g() + X; }
