// If this fails, the M of -ftp-entry=N,M does not mean what it means to GCC.
// RUN: %clang -O2 -fplugin-arg-tp-entry=4,2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK-COUNT-6: cc {{.*}}int3
// CHECK-NEXT: 90 {{.*}}nop
// CHECK-NEXT: 90 {{.*}}nop
// CHECK-EMPTY:
// CHECK-NEXT: {{[0-9a-f]+[02468ace]}} <f>:
// CHECK-NEXT: 66 90
// CHECK-NEXT: 8d
// The slot stands before the two nops: 7 bytes to the label.
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 94020700
int f(int X) { return X + 1; }
