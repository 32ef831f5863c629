/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a hit to the handler and back.
 *
 *   sled off: 66 90            sled on: eb XX -> slot: jmp stub    (or e9 to the stub)
 *   stub:     lea  data(%rip), %r11           | full stub:
 *             call *(%r11)  -> a trampoline   |   call *data(%rip) -> a trampoline
 *             jmp  end of the sled, or ret    |   jmp  end of the sled
 *
 * Live (System V psABI x86-64 1.0, 3.2.1 to 3.2.3), beside the callee-saved
 * registers, which nothing here touches:
 *   entry   the arguments in rdi rsi rdx rcx r8 r9 and xmm0-7 (ymm, zmm where the
 *           record says so), al, r10; the record may promise that some are not
 *   exit    rax, rdx, xmm0, xmm1, st0, st1; rcx, xmm2, xmm3 where a front end
 *           other than clang's returns more at once (LLVM, X86CallingConv.td)
 *   full    everything, the flags too: tail exits, other calling conventions
 * r11 is the stub's where the stub is not full; no red zone is in use.
 *
 * Stack on arrival: (%rsp) return into the stub; 8(%rsp) what %rsp pointed to at
 * the sled. The stub's call is matched by our ret, so a shadow stack agrees.
 * CFI: the caller's pc is the end of the sled, read out of the stub's last jump,
 * so that an unwinder sees the traced function itself as our caller. (The stub
 * of a ret sled holds the same displacement behind its ret, never executed.)
 * Offsets are written whole: clang 22's assembler does not take .cfi_restore_state
 * into account in a later .cfi_adjust_cfa_offset, as GNU as does.
 */
#include "frame.h"

  .set FRAME_rdi, FRAME_REGS + 0
  .set FRAME_rsi, FRAME_REGS + 8
  .set FRAME_rdx, FRAME_REGS + 16
  .set FRAME_rcx, FRAME_REGS + 24
  .set FRAME_r8, FRAME_REGS + 32
  .set FRAME_r9, FRAME_REGS + 40
  .set FRAME_rax, FRAME_REGS + 48
  .set FRAME_r10, FRAME_REGS + 56

/* The return address's value: CFA-8 holds R, where the stub's `e9 rel32` lies;
 * R + 5 + rel32, sign-extended by hand as deref_size does not (DWARF 5, 2.5.1). */
.macro CFI_RETURN_IS_END_OF_SLED
  .cfi_escape 0x16, 16, 18, 0x08,8, 0x1c, 0x06, 0x12, 0x23,1, 0x94,4, 0x08,32, 0x24, 0x08,32, 0x26, 0x22, 0x23,5
.endm

.macro BEGIN name
  .p2align 6
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  .cfi_startproc
  CFI_RETURN_IS_END_OF_SLED
  .cfi_def_cfa %rsp, 8
  endbr64
.endm

.macro END name
  .cfi_endproc
  .size \name, . - \name
.endm

/* Makes the frame. The full kind first keeps the flags (lahf has all but OF,
 * Intel SDM vol. 2, LAHF) and finds the data word from the stub's call. */
.macro SAVE full, registers:vararg
  leaq -FRAME_BYTES(%rsp), %rsp
  .cfi_def_cfa_offset 8 + FRAME_BYTES
  .irp register, \registers
  movq %\register, FRAME_\register(%rsp)
  .endr
  .if \full
  movq %r11, FRAME_R11(%rsp)
  lahf
  seto %al
  movq %rax, FRAME_FLAGS(%rsp)
  movq FRAME_BYTES(%rsp), %r11
  movslq -4(%r11), %rax
  addq %rax, %r11
  .endif
.endm

.macro RESTORE full, registers:vararg
  .if \full
  movq FRAME_FLAGS(%rsp), %rax
  addb $127, %al /* OF as it was: 127 + 1 overflows */
  sahf
  movq FRAME_R11(%rsp), %r11
  .endif
  .irp register, \registers
  movq FRAME_\register(%rsp), %\register
  .endr
.endm

.macro LEAVE_AND_RETURN
  leaq FRAME_BYTES(%rsp), %rsp
  .cfi_remember_state
  .cfi_def_cfa_offset 8
  ret
  .cfi_restore_state
.endm

/* To FRAME_REDIRECT's function instead of the stub. The stub's return address
 * leaves the shadow stack, too, where there is one (Intel SDM vol. 2, INCSSP:
 * rdssp changes nothing where it is off). */
