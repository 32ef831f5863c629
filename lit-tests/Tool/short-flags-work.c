// If this fails, the short flags do not do what the long ones do: both must give
// the same object.
// RUN: %tp_clang -O2 -ftp-entry=2,0 -c %s -o %t.short.o
// RUN: %plain_clang -O2 -fplugin=%plugin -fplugin-arg-tp-entry=2,0 -c %s -o %t.long.o
// RUN: cmp %t.short.o %t.long.o
// RUN: llvm-readelf -S %t.short.o | FileCheck %s
// CHECK: tp_sleds
int twice(int x) { return x + x; }
