// If this fails, each function of a program with large alignment grows by a page of
// padding for its slot.
// RUN: %clang -O2 -falign-functions=4096 -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK: 0000 <f>:
// CHECK-NEXT: 0f 1f 44 00 00
// CHECK: 1000 <g>:
// CHECK-NEXT: 0f 1f 44 00 00
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 a4050000
int f(int X) { return X + 1; }
int g(int X) { return X + 1; }