.macro LEAVE_TO_REDIRECTION registers:vararg
  xorl %eax, %eax
  rdsspq %rax
  testq %rax, %rax
  jz 1f
  movl $1, %eax
  incsspq %rax
1:
  movq FRAME_REDIRECT(%rsp), %r11
  RESTORE 0, \registers
  leaq FRAME_BYTES + 8(%rsp), %rsp
  .cfi_remember_state
  .cfi_def_cfa_offset 0
  jmp *%r11
  .cfi_restore_state
.endm

/* `vectors`: how many of xmm0 to xmm7 are live. */
.macro TRAMPOLINE name, full, redirects, vectors, registers:vararg
BEGIN \name
  SAVE \full, \registers
  testb $15, %spl
  jnz .Lslow\@
  movq __tprt_self@gottpoff(%rip), %rax
  movq %fs:(%rax), %rax
  testq %rax, %rax
  jz .Lslow\@
  cmpq $0, THREAD_GUARD(%rax)
  jne .Lslow\@
  /* The guard goes up before the chain is read. A detacher publishes the new
   * chain, issues a membarrier and then reads the guard: either it sees us, or
   * we see its chain. */
  movq %rsp, THREAD_GUARD(%rax)
  movq DATA_CHAIN(%r11), %rcx
  movq %rax, FRAME_THREAD(%rsp)
  movq DATA_SITE(%r11), %rdi
  leaq FRAME_REGS(%rsp), %rsi
  movq CHAIN_DATA(%rcx), %rdx
  cmpl $0, CHAIN_MODE(%rcx)
  jne .Lvectors\@
  call *CHAIN_HANDLER(%rcx)
  movq FRAME_THREAD(%rsp), %rax
  movq $0, THREAD_GUARD(%rax)
.Lrestore\@:
  RESTORE \full, \registers
  LEAVE_AND_RETURN

  /* A handler that may use vectors, x87 and errno. */
.Lvectors\@:
  cmpl $1, CHAIN_MODE(%rcx)
  jne .Lall\@
  movq THREAD_ERRNO(%rax), %r8
  movl (%r8), %r8d
  movl %r8d, FRAME_ERRNO(%rsp)
  .if \vectors
  subq $-FRAME_VECTORS, %rsp
  .cfi_def_cfa_offset 8 + FRAME_BYTES - FRAME_VECTORS
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  .if \number < \vectors
  movaps %xmm\number, 16*\number(%rsp)
  .endif
  .endr
  call *CHAIN_HANDLER(%rcx)
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  .if \number < \vectors
  movaps 16*\number(%rsp), %xmm\number
  .endif
  .endr
  addq $-FRAME_VECTORS, %rsp
  .cfi_def_cfa_offset 8 + FRAME_BYTES
  .else
  call *CHAIN_HANDLER(%rcx)
  .endif
  movq FRAME_THREAD(%rsp), %rax
  movl FRAME_ERRNO(%rsp), %edx
  movq THREAD_ERRNO(%rax), %rcx
  movl %edx, (%rcx)
  movq $0, THREAD_GUARD(%rax)
  RESTORE \full, \registers
  LEAVE_AND_RETURN

  /* Everything to be kept, a redirection, a thread's first hit, a guard that is
   * set, a stack that is not aligned: decided in C++. */
.Lall\@:
  movq $0, THREAD_GUARD(%rax)
.Lslow\@:
  call __tprt_slow_hit
  .if \redirects
  cmpq $0, FRAME_REDIRECT(%rsp)
  je .Lrestore\@
  LEAVE_TO_REDIRECTION \registers
  .else
  jmp .Lrestore\@
  .endif
END \name
.endm

/* The counting code jumps here while its thread has no counters. */
.macro COUNT_TRAMPOLINE name, full, registers:vararg
BEGIN \name
  SAVE \full, \registers
  call __tprt_slow_count
  RESTORE \full, \registers
  LEAVE_AND_RETURN
END \name
.endm

/* Keeps all vector, mask and x87 state around a call of `function`(frame, data
 * word, state). XSAVE's area is 64-byte aligned and its header starts as zeroes
 * (Intel SDM vol. 1, 13.4 and 13.7). Room for FRAME_VECTORS stays below the frame. */
.macro SLOW name, function
  .p2align 4
  .type \name, @function
