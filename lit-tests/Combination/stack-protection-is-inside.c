// If this fails, a stack canary is set before the entry sled or checked after the exit
// sled, with registers that a handler has changed, or the probing of the stack disturbs a handler.
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fstack-protector-all -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,CANARY
// RUN: %clang -O2 -fstack-clash-protection -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefixes=CHECK,CLASH
// CHECK-LABEL: {{^}}f:
// CHECK:       xchgw %ax, %ax
// CANARY:      movq %fs:40, %rax
// CANARY:      cmpq {{.*}}, %rcx
// CANARY-NEXT: jne
// CLASH:       movq $0, (%rsp)
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
void h(char *);
char f(int X) {
  char A[9000];
  h(A);
  return A[X];
}
// RUN: %observed -fstack-protector-all && %run %t
// RUN: %observed -O0 -fstack-protector-all && %run %t
// RUN: %observed -fstack-clash-protection && %run %t
