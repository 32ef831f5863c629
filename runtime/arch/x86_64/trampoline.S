/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a hit to the handler and back.
 *
 *   sled off: 66 90            sled on: eb XX -> slot: jmp stub    (or e9 to the stub)
 *   stub:     lea data(%rip), %r11
 *             call *(%r11)                 -> one of the two entries below
 *             jmp  end of the sled
 *
 * Live at an entry sled: the arguments in rdi rsi rdx rcx r8 r9 and xmm0-7 (ymm,
 * zmm where the record says so), al, r10, and all callee-saved registers (System
 * V psABI x86-64 1.0, 3.2.1 to 3.2.3). r11 is scratch there, flags are dead, no
 * red zone is in use. Clobbered on return: r11 and the flags.
 *
 * Stack on arrival: (%rsp) return into the stub; 8(%rsp) what %rsp pointed to at
 * the sled. The stub's call is matched by our ret, so a shadow stack agrees.
 * CFI: the caller's pc is the end of the sled, read out of the stub's last jump,
 * so that an unwinder sees the traced function itself as our caller.
 */
#include "frame.h"


/* The return address's value: CFA-8 holds R, where the stub's `e9 rel32` lies;
 * R + 5 + rel32, sign-extended by hand as deref_size does not (DWARF 5, 2.5.1). */
.macro CFI_RETURN_IS_END_OF_SLED
  .cfi_escape 0x16, 16, 18, 0x08,8, 0x1c, 0x06, 0x12, 0x23,1, 0x94,4, 0x08,32, 0x24, 0x08,32, 0x26, 0x22, 0x23,5
.endm

.macro SAVE_GENERAL
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $(FRAME_BYTES + 16), %rsp      /* 16: -8(%rbp) is for rbx in SAVE_ALL */
  andq $-16, %rsp
  movq %rdi, FRAME_RDI(%rsp)
  movq %rsi, FRAME_RSI(%rsp)
  movq %rdx, FRAME_RDX(%rsp)
  movq %rcx, FRAME_RCX(%rsp)
  movq %r8, FRAME_R8(%rsp)
  movq %r9, FRAME_R9(%rsp)
  movq %rax, FRAME_RAX(%rsp)
  movq %r10, FRAME_R10(%rsp)
.endm

.macro RESTORE_GENERAL_AND_RETURN
  movq FRAME_RDI(%rsp), %rdi
  movq FRAME_RSI(%rsp), %rsi
  movq FRAME_RDX(%rsp), %rdx
  movq FRAME_RCX(%rsp), %rcx
  movq FRAME_R8(%rsp), %r8
  movq FRAME_R9(%rsp), %r9
  movq FRAME_RAX(%rsp), %rax
  movq FRAME_R10(%rsp), %r10
  leave
  .cfi_remember_state
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  ret
  .cfi_restore_state
.endm

/* All vector, mask and x87 state below the frame, whose address goes to rbx.
 * XSAVE's area is 64-byte aligned and its header starts as zeroes (Intel SDM
 * vol. 1, 13.4 and 13.7). Clobbers rax, rcx, rdx. */
.macro SAVE_ALL
  movq %rbx, -8(%rbp)
  .cfi_remember_state
  .cfi_offset %rbx, -24
  movq %rsp, %rbx
  movl __tprt_state_bytes(%rip), %ecx
  subq %rcx, %rsp
  andq $-64, %rsp
  movl __tprt_state_mask(%rip), %eax
  xorl %edx, %edx
  testl %eax, %eax
  jz 1f
  movq %rdx, 512(%rsp)
  movq %rdx, 520(%rsp)
  movq %rdx, 528(%rsp)
  movq %rdx, 536(%rsp)
  movq %rdx, 544(%rsp)
  movq %rdx, 552(%rsp)
  movq %rdx, 560(%rsp)
  movq %rdx, 568(%rsp)
  xsave64 (%rsp)
  jmp 2f
1: fxsave64 (%rsp)
2:
.endm

.macro RESTORE_ALL
  movl __tprt_state_mask(%rip), %eax
  xorl %edx, %edx
  testl %eax, %eax
  jz 1f
  xrstor64 (%rsp)
  jmp 2f
1: fxrstor64 (%rsp)
2:
  movq %rbx, %rsp
  movq -8(%rbp), %rbx
  .cfi_restore_state
.endm

  .text
  .p2align 6
  .globl __tprt_entry_trampoline
  .hidden __tprt_entry_trampoline
  .type __tprt_entry_trampoline, @function
__tprt_entry_trampoline:
  .cfi_startproc
  CFI_RETURN_IS_END_OF_SLED
  .cfi_def_cfa %rsp, 8
  endbr64
  SAVE_GENERAL
  leaq 16(%rbp), %rcx
  movq %rcx, FRAME_RSP(%rsp)
  movq __tprt_self@gottpoff(%rip), %rax
  movq %fs:(%rax), %rax
  testq %rax, %rax
  jz .Ladmit
  cmpq $0, THREAD_GUARD(%rax)
  jne .Ladmit

