// If this fails, -ftp-slot=none does not give the same layout as
// -fpatchable-function-entry.
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-slot=none -c %s -o %t.o
// RUN: %plain_clang -O2 -fpatchable-function-entry=2,0 -c %s -o %t.ref.o
// RUN: llvm-objcopy -O binary -j .text %t.o %t.text
// RUN: llvm-objcopy -O binary -j .text %t.ref.o %t.ref.text
// RUN: cmp %t.text %t.ref.text
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s
// CHECK: 0000 00000000 00000000 84020000
int f(int X) { return X + 1; }
int g(int X) { return X + 2; }
