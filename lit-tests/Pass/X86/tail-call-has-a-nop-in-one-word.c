// If this fails, a thread may execute bytes that are half nop and half jump.
// RUN: %clang -O2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// RUN: %clang -O2 -fno-plt -fPIC -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefix=NOPLT
// CHECK-LABEL: {{^}}direct:
// CHECK:       .p2align 3, {{(0x90)?}}, 4
// CHECK-NEXT:  .Ltp_exit
// CHECK-NEXT:  .asciz "\017\037D\000"
// CHECK-NEXT:  jmp g@PLT
// CHECK-LABEL: {{^}}indirect:
// CHECK:       .asciz "\017\037D\000"
// CHECK-NEXT:  jmpq *%rsi
// NOPLT-LABEL: {{^}}direct:
// NOPLT:       .asciz "\017\037D\000"
// NOPLT-NEXT:  jmpq *g@GOTPCREL(%rip)
// RUN: %clang -O2 -fplugin-arg-tp-exit -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=WORD
// WORD-COUNT-2: {{[0-38-b]}}: 0f 1f 44 00 00
// RUN: llvm-objdump -s -j tp_sleds %t.o | FileCheck %s --check-prefix=RECORD
// RECORD: 0000 00000000 00000000 22050000
int g(int);
int direct(int X) { return g(X + 1); }
int indirect(int X, int (*F)(int)) { return F(X); }
