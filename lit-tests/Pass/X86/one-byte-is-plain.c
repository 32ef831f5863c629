// If this fails, the runtime treats a single nop as a sled that can become a jump.
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK: <f>:
// CHECK-NEXT: 90 nop
// CHECK-NEXT: 8d
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 84010000
int f(int X) { return X + 1; }
