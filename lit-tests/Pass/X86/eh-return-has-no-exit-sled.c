// If this fails, a sled is at a place where the stack pointer already belongs to
// another frame.
// RUN: %clang -O2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
// CHECK-NOT:   .Ltp_exit1
// CHECK:       retq # eh_return, addr: %rcx
// CHECK-LABEL: .Lfunc_end0
void g(void);
void f(long Offset, void *Handler) {
  g();
  if (Offset)
    __builtin_eh_return(Offset, Handler);
}
