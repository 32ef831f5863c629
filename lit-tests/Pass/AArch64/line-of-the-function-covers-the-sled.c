// If this fails, a debugger that stops at the sled shows no line, or mistakes the
// nop for the end of the prologue.
// RUN: %clang --target=aarch64-linux-gnu -O0 -g -mbranch-protection=bti -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:      .loc {{[0-9]+}} [[@LINE+13]] 0
// CHECK-NOT:  .loc
// CHECK:      .cfi_startproc
// CHECK-NOT:  .loc
// CHECK:      hint #34
// CHECK:      nop
// CHECK-NEXT: .Ltp_fence{{.*}}:
// CHECK-NEXT: nop
// CHECK-NEXT: .Ltp_fence{{.*}}:
// CHECK-NEXT: sub sp, sp, #16
// CHECK-NEXT: .cfi_def_cfa_offset 16
// CHECK:      .loc {{[0-9]+}} [[@LINE+2]] {{[0-9]+}} prologue_end
// CHECK:      ret
int f(int X) { return X + 1; }
