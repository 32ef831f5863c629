// If this fails, M = N is refused although GCC accepts it, or a record points
// to bytes that cannot be flipped.
// RUN: %clang -O2 -fplugin-arg-tp-entry=3,3 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK:      90 nop
// CHECK-NEXT: 90 nop
// CHECK-NEXT: 90 nop
// CHECK-EMPTY:
// CHECK-NEXT: {{[0-9a-f]+}} <f>:
// CHECK-NEXT: leal
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=tp_sleds --implicit-check-not=.note.tp
// SECTIONS: .text
int f(int X) { return X + 1; }
