// If this fails, builds are not reproducible: the object depends on the folder,
// or on something as accidental as an address.
// RUN: rm -rf %t && mkdir -p %t/one %t/another
// RUN: cp %s %t/one/a.c && cp %s %t/another/a.c
// DEFINE: %{with} = %clang -O2 -fplugin-arg-tp-entry=2 -ffunction-sections -c
// RUN: cd %t/one && %{with} a.c -o a.o && %{with} a.c -o b.o
// RUN: cd %t/another && %{with} a.c -o a.o
// RUN: cmp %t/one/a.o %t/one/b.o && cmp %t/one/a.o %t/another/a.o
// RUN: llvm-readelf -S %t/one/a.o | FileCheck %s
// CHECK: tp_sleds
// RUN: cd %t/one && %{with} -g -ffile-prefix-map=%t/one=/src a.c -o g.o
// RUN: cd %t/another && %{with} -g -ffile-prefix-map=%t/another=/src a.c -o g.o
// RUN: cmp %t/one/g.o %t/another/g.o
int f(int X) { return X + 1; }
int g(int X) { return f(X) * f(X); }
