// If this fails, a backtrace from an exit sled is wrong. LLVM says nothing of epilogues, so its table describes
// the frame until the end. At the sled the frame is removed, and the registers have their old values again. In
// code after the sled the frame exists again.
// DEFINE: %{with} = %clang --target=powerpc64le-linux-gnu -mcpu=pwr8 -O2 -fplugin-arg-tp-exit %s
// RUN: %{with} -S -o - | FileCheck %s
// RUN: %{with} -c -o %t.o
// RUN: llvm-dwarfdump --eh-frame %t.o | FileCheck %s --check-prefix=ROWS
// CHECK-LABEL: {{^}}f:
// CHECK:       .cfi_def_cfa_offset [[FRAME:[0-9]+]]
// CHECK-NEXT:  .cfi_offset lr, 16
// CHECK-NEXT:  .cfi_offset r30, -16
// CHECK:       mtlr 0
// CHECK-NEXT:  .cfi_remember_state
// CHECK-NEXT:  .cfi_def_cfa r1, 0
// CHECK-NEXT:  .cfi_restore lr
// CHECK-NEXT:  .cfi_restore r30
// CHECK-NEXT:  .Ltp_exit0:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence0:
// CHECK-NEXT:  blr
// CHECK-NEXT:  .cfi_restore_state
// CHECK-NEXT:  .LBB0_
// CHECK:       bl h
// CHECK-LABEL: {{^}}last:
// CHECK:       mtlr 0
// CHECK-NEXT:  .cfi_def_cfa r1, 0
// CHECK-NEXT:  .cfi_restore lr
// CHECK-NEXT:  .cfi_restore r30
// CHECK-NEXT:  .Ltp_exit1:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence1:
// CHECK-NEXT:  blr
// Local variables of a size unknown in advance need r31 as a frame pointer.
// CHECK-LABEL: {{^}}sized:
// CHECK:       .cfi_def_cfa_register r31
// CHECK:       .cfi_def_cfa r1, 0
// CHECK-DAG:   .cfi_restore r31
// CHECK-DAG:   .cfi_restore lr
// CHECK-DAG:   .cfi_restore r30
// CHECK:       .Ltp_exit2:
// CHECK-LABEL: {{^}}leaf:
// CHECK-NOT:   .cfi_def_cfa
// CHECK:       blr
// ROWS: DW_CFA_remember_state:
// ROWS: DW_CFA_def_cfa: {{(reg1|R1|X1) \+0|.* 0$}}
// ROWS: DW_CFA_restore{{(_extended)?}}: {{reg65|.*}}
// ROWS: DW_CFA_restore_state:
int g(void);
_Noreturn void h(void);
int f(int X) {
  if (__builtin_expect(g() == X, 0))
    h();
  return X + 1;
}
int last(int X) { return g() + X; }
int use(char *);
int sized(int N) {
  char Local[N];
  return use(Local) + N;
}
int leaf(int X) { return X + 1; }
