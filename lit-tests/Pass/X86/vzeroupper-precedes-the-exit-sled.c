// If this fails, a plain ret after vzeroupper gets a 5-byte sled before it, which costs an
// executed nop.
// RUN: %clang -O2 -mavx -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK:      vzeroupper
// CHECK:      .Ltp_exit0:
// CHECK-NEXT: retq
// CHECK-NEXT: .ascii "\314\314\314\314"
typedef float V8 __attribute__((vector_size(32)));
void f(V8 *P) { *P = *P + *P; }
