// If this fails, objects without sleds also have a note.
// RUN: %clang -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s
// CHECK-NOT: tp_sleds
// CHECK-NOT: note.tp
__attribute__((tp_never)) void f(void) {}
