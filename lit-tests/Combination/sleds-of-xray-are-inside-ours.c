// If this fails, XRay's sleds and tp's overwrite each other, or tail calls with
// XRay's sleds have no exit sled.
// REQUIRES: x86_64-host
// DEFINE: %{xray} = -fxray-instrument -fxray-instruction-threshold=1
// RUN: %clang -O2 %{xray} -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:       .Ltp_sled0:
// CHECK-NEXT:  xchgw %ax, %ax
// CHECK:       .Lxray_sled_0:
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  .asciz "\017\037D\000"
// CHECK:       .Lxray_sled_1:
// CHECK-NEXT:  retq
// CHECK-LABEL: {{^}}t:
// CHECK:       .Ltp_exit1:
// CHECK-NEXT:  .asciz "\017\037D\000"
// CHECK:       .Lxray_sled_3:
// CHECK:       jmp g@PLT
int g(int);
int f(int X) { return X + 1; }
int t(int X) { return g(X); }
// XRay's sleds are first off, then on.
// RUN: %observed %{xray} && %run %t
// RUN: rm -rf %t.log && mkdir %t.log
// XRay accepts no path of more than 255 bytes.
// RUN: cd %t.log && env XRAY_OPTIONS="patch_premain=true xray_mode=xray-basic xray_logfile_base=./" %run %t
// RUN: ls %t.log | count 1
