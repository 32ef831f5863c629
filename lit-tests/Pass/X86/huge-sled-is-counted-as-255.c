// If this fails, the one-byte size in a record wraps around.
// RUN: %clang -O2 -fplugin-arg-tp-entry=65535 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s
// RUN: %clang -O2 -fplugin-arg-tp-entry=300 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s
// CHECK: 0000 00000000 00000000 a4ff0000
int f(int X) { return X + 1; }
