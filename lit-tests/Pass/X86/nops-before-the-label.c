// If this fails, the M of -ftp-entry=N,M has another meaning than in GCC, or the removal of a
// uprobe at a 2-byte sled leaves 66 and a harmful byte.
// RUN: %clang -O2 -fplugin-arg-tp-entry=4,1 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK-COUNT-7: cc {{.*}}int3
// CHECK-NEXT: 90 {{.*}}nop
// CHECK-EMPTY:
// CHECK-NEXT: {{[0-9a-f]+[02468ace]}} <f>:
// CHECK-NEXT: 66 90
// CHECK-NEXT: 90
// CHECK-NEXT: 8d
// The slot is before the nop, so it begins 6 bytes before the label.
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 94030600
// 4 nops have the same effect as endbr64.
// RUN: %clang -O2 -fplugin-arg-tp-entry=6,4 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=FOUR
// FOUR: 0000 00000000 00000000 94020900
// With other numbers the sled has 5 bytes and no slot.
// RUN: %clang -O2 -fplugin-arg-tp-entry=4,2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=LONG
// LONG:      90 {{.*}}nop
// LONG-NEXT: 90 {{.*}}nop
// LONG-EMPTY:
// LONG-NEXT: {{[0-9a-f]+[02468ace]}} <f>:
// LONG-NEXT: 0f 1f 44 00 00
// LONG-NEXT: 8d
int f(int X) { return X + 1; }
