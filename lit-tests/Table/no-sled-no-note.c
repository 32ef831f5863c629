// If this fails, each object of a program has a note, also objects without sleds.
// RUN: %clang -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s
// CHECK-NOT: tp_sleds
// CHECK-NOT: note.tp
__attribute__((tp_never)) void f(void) {}
