// If this fails, an exit on AArch64 has no sled, or the sled is not right before the return.
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-exit -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK-LABEL: <f>:
// CHECK:      add w0, w0, #0x1
// CHECK-NEXT: nop
// CHECK-NEXT: ret
// CHECK-LABEL: <direct>:
// CHECK:      nop
// CHECK-NEXT: b {{.*}}<direct
// CHECK-LABEL: <indirect>:
// CHECK:      nop
// CHECK-NEXT: br x
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD:      0000 00000000 00000000 c5040000 0c000000
// RECORD-NEXT: 0010 fcffffff 42040080 08000000 00000000
// RECORD-NEXT: 0020 42040080
int g(int);
int f(int X) { return X + 1; }
int direct(int X) { return g(X + 1); }
int indirect(int X, int (*F)(int)) { return F(X); }
