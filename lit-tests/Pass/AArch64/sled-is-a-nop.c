// If this fails, there is no nop to patch, or the record's shape is not that of a single
// word.
// RUN: %clang --target=aarch64-linux-gnu -O2 -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      <f>:
// CHECK-NEXT: d503201f nop
// CHECK-NEXT: d503201f nop
// CHECK-NEXT: 11000400 add
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 c4080000
int f(int X) { return X + 1; }
