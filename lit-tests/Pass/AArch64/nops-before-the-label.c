// If this fails, the M of -ftp-entry=N,M has another meaning than in GCC.
// RUN: %clang --target=aarch64-linux-gnu -O2 -falign-functions=32 -fplugin-arg-tp-entry=3,2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      1f 20 03 d5 .word 0xd503201f
// CHECK-NEXT: 1f 20 03 d5 .word 0xd503201f
// CHECK-EMPTY:
// CHECK-NEXT: {{0+20}} <f>:
// CHECK-NEXT: d503201f nop
// CHECK-NEXT: 11000400 add
int f(int X) { return X + 1; }
