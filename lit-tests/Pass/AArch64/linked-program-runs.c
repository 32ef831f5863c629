// If this fails, the sleds or the table break an AArch64 link.
// REQUIRES: aarch64-cross, lld
// DEFINE: %{link} = %clang --target=aarch64-linux-gnu -O2 %use_lld -fplugin-arg-tp-entry=2
// RUN: %{link} %s -o %t && %run_aarch64 %t
// RUN: %{link} -static %s -o %t && %run_aarch64 %t
// RUN: %{link} -mbranch-protection=standard -fPIE -pie %s -o %t && %run_aarch64 %t
// RUN: llvm-readelf -Sr %t | FileCheck %s
// CHECK: tp_sleds {{.*}} 000018
__attribute__((noinline)) int f(int X) { return X - 1; }
int main(int Count, char **Names) { return f(Count); }
