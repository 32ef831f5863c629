// If this fails, registers are zeroed after a sled, so that a handler sees their old
// contents, or a return is no longer a plain return.
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fzero-call-used-regs=all -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:       xchgw %ax, %ax
// CHECK:       leal
// CHECK:       xorl %r11d, %r11d
// CHECK:       xorps %xmm15, %xmm15
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
// RUN: %clang --target=aarch64-linux-gnu -O2 -fzero-call-used-regs=all -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefix=ARM
// ARM:       mov x18, #0
// ARM:       movi v31.2d
// ARM:       .Ltp_exit0:
// ARM-NEXT:  nop
// ARM-NEXT:  .Ltp_fence0:
// ARM-NEXT:  ret
int f(int X) { return X + 1; }
// Even without sleds, clang's zeroing of x87 registers destroys a long double result.
// RUN: %observed -fzero-call-used-regs=all -DNO_LONG_DOUBLE && %run %t
// RUN: %observed -fzero-call-used-regs=used && %run %t
