// If this fails, a sled replaces a hardened return, or destroys it.
// RUN: %clang -O2 -fplugin-arg-tp-exit -mharden-sls=return -S %s -o - | FileCheck %s --check-prefixes=CHECK,SLS
// RUN: %clang -O2 -fplugin-arg-tp-exit -mfunction-return=thunk-extern -S %s -o - | FileCheck %s --check-prefixes=CHECK,THUNK
// RUN: %clang -O2 -fplugin-arg-tp-exit -mlvi-hardening -S %s -o - | FileCheck %s --check-prefixes=CHECK,LVI
// CHECK-LABEL: {{^}}f:
// CHECK:       .p2align 3, {{(0x90)?}}, 4
// CHECK-NEXT:  .Ltp_exit0:
// CHECK-NEXT:  .asciz "\017\037D\000"
// SLS-NEXT:    retq
// SLS-NEXT:    int3
// THUNK-NEXT:  jmp __x86_return_thunk
// LVI-NEXT:    popq %rcx
// LVI-NEXT:    lfence
// LVI-NEXT:    jmpq *%rcx
// In all modes the record's kind is 1, a return.
// CHECK:       .byte {{33|37|161|165}}
// CHECK-NEXT:  .byte 5
int f(int X) { return X + 1; }