.Ladmitted:
  /* The guard goes up before the chain is read. A detacher publishes the new
   * chain, issues a membarrier and then reads the guard: either it sees us, or
   * we see its chain. */
  movq %rbp, THREAD_GUARD(%rax)
  incq THREAD_SEQUENCE(%rax)
  movq %rax, FRAME_THREAD(%rsp)
  movq DATA_SITE(%r11), %rdx
  movq DATA_CHAIN(%r11), %rcx
  movq %rdx, FRAME_EVENT(%rsp)
  movq %rsp, %rdi
  leaq FRAME_REGS(%rsp), %rsi
  movq CHAIN_DATA(%rcx), %rdx
  cmpl $0, CHAIN_MODE(%rcx)
  jne .Lvectors
  call *CHAIN_HANDLER(%rcx)

.Lhandled:
  movq FRAME_THREAD(%rsp), %rax
  movq $0, THREAD_GUARD(%rax)
.Lrestore:
  RESTORE_GENERAL_AND_RETURN

.Lvectors:
  movq THREAD_ERRNO(%rax), %r8
  movl (%r8), %r8d
  movl %r8d, FRAME_ERRNO(%rsp)
  cmpl $1, CHAIN_MODE(%rcx)
  jne .Lall
  movaps %xmm0, FRAME_XMM+0(%rsp)
  movaps %xmm1, FRAME_XMM+16(%rsp)
  movaps %xmm2, FRAME_XMM+32(%rsp)
  movaps %xmm3, FRAME_XMM+48(%rsp)
  movaps %xmm4, FRAME_XMM+64(%rsp)
  movaps %xmm5, FRAME_XMM+80(%rsp)
  movaps %xmm6, FRAME_XMM+96(%rsp)
  movaps %xmm7, FRAME_XMM+112(%rsp)
  call *CHAIN_HANDLER(%rcx)
  movaps FRAME_XMM+0(%rsp), %xmm0
  movaps FRAME_XMM+16(%rsp), %xmm1
  movaps FRAME_XMM+32(%rsp), %xmm2
  movaps FRAME_XMM+48(%rsp), %xmm3
  movaps FRAME_XMM+64(%rsp), %xmm4
  movaps FRAME_XMM+80(%rsp), %xmm5
  movaps FRAME_XMM+96(%rsp), %xmm6
  movaps FRAME_XMM+112(%rsp), %xmm7
.LhandledVectors:
  movq FRAME_THREAD(%rsp), %rax
  movl FRAME_ERRNO(%rsp), %edx
  movq THREAD_ERRNO(%rax), %rcx
  movl %edx, (%rcx)
  jmp .Lhandled

.Lall:
  movq %rcx, FRAME_CHAIN(%rsp)
  SAVE_ALL
  movq FRAME_CHAIN(%rbx), %r8
  movq %rbx, %rdi
  leaq FRAME_REGS(%rbx), %rsi
  movq CHAIN_DATA(%r8), %rdx
  call *CHAIN_HANDLER(%r8)
  RESTORE_ALL
  jmp .LhandledVectors

  /* This thread's first hit, or a guard that is set: rare, decided in C++. */
.Ladmit:
  movq %r11, FRAME_DATA(%rsp)
  SAVE_ALL
  movq %rbp, %rdi
  movq %r11, %rsi
  call __tprt_admit
  movq %rax, FRAME_THREAD(%rbx)
  RESTORE_ALL
  movq FRAME_THREAD(%rsp), %rax
  movq FRAME_DATA(%rsp), %r11
  testq %rax, %rax
  jz .Lrestore
  jmp .Ladmitted
  .cfi_endproc
  .size __tprt_entry_trampoline, . - __tprt_entry_trampoline

/* The counting code (stub.cpp) jumps here while its thread has no counters. */
  .p2align 4
  .globl __tprt_count_trampoline
  .hidden __tprt_count_trampoline
  .type __tprt_count_trampoline, @function
__tprt_count_trampoline:
  .cfi_startproc
  CFI_RETURN_IS_END_OF_SLED
  .cfi_def_cfa %rsp, 8
  endbr64
  SAVE_GENERAL
  movq DATA_SITE(%r11), %rdi
  SAVE_ALL
  call __tprt_count_slow
  RESTORE_ALL
  RESTORE_GENERAL_AND_RETURN
  .cfi_endproc
  .size __tprt_count_trampoline, . - __tprt_count_trampoline

  .section .note.GNU-stack, "", @progbits

/* IBT and SHSTK hold for this file (psABI x86-64, "Program Property"). */
  .section .note.gnu.property, "a", @note
  .p2align 3
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000002, 4, 3, 0
