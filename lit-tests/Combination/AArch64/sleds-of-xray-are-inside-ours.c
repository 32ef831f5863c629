// If this fails, XRay's sleds and tp's overwrite each other, or tail calls with XRay's
// sleds have two exit sleds or no exit sled.
// RUN: %clang --target=aarch64-linux-gnu -O2 -fxray-instrument -fxray-instruction-threshold=1 -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --implicit-check-not=.Ltp_exit2:
// CHECK-LABEL: {{^}}f:
// CHECK:       .Ltp_sled0:
// CHECK-NEXT:  nop
// CHECK:       .Lxray_sled_0:
// CHECK:       .Lxray_sled_1:
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence{{[0-9]+}}:
// CHECK-NEXT:  ret
// CHECK-LABEL: {{^}}t:
// CHECK:       .Lxray_sled_3:
// CHECK:       .Ltp_exit1:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence{{[0-9]+}}:
// CHECK-NEXT:  b g
int g(int);
int f(int X) { return X + 1; }
int t(int X) { return g(X); }
