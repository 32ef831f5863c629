// If this fails, the runtime writes its jump to a place without a slot.
// RUN: %clang -Os -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK-COUNT-5: cc {{.*}}int3
// CHECK:      cc {{.*}}int3
// CHECK-EMPTY:
// CHECK-NEXT: [[ADDRESS:[0-9a-f]+[02468ace]]] <f>:
// CHECK-NEXT: 66 90 nop
// CHECK-NEXT: 8d 47 01 leal
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 94020500
int f(int X) { return X + 1; }
