// If this fails, the jump of a tail call is not checked, or a handler runs between
// the check and the jump and may change its target.
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK:      .Ltp_exit0:
// CHECK-NEXT: .asciz "\017\037D\000"
// CHECK:      movl ${{.*}}, %r10d
// CHECK:      ud2
// CHECK:      jmpq *%rsi # TAILCALL
// CHECK:      .byte 34
// RUN: %clang --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefix=ARM
// ARM:      .Ltp_exit0:
// ARM-NEXT: nop
// ARM:      brk
// ARM:      br x1
// ARM:      .byte 66
int f(int X, int (*F)(int)) { return F(X); }
