// If this fails, assembly output and object output differ. A record then points at the
// wrong code.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// REQUIRES: aarch64-cross
// DEFINE: %{with} = %clang --target=aarch64-linux-gnu -O1 -fplugin-arg-tp-entry=4,1 -fplugin-arg-tp-exit
// DEFINE: %{show} = llvm-objdump -s -j .text -j tp_sleds -
// RUN: %{with} -c %s -o %t.o && %{show} < %t.o > %t.txt && FileCheck %s < %t.txt
// RUN: %{with} -fno-integrated-as -c %s -o %t.gas.o && %{show} < %t.gas.o | diff %t.txt -
// RUN: %{with} -S %s -o %t.s && %plain_clang --target=aarch64-linux-gnu -c %t.s -o %t.s.o && %{show} < %t.s.o | diff %t.txt -
// CHECK: Contents of section .text:
// CHECK: Contents of section tp_sleds:
int g(int);
int f(int X) { return X + 1; }
int h(int X) { return X ? g(X) + 1 : g(2); }
