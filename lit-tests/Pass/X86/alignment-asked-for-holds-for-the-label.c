// If this fails, a function does not have the alignment that its source or a flag requests.
// RUN: %clang -O2 -falign-functions=32 -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK: {{[02468ace]0}} <f>:
// CHECK-NEXT: 66 90
// CHECK: {{[048c]0}} <g>:
// CHECK-NEXT: 66 90
int f(int X) { return X + 1; }
__attribute__((aligned(64))) int g(int X) { return X + 1; }
