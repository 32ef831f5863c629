// If this fails, a handler runs while the return address is on only one of the two
// stacks, or a handler destroys x18. The function then returns to a wrong address.
// RUN: %clang --target=aarch64-linux-gnu -O2 -ffixed-x18 -fsanitize=shadow-call-stack -fplugin-arg-tp-entry=1 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK:      .Ltp_sled0:
// CHECK-NEXT: nop
// CHECK:      str x30, [x18], #8
// CHECK:      ldr x30, [x18, #-8]!
// CHECK:      .Ltp_exit0:
// CHECK-NEXT: nop
// CHECK-NEXT: .Ltp_fence1:
// CHECK-NEXT: ret
int g(int);
int f(int X) { return g(X) + 1; }
// The C library does not use a shadow stack; only the program's own functions do.
// RUN: %observed_aarch64 -ffixed-x18 -fsanitize=shadow-call-stack -DSHADOW_CALL_STACK && %run_aarch64 %t
