/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * void stress_call_{128,256,512}(const CallState *in, CallState *out, const void *function)
 *
 * Loads registers from *in, calls function, and stores the registers into *out.
 * state.cpp compares *in and *out. The registers are every general register
 * except rsp, the vector registers at the width that the name says, and eight
 * words of the frame above the return address. function returns to
 * stress_call_return, which handlers check.
 *
 *   rsp at the call:  0..63  words that the callee may read but not write
 *                    64 function  72 in  80 out  88 rax, 96 rflags after the call
 */
#include "layout.h"

        .text
        .macro  caller name, move, register
        .globl  \name
        .p2align 4
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        .irp    saved, %rbp, %rbx, %r12, %r13, %r14, %r15
        push    \saved
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \saved, 0
        .endr
        sub     $104, %rsp
        .cfi_adjust_cfa_offset 104
        mov     %rdx, 64(%rsp)
        mov     %rdi, 72(%rsp)
        mov     %rsi, 80(%rsp)
        .irp    word, 0, 8, 16, 24, 32, 40, 48, 56
        mov     CALL_STACK + \word(%rdi), %rax
        mov     %rax, \word(%rsp)
        .endr
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        \move   CALL_VECTOR + 64 * \number(%rdi), %\register\number
        .endr
        mov     CALL_RAX(%rdi), %rax
        mov     CALL_RBX(%rdi), %rbx
        mov     CALL_RCX(%rdi), %rcx
        mov     CALL_RDX(%rdi), %rdx
        mov     CALL_RSI(%rdi), %rsi
        mov     CALL_RBP(%rdi), %rbp
        mov     CALL_R8(%rdi), %r8
        mov     CALL_R9(%rdi), %r9
        mov     CALL_R10(%rdi), %r10
        mov     CALL_R11(%rdi), %r11
        mov     CALL_R12(%rdi), %r12
        mov     CALL_R13(%rdi), %r13
        mov     CALL_R14(%rdi), %r14
        mov     CALL_R15(%rdi), %r15
        pushq   CALL_FLAGS(%rdi)
        .cfi_adjust_cfa_offset 8
        popfq
        .cfi_adjust_cfa_offset -8
        mov     CALL_RDI(%rdi), %rdi
        call    *64(%rsp)
        .globl  \name\()_return
\name\()_return:
        mov     %rax, 88(%rsp)
        pushfq
        .cfi_adjust_cfa_offset 8
        popq    96(%rsp)
        .cfi_adjust_cfa_offset -8
        mov     80(%rsp), %rax
        mov     %rbx, CALL_RBX(%rax)
        mov     %rcx, CALL_RCX(%rax)
        mov     %rdx, CALL_RDX(%rax)
        mov     %rsi, CALL_RSI(%rax)
        mov     %rdi, CALL_RDI(%rax)
        mov     %rbp, CALL_RBP(%rax)
        mov     %r8, CALL_R8(%rax)
        mov     %r9, CALL_R9(%rax)
        mov     %r10, CALL_R10(%rax)
        mov     %r11, CALL_R11(%rax)
        mov     %r12, CALL_R12(%rax)
        mov     %r13, CALL_R13(%rax)
        mov     %r14, CALL_R14(%rax)
        mov     %r15, CALL_R15(%rax)
        mov     %r11, CALL_R11(%rax)
        .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        \move   %\register\number, CALL_VECTOR + 64 * \number(%rax)
        .endr
        mov     88(%rsp), %rcx
        mov     %rcx, CALL_RAX(%rax)
        mov     96(%rsp), %rcx
        mov     %rcx, CALL_FLAGS(%rax)
        .irp    word, 0, 8, 16, 24, 32, 40, 48, 56
        mov     \word(%rsp), %rcx
        mov     %rcx, CALL_STACK + \word(%rax)
        .endr
        .ifnc   \register, xmm
        vzeroupper
        .endif
        add     $104, %rsp
        .cfi_adjust_cfa_offset -104
        .irp    saved, %r15, %r14, %r13, %r12, %rbx, %rbp
        pop     \saved
        .cfi_adjust_cfa_offset -8
        .cfi_restore \saved
        .endr
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        caller  stress_call_128, movups, xmm
        caller  stress_call_256, vmovups, ymm
        caller  stress_call_512, vmovups, zmm

        .section .note.gnu.property,"a",@note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000002, 4, 3, 0
        .section .note.GNU-stack,"",@progbits
