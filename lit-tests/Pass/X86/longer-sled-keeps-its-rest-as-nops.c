// If this fails, N is not the number of nop bytes.
// RUN: %clang -O2 -fplugin-arg-tp-entry=16,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      <f>:
// CHECK-NEXT: 0f 1f 44 00 00
// CHECK-NEXT: 66 0f 1f 84 00 00 00 00 00
// CHECK-NEXT: 66 90
// CHECK-NEXT: 8d 47 01
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 a4100000
int f(int X) { return X + 1; }
