// If this fails, the bytes of exit sleds depend on the assembler.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// RUN: %clang -O2 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -c %s -o %t.own.o
// RUN: %clang -O2 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -fno-integrated-as -c %s -o %t.gnu.o
// RUN: llvm-objdump -d --no-addresses %t.own.o | grep -v "file format" > %t.own
// RUN: llvm-objdump -d --no-addresses %t.gnu.o | grep -v "file format" > %t.gnu
// RUN: diff %t.own %t.gnu
// RUN: llvm-readelf -x tp_sleds %t.gnu.o | FileCheck %s
// CHECK: 22050080
int g(int), h(int);
int f(int X) {
  if (X)
    return g(X);
  return h(X) + 1;
}
