// If this fails, a size between 2 and 5 loses its slot or its bytes.
// RUN: %clang -O2 -fplugin-arg-tp-entry=3 -c %s -o %t.3.o
// RUN: llvm-objdump -d %t.3.o | FileCheck %s --check-prefix=THREE
// THREE:      <f>:
// THREE-NEXT: 66 90 nop
// THREE-NEXT: 90 nop
// THREE-NEXT: {{.*}}leal
// RUN: %clang -O2 -fplugin-arg-tp-entry=4 -c %s -o %t.4.o
// RUN: llvm-objdump -d %t.4.o | FileCheck %s --check-prefix=FOUR
// FOUR:      <f>:
// FOUR-NEXT: 66 90 nop
// FOUR-NEXT: 66 90 nop
// FOUR-NEXT: {{.*}}leal
// RUN: llvm-objdump -s -j tp_sleds %t.4.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 94040500
int f(int X) { return X + 1; }
