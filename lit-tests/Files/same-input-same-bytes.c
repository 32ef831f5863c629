// If this fails, builds are not reproducible: the object depends on the folder of the
// source or of the filter file, or on a random value, such as an address.
// RUN: rm -rf %t && mkdir -p %t/one %t/another
// RUN: cp %s %t/one/a.c && cp %s %t/another/a.c
// RUN: printf '[never]\nfun:h\n' > %t/one/filter && cp %t/one/filter %t/another/filter
// DEFINE: %{more} = -c
// DEFINE: %{with} = %clang -O2 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -fplugin-arg-tp-names -fplugin-arg-tp-filter=filter -ffunction-sections
// DEFINE: %{check} = cd %t/one && %{with} %{more} a.c -o a.o && %{with} %{more} a.c -o b.o && cmp a.o b.o && \
// DEFINE:   cd %t/another && %{with} %{more} a.c -o a.o && cmp %t/one/a.o %t/another/a.o
// RUN: %{check}
// RUN: llvm-readelf -S %t/one/a.o | FileCheck %s
// CHECK: tp_sleds
// REDEFINE: %{more} = -S
// RUN: %{check}
// REDEFINE: %{more} = -c -flto=thin
// RUN: %{check}
// REDEFINE: %{with} = %clang -O2 -fplugin-arg-tp-entry=2 -g -ffile-compilation-dir=/src
// REDEFINE: %{more} = -c
// RUN: %{check}
int f(int X) { return X + 1; }
int g(int X) { return f(X) * f(X); }
int h(int X) { return X - 1; }
