// If this fails, AddressSanitizer and the sleds do not go together.
// REQUIRES: x86_64-host
// RUN: %clang -O1 -fsanitize=address -fplugin-arg-tp-entry=2 %s -o %t && %run %t
// RUN: llvm-readelf -S %t | FileCheck %s
// CHECK: tp_sleds {{.*}} 000018
int Global[4];
int f(int X) { return Global[X]; }
int main(void) { return f(1); }
