// If this fails, the handler runs after the return address has lost its signature, or
// the return does not check the signature.
// RUN: %clang --target=aarch64-linux-gnu -march=armv8.5-a -O2 -fplugin-arg-tp-exit -mbranch-protection=standard -S %s -o - | FileCheck %s -DRET=retaa
// RUN: %clang --target=aarch64-linux-gnu -march=armv8.5-a -O2 -fplugin-arg-tp-exit -mbranch-protection=pac-ret+b-key -S %s -o - | FileCheck %s -DRET=retab
// CHECK-LABEL: {{^}}f:
// CHECK:       ldp x29, x30, [sp], #16
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  nop
// CHECK-NEXT:  .Ltp_fence0:
// CHECK-NEXT:  [[RET]]
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-exit -mbranch-protection=pac-ret -S %s -o - | FileCheck %s --check-prefix=HINT
// HINT:       hint #29
// HINT:       .Ltp_exit0:
// HINT-NEXT:  nop
// HINT-NEXT:  .Ltp_fence0:
// HINT-NEXT:  ret
int g(int);
int f(int X) { return g(X) + 1; }
