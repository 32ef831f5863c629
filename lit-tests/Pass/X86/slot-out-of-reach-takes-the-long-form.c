// If this fails, the 2-byte jump of a sled cannot reach its slot, and jumps somewhere else.
// RUN: %clang -O2 -fplugin-arg-tp-entry=123,121 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=SHORT
// SHORT: 0000 00000000 00000000 94027e00
// RUN: %clang -O2 -fplugin-arg-tp-entry=124,122 -c %s -o %t.o
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=LONG
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=BYTES
// LONG: 0000 00000000 00000000 a4050000
// BYTES:      <f>:
// BYTES-NEXT: {{[0-38-b]}}: 0f 1f 44 00 00
int f(int X) { return X + 1; }
