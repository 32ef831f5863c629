// If this fails, an exit costs an executed nop, or the jump that replaces the
// return overwrites code that runs.
// RUN: %clang -O2 -fplugin-arg-tp-exit -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK-LABEL: <f>:
// CHECK:      c3 retq
// CHECK-NEXT: cc int3
// CHECK-NEXT: cc int3
// CHECK-NEXT: cc int3
// CHECK-NEXT: cc int3
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 b5050000
// RUN: llvm-readelf -r %t.o | FileCheck %s --check-prefix=RELOC
// RELOC: R_X86_64_PC32 {{.*}} .text + 3
// RELOC: R_X86_64_PC32 {{.*}} .text + 0
int f(int X) { return X + 1; }
