// If this fails, functions start 6 bytes after an aligned slot, which costs more time
// than the sled. Or all functions start at 8 modulo 16, which costs more bytes.
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s -DG=18
// RUN: %clang -O2 -fcf-protection=branch -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s -DG=20
// CHECK: {{0+}}8 <f>:
// CHECK: {{0+}}[[G]] <g>:
// An alignment that the source or a flag requests is kept.
// RUN: %clang -O2 -falign-functions=16 -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=ASKED
// ASKED: {{[0-9a-f]+}}0 <f>:
// ASKED: {{[0-9a-f]+}}0 <g>:
// At -Os clang does not align functions, so the label is not aligned to 8, either.
// RUN: %clang -Os -fplugin-arg-tp-entry=2,0 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=SIZE
// SIZE: 06 <f>:
int f(int X) { return X + 1; }
int g(int X) { return X + 2; }
