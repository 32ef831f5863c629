// If this fails, a program with AddressSanitizer and sleds does not run.
// REQUIRES: x86_64-host
// RUN: %clang -O1 -fsanitize=address -fplugin-arg-tp-entry=2 %s -o %t && %run %t
// RUN: llvm-readelf -S %t | FileCheck %s
// CHECK: tp_sleds {{.*}} 000018
int Global[4];
int f(int X) { return Global[X]; }
int main(void) { return f(1); }
