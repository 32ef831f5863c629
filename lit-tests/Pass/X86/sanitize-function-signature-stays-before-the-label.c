// If this fails, -fsanitize=function reports an error at a correct indirect call, or the sled has only
// 2 bytes. The removal of a uprobe would then leave 66 f1, an INT1.
// clang 16 puts the signature after the label.
// REQUIRES: llvm-at-least-17
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fsanitize=function -fno-sanitize-recover=all -fplugin-arg-tp-entry=2 %s -o %t && %run %t
// RUN: %clang -O2 -fsanitize=function -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s
// CHECK: 0000 00000000 00000000 a4050000
int one(int X) { return X - 1; }
int (*volatile Pointer)(int) = one;
int main(void) { return Pointer(1); }
