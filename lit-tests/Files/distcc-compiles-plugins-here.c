// distcc's server does not accept plugins. If this fails, -fplugin= with distcc gives an
// object without sleds.
// REQUIRES: distcc, userns
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s a.c
// RUN: %python %S/Inputs/with-distccd.py distcc %clang -O2 -fplugin-arg-tp-entry=2 -c a.c -o a.o 2>&1 | FileCheck %s
// CHECK: running locally instead
// CHECK: compiled by the server: 0
// RUN: llvm-readelf -S a.o | FileCheck %s --check-prefix=SLED
// SLED: tp_sleds {{.*}} 00000c
int f(int X) { return X + 1; }
