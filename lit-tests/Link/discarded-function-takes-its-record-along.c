// If this fails, the table keeps unused code alive, or points at none.
// REQUIRES: lld
// RUN: %clang -O2 -ffunction-sections -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: %plain_clang %use_lld -Wl,--gc-sections %t.o -o %t
// RUN: llvm-readelf -S -s %t | FileCheck %s
// CHECK: {{ }}tp_sleds {{.*}} 000018
// CHECK-NOT: unused
int unused(int X) { return X + 1; }
__attribute__((noinline)) int f(int X) { return X - 1; }
int main(int Count, char **Names) { return f(Count); }
