// If this fails, an exit that XRay has wrapped has no sled of ours, or a conditional return that XRay has wrapped
// is a hit when the function goes on.
// DEFINE: %{xray} = %clang --target=powerpc64le-linux-gnu -mcpu=pwr8 -O2 -fxray-instrument -fxray-instruction-threshold=1 -S %s -o -
// RUN: %{xray} -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit | FileCheck %s
// CHECK-LABEL: {{^}}early:
// CHECK:       .Ltp_sled0:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence
// CHECK-NEXT:  [[ENTER:.Ltmp[0-9]+]]:
// CHECK:       bl __xray_FunctionEntry
// CHECK:       bgt 0, [[RETURN:.LBB0_[0-9]+]]
// CHECK:       stw
// CHECK-NEXT:  .Ltp_exit
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence
// CHECK-NEXT:  .p2align 3
// CHECK-NEXT:  .Ltmp
// CHECK-NEXT:  blr
// CHECK:       [[RETURN]]:
// CHECK-NEXT:  .Ltp_exit
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence
// CHECK-NEXT:  .p2align 3
// CHECK-NEXT:  .Ltmp
// CHECK-NEXT:  blr
// CHECK-LABEL: {{^}}tail:
// CHECK:       .Ltp_exit
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence
// CHECK-NEXT:  .p2align 3
// CHECK-NEXT:  .Ltmp
// CHECK-NEXT:  b inner
// CHECK-NOT:   .Ltp_exit{{.*}}:
// CHECK-LABEL: {{^}}inner:
extern int V;
void early(int *P, int X) {
  if (X > 3)
    return;
  *P = 2;
}
__attribute__((noinline)) static int inner(int X) { return V += X; }
int tail(int X) { V = 2; return inner(X); }
