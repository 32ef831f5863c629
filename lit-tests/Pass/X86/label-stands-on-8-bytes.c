// If this fails, functions with a sled that is off start 6 bytes behind an aligned
// slot, which costs more than the sled, or all at 8 modulo 16, which costs bytes, too.
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s -DG=18
// RUN: %clang -O2 -fcf-protection=branch -fplugin-arg-tp-entry=4,2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s -DG=20
// CHECK: {{0+}}8 <f>:
// CHECK: {{0+}}[[G]] <g>:
// What source or flag ask for holds.
// RUN: %clang -O2 -falign-functions=16 -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=ASKED
// ASKED: {{[0-9a-f]+}}0 <f>:
// ASKED: {{[0-9a-f]+}}0 <g>:
// Not where clang does not: -Os is for the size.
// RUN: %clang -Os -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=SIZE
// SIZE: 06 <f>:
int f(int X) { return X + 1; }
int g(int X) { return X + 2; }
