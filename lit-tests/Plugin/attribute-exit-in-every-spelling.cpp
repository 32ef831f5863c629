// If this fails, one of the spellings of tp_exit does nothing.
// clang 16 has no -std=c23.
// REQUIRES: llvm-at-least-17
// RUN: %clangxx -O1 -S %s -o - | FileCheck %s --implicit-check-not=tp_sled0
// CHECK-LABEL: {{^}}_Z3gnui:
// CHECK: .Ltp_exit0:
// CHECK-LABEL: {{^}}_Z8standardi:
// CHECK: .Ltp_exit1:
// CHECK-LABEL: {{^}}_Z6pragmai:
// CHECK: .Ltp_exit2:
// CHECK-LABEL: {{^}}_Z7withouti:
// CHECK-NOT: .Ltp_exit3:
// CHECK-LABEL: {{^}}_ZN1S1mEv:
// CHECK: .Ltp_exit3:
// CHECK-NOT: .Ltp_exit4:
// RUN: %clang -x c -std=c23 -DC23 -O1 -S %s -o - | FileCheck %s --check-prefix=C23
// C23: .Ltp_exit0:
#ifdef C23
[[tp::exit]] int c23(int X) { return X; }
#else
__attribute__((tp_exit)) int gnu(int X) { return X; }
[[tp::exit]] int standard(int X) { return X; }
#pragma clang attribute push(__attribute__((tp_exit)), apply_to = function)
int pragma(int X) { return X; }
#pragma clang attribute pop
int without(int X) { return X; }
struct S {
  [[tp::exit]] __attribute__((noinline, used)) int m() { return 1; }
};
#endif
