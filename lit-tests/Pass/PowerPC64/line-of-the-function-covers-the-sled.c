// If this fails, a debugger that stops at the sled shows no line, or mistakes the
// nop for the end of the prologue.
// RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr8 -O0 -g -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:      .loc {{[0-9]+}} [[@LINE+14]] 0
// CHECK-NOT:  .loc
// CHECK:      .cfi_startproc
// CHECK-NOT:  .loc
// CHECK:      .localentry f
// CHECK-NOT:  .loc
// CHECK:      .Ltp_sled0:
// CHECK-NEXT: nop
// CHECK-NEXT: .Ltp_fence{{.*}}:
// CHECK-NEXT: nop
// CHECK-NEXT: .Ltp_fence{{.*}}:
// CHECK:      .loc {{[0-9]+}} [[@LINE+3]] {{[0-9]+}} prologue_end
// CHECK:      blr
extern int V;
int f(int X) { return X + V; }