\name:
  .cfi_startproc
  pushq %rbx
  .cfi_def_cfa_offset 16
  .cfi_offset %rbx, -16
  leaq 16(%rsp), %rbx
  .cfi_def_cfa %rbx, 0
  movl __tprt_state_bytes(%rip), %ecx
  leaq FRAME_VECTORS(%rbx), %rsp
  subq %rcx, %rsp
  andq $-64, %rsp
  movl __tprt_state_mask(%rip), %eax
  xorl %edx, %edx
  testl %eax, %eax
  jz 1f
  .irp offset, 512, 520, 528, 536, 544, 552, 560, 568
  movq %rdx, \offset(%rsp)
  .endr
  xsave64 (%rsp)
  jmp 2f
1: fxsave64 (%rsp)
2: movq %rbx, %rdi
  movq %r11, %rsi
  movq %rsp, %rdx
  call \function
  movl __tprt_state_mask(%rip), %eax
  xorl %edx, %edx
  testl %eax, %eax
  jz 1f
  xrstor64 (%rsp)
  jmp 2f
1: fxrstor64 (%rsp)
2: leaq -16(%rbx), %rsp
  popq %rbx
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbx
  ret
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
  SLOW __tprt_slow_hit, __tprt_hit
  SLOW __tprt_slow_count, __tprt_count

  TRAMPOLINE __tprt_entry_one, 0, 1, 0, rdi
  TRAMPOLINE __tprt_entry_three, 0, 1, 0, rdi, rsi, rdx
  TRAMPOLINE __tprt_entry_arguments, 0, 1, 0, rdi, rsi, rdx, rcx, r8, r9
  TRAMPOLINE __tprt_entry_three_vectors, 0, 1, 8, rdi, rsi, rdx
  TRAMPOLINE __tprt_entry_trampoline, 0, 1, 8, rdi, rsi, rdx, rcx, r8, r9, rax, r10
  TRAMPOLINE __tprt_exit_one, 0, 0, 0, rax
  TRAMPOLINE __tprt_exit_trampoline, 0, 0, 4, rax, rdx, rcx
  TRAMPOLINE __tprt_full_trampoline, 1, 0, 8, rdi, rsi, rdx, rcx, r8, r9, rax, r10

  COUNT_TRAMPOLINE __tprt_count_trampoline, 0, rdi, rsi, rdx, rcx, r8, r9, rax, r10
  COUNT_TRAMPOLINE __tprt_full_count_trampoline, 1, rdi, rsi, rdx, rcx, r8, r9, rax, r10

/* A redirection alone: no frame, no guard; the chain of one is never freed. */
BEGIN __tprt_redirect_trampoline
  pushq %rax
  .cfi_def_cfa_offset 16
  movq DATA_CHAIN(%r11), %rax
  movq CHAIN_REDIRECT(%rax), %rax
  testq %rax, %rax
  jz 2f
  movq %rax, %r11
  xorl %eax, %eax
  rdsspq %rax
  testq %rax, %rax
  jz 1f
  movl $1, %eax
  incsspq %rax
1: popq %rax
  .cfi_remember_state
  .cfi_def_cfa_offset 8
  leaq 8(%rsp), %rsp
  .cfi_def_cfa_offset 0
  jmp *%r11
  .cfi_restore_state
2: popq %rax /* no longer, or not alone */
  .cfi_def_cfa_offset 8
  jmp __tprt_entry_trampoline
END __tprt_redirect_trampoline

/* Counts where every register and the flags are live. */
.macro FULL_COUNT_LEAVE
  addb $127, %al
  sahf
  popq %r11
  .cfi_def_cfa_offset 24
  popq %rcx
  .cfi_def_cfa_offset 16
  popq %rax
  .cfi_def_cfa_offset 8
.endm

BEGIN __tprt_full_count
  pushq %rax
  .cfi_def_cfa_offset 16
  pushq %rcx
  .cfi_def_cfa_offset 24
  pushq %r11
  .cfi_def_cfa_offset 32
  lahf
  seto %al
  movq 24(%rsp), %r11
  movslq -4(%r11), %rcx
  movq DATA_SITE(%r11,%rcx), %r11
  movq __tprt_counters@gottpoff(%rip), %rcx
  movq %fs:(%rcx), %rcx
  testq %rcx, %rcx
  .cfi_remember_state
  jz 1f
  shrq $2, %r11
  incq (%rcx,%r11)
  FULL_COUNT_LEAVE
  ret
  .cfi_restore_state
1:
  FULL_COUNT_LEAVE
  jmp __tprt_full_count_trampoline
END __tprt_full_count

  .section .note.GNU-stack, "", @progbits

/* IBT and SHSTK hold for this file (psABI x86-64, "Program Property"). */
  .section .note.gnu.property, "a", @note
  .p2align 3
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000002, 4, 3, 0
