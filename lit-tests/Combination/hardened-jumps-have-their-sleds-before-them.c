// If this fails, the exit of a function that is hardened against speculation has no
// sled, or has lost its thunk or its fence.
// REQUIRES: x86_64-host
// DEFINE: %{with} = -mretpoline
// DEFINE: %{check} = %clang -O2 %{with} -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// RUN: %{check} --check-prefixes=CHECK,RETPOLINE
// REDEFINE: %{with} = -mretpoline -mretpoline-external-thunk -mindirect-branch-cs-prefix
// RUN: %{check} --check-prefixes=CHECK,EXTERNAL
// REDEFINE: %{with} = -mlvi-hardening
// RUN: %{check} --check-prefixes=CHECK,LVI
// REDEFINE: %{with} = -mharden-sls=all
// RUN: %{check} --check-prefixes=CHECK,SLS
// CHECK:          .Ltp_exit0:
// CHECK-NEXT:     .asciz "\017\037D\000"
// RETPOLINE-NEXT: jmp __llvm_retpoline_r11
// EXTERNAL:       jmp __x86_indirect_thunk_r11
// LVI-NEXT:       jmp __llvm_lvi_thunk_r11
// SLS-NEXT:       jmpq *%
// SLS-NEXT:       int3
// CHECK:          .byte 34
int f(int X, int (*F)(int)) { return F(X + 1); }
// RUN: %observed -mretpoline && %run %t
// RUN: %observed -mlvi-hardening && %run %t
// RUN: %observed -mharden-sls=all && %run %t
// RUN: %observed -mspeculative-load-hardening && %run %t
// RUN: %observed -mseses && %run %t
// RUN: %observed -fcf-protection=full && %run %t
