// If this fails, a source file with attributes but no flag silently gets no sleds.
// RUN: %tp_clang -Werror -O2 -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s
// CHECK: tp_sleds
__attribute__((tp_entry(2, 0))) int twice(int x) { return x + x; }
