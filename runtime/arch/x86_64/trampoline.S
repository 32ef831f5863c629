/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a hit to the handler and back.
 *
 *   sled off: 66 90            sled on: eb XX -> slot: jmp stub    (or e9 to the stub;
 *                                                                  int3 and a signal)
 *   stub:     lea  data(%rip), %r11           | full stub:
 *             jmp  a trampoline               |   call a trampoline
 *                                             |   jmp  end of the sled, or ret
 *   back:     jmp to the end of the sled, from the trampoline; or its ret is the
 *             function's own
 *
 * Without a call and a ret around the trampoline: on the machines at hand these
 * cost as much as the indirect jump back. An indirect jump to the trampoline,
 * where it is out of a direct one's reach, costs 0.3 ns more (bench/README.md).
 * So this file is in libtprt and, as tprt_near.o, in executables that libtprt.so
 * is too far from (trampolines.h). It refers to nothing outside.
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
 * Stack on arrival: (%rsp) what %rsp pointed to at the sled; of the full kind
 * (%rsp) return into the stub, 8(%rsp) that. The stub's call is matched by our
 * ret, so a shadow stack agrees. The jump back leads to no landing pad, nor does an
 * indirect one to a trampoline, hence their notrack prefix, as compilers have it
 * for switch tables.
 * CFI: the caller's pc is the end of the sled, found by way of the site's
 * StubData, or of the stub's last jump, so that an unwinder sees the traced
 * function itself as our caller. (The full stub of a ret sled holds the same
 * displacement behind its ret, never executed.) StubData's address is in r11 or
 * in the frame, which a signal leaves alone for 128 bytes below rsp (psABI, 3.2.2).
 * Offsets are written whole: clang 22's assembler does not take .cfi_restore_state
 * into account in a later .cfi_adjust_cfa_offset, as GNU as does.
 *
 * Lines: up to the handler's call a hit runs in one 64-byte line, and after it
 * in the next, but for the full kind. Each further line costs a cycle on the
 * machines at hand, and so does a call that returns into its own line; what the
 * instructions are hardly matters (bench/README.md). Hence pushes, which are
 * short, and everything rare far behind.
 */
#include "frame.h"

/* The return address's value. Full: CFA-8 holds R, where the stub's `e9 rel32`
 * lies; R + 5 + rel32, sign-extended by hand as deref_size does not (DWARF 5,
 * 2.5.1). Else StubData's address plus the resume field there: in r11, or so far
 * below the CFA. */
.macro CFI_RETURN_BY_STUB
  .cfi_escape 0x16, 16, 18, 0x08,8, 0x1c, 0x06, 0x12, 0x23,1, 0x94,4, 0x08,32, 0x24, 0x08,32, 0x26, 0x22, 0x23,5
.endm
.macro CFI_RETURN_BY_R11
  .cfi_escape 0x16, 16, 14, 0x7b,0, 0x12, 0x23,DATA_RESUME, 0x94,4, 0x08,32, 0x24, 0x08,32, 0x26, 0x22
.endm
.macro CFI_RETURN_BY_FRAME below
  .cfi_escape 0x16, 16, 16, 0x08,\below, 0x1c, 0x06, 0x12, 0x23,DATA_RESUME, 0x94,4, 0x08,32, 0x24, 0x08,32, 0x26, 0x22
.endm

/* So many bytes lie between rsp and the CFA from here on. */
.macro DEPTH bytes:vararg
  .set depth, \bytes
  .cfi_def_cfa_offset depth
.endm

/* `gap` bytes of the frame that hold nothing; in few bytes of code. */
.macro PUSH_GAP
  .if gap > 16
  subq $gap, %rsp
  DEPTH depth + gap
  .else
  .rept gap / 8
  pushq %rax
  DEPTH depth + 8
  .endr
  .endif
  .set gap, 0
.endm

/* The same back. A small one is popped into the register that comes next. */
.macro POP_GAP register
  .ifnb \register
  .if gap <= 16
  .rept gap / 8
  popq %\register
  DEPTH depth - 8
  .endr
  .set gap, 0
  .endif
  .endif
  .if gap
  addq $gap, %rsp
  DEPTH depth - gap
  .endif
  .set gap, 0
.endm

/* `live`: whether the register is one of these. */
.macro IS_LIVE register, registers:vararg
  .set live, 0
  .irp one, \registers
  .ifc \one,\register
  .set live, 1
  .endif
  .endr
.endm

/* Makes the frame from FRAME_REGS up, with StubData's address in r11 and kept. */
.macro SAVE registers:vararg
  pushq %r11
  DEPTH 8
  CFI_RETURN_BY_FRAME 8
  .set gap, 0
  .irp register, r10, rax, r9, r8, rcx, rdx, rsi, rdi
  IS_LIVE \register, \registers
  .if live
  PUSH_GAP
  pushq %\register
  DEPTH depth + 8
  .else
  .set gap, gap + 8
  .endif
  .endr
  PUSH_GAP
.endm

/* The same at a ret, for which StubData is not needed again: its address lies at
 * the frame's lowest place. What the function has just popped stays as it was but
 * where a result is, as the function's CFI still finds rbp and others there. */
.macro SAVE_AT_RET registers:vararg
  subq $16, %rsp
  DEPTH 16
  pushq %rax
  DEPTH 24
  .ifc \registers,rax
  subq $40, %rsp
  DEPTH 64
  .else
  subq $16, %rsp
  DEPTH 40
  pushq %rcx
  DEPTH 48
  pushq %rdx
  DEPTH 56
  pushq %rax
  DEPTH 64
  .endif
  pushq %r11
  DEPTH 72
  CFI_RETURN_BY_FRAME 72
.endm

.macro RESTORE registers:vararg
  .set gap, 0
  .irp register, rdi, rsi, rdx, rcx, r8, r9, rax, r10
  IS_LIVE \register, \registers
  .if live
  POP_GAP \register
  popq %\register
  DEPTH depth - 8
  .else
  .set gap, gap + 8
  .endif
  .endr
  .set gap, gap + 8
  POP_GAP
.endm

/* The same of the full kind, whose frame begins at 0. The flags are kept (lahf
 * has all but OF, Intel SDM vol. 2, LAHF); StubData is found by the stub's last
 * bytes. */
.macro SAVE_FULL
  .irp register, r10, rax, r9, r8, rcx, rdx, rsi, rdi
  pushq %\register
  DEPTH depth + 8
  .endr
  lahf
  seto %al
  pushq %rax
  DEPTH depth + 8
  pushq %r11
  DEPTH depth + 8
  subq $FRAME_R11, %rsp
  DEPTH depth + FRAME_R11
  movq FRAME_DATA(%rsp), %r11
  movslq FULL_STUB_DATA(%r11), %rax
  addq %rax, %r11
.endm

.macro RESTORE_FULL
  addq $FRAME_R11, %rsp
  DEPTH depth - FRAME_R11
  popq %r11
  DEPTH depth - 8
  popq %rax
  DEPTH depth - 8
  addb $127, %al /* OF as it was: 127 + 1 overflows */
  sahf
  .irp register, rdi, rsi, rdx, rcx, r8, r9, rax, r10
  popq %\register
  DEPTH depth - 8
  .endr
.endm

/* `way`: full, back to the stub; jmp, to the end of the sled; ret, as the ret
 * that was there. The CFI is then what it was before. */
.macro LEAVE way, registers:vararg
  .cfi_remember_state
  .set outer, depth
  .ifc \way,full
  RESTORE_FULL
  ret
  .else
  .ifc \way,jmp
  movq FRAME_DATA - FRAME_REGS(%rsp), %r11
  movslq DATA_RESUME(%r11), %rax
  addq %rax, %r11
  RESTORE \registers
  notrack jmp *%r11
  .else
  RESTORE \registers
  ret
  .endif
  .endif
  .cfi_restore_state
  .set depth, outer
.endm

/* To the function in r11, as if it had been called. */
.macro LEAVE_TO_REDIRECTION registers:vararg
  .cfi_remember_state
  .set outer, depth
  RESTORE \registers
  jmp *%r11
  .cfi_restore_state
  .set depth, outer
.endm

.macro LOAD_THREAD
  movq __tprt_context + CONTEXT_SELF(%rip), %rax
  movq %fs:(%rax), %rax
.endm

.macro LOWER_GUARD
  movq $0, THREAD_GUARD(%rax)
.endm

/* Jumps to `other` where the guard of this thread is not that of this hit, which
 * the dispatcher and a detacher may have marked. The handler may have handed over
 * to another coroutine, and the guard is that one's now, or 0; or it goes on on
 * another thread. */
.macro CHECK_GUARD other
  .if below
  leaq below(%rsp), %rcx
  .else
  movq %rsp, %rcx
  .endif
  xorq THREAD_GUARD(%rax), %rcx
  cmpq $STAY_BITS, %rcx
  ja \other
.endm

/* In fewer bytes, where speed does not matter. */
.macro LOWER_GUARD_SHORTLY
  andq $0, THREAD_GUARD(%rax)
.endm

/* `vectors`: how many of xmm0 to xmm7 are live. `start`: where in a line it
 * begins, so that the handler's call ends with it. */
.macro TRAMPOLINE name, start, way, redirects, vectors, registers:vararg
  .p2align 6
  .if \start
  .skip \start, 0xcc
  .endif
  .type \name, @function
\name:
  .cfi_startproc
  .set below, 0 /* what of the frame is made so far, from here down to FRAME_REGS */
  .ifc \way,full
  CFI_RETURN_BY_STUB
  DEPTH 8
  SAVE_FULL
  .set below, FRAME_REGS
  .else
  CFI_RETURN_BY_R11
  .cfi_def_cfa %rsp, 0
  .ifc \way,ret
  SAVE_AT_RET \registers
  .else
  SAVE \registers
  .endif
  .endif
  LOAD_THREAD
  /* Slowly on a stack that is not aligned, and where the thread's guard is set: it
   * is in a handler, or has not been here. */
  movl %esp, %ecx
  andl $15, %ecx
  orq THREAD_GUARD(%rax), %rcx
  jnz .Lslow\@
  /* The guard goes up before the chain is read. A detacher publishes the new
   * chain, issues a membarrier and then reads the guard: either it sees us, or
   * we see its chain. */
  .if below
  leaq below(%rsp), %rsi
  .else
  movq %rsp, %rsi
  .endif
  movq %rsi, THREAD_GUARD(%rax)
  movq DATA_CHAIN(%r11), %rcx
  movl DATA_SITE(%r11), %edi
  addq THREAD_SITES(%rax), %rdi
  movq CHAIN_DATA(%rcx), %rdx
  cmpl $MODE_VECTORS, CHAIN_MODE(%rcx)
  jae .Lmore\@
  .ifnc \way,full
  /* An error where `start` is too great. */
  .org \name + 64 - \start - CALL_BYTES, 0x90
  .endif
  call *CHAIN_HANDLER(%rcx)
  LOAD_THREAD
.Lhandled\@:
  CHECK_GUARD .Lend\@
  LOWER_GUARD
.Lleave\@:
  LEAVE \way, \registers

  /* C++ looks who shows this hit. */
.Lend\@:
  leaq below(%rsp), %rdi
  call *__tprt_context + CONTEXT_END_STAY(%rip)
  jmp .Lleave\@

  /* Everything to be kept, a redirection among others, a thread's first hit, a
   * guard that is set, a stack that is not aligned: decided in C++. */
.Lall\@:
  LOWER_GUARD_SHORTLY
.Lslow\@:
  .if !below
  subq $FRAME_REGS, %rsp
  DEPTH FRAME_BYTES
  .endif
  call *__tprt_context + CONTEXT_SLOW_HIT(%rip)
  .if \redirects
  movq FRAME_REDIRECT(%rsp), %r11
  .endif
  .if !below
  addq $FRAME_REGS, %rsp
  DEPTH FRAME_BYTES - FRAME_REGS
  .endif
  .if \redirects
  testq %r11, %r11
  jnz .Laway\@
  .endif
  jmp .Lleave\@

  /* So that the handler's call ends with its line here, too, where that is near
   * enough for a short jump from above. */
  .ifnc \way,full
  .if \vectors == 0
  .org \name - \start + 2*64 + 52, 0xcc
  .elseif \vectors == 4
  .org \name - \start + 2*64 + 27, 0xcc
  .endif
  .endif
.Lmore\@:
  ja .Lother\@
  /* A handler that may use vectors, x87 and errno. */
  .if !\vectors
  pushq %rax
  DEPTH depth + 8
  .endif
  movq THREAD_ERRNO(%rax), %rax
  movl (%rax), %eax
  pushq %rax
  DEPTH depth + 8
  .if \vectors
  subq $(FRAME_REGS - 8 - below - FRAME_VECTORS), %rsp
  DEPTH FRAME_BYTES - FRAME_VECTORS
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  .if \number < \vectors
  movaps %xmm\number, 16*\number(%rsp)
  .endif
  .endr
  call *CHAIN_HANDLER(%rcx)
  LOAD_THREAD
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  .if \number < \vectors
  movaps 16*\number(%rsp), %xmm\number
  .endif
  .endr
  addq $(FRAME_REGS - 8 - below - FRAME_VECTORS), %rsp
  DEPTH FRAME_BYTES - FRAME_REGS + below + 8
  popq %rdx
  DEPTH depth - 8
  .else
  /* The thread is found again on the stack, as to load it costs 5% of a hit. The
   * handler may have changed threads: then this is the one where it began. */
  call *CHAIN_HANDLER(%rcx)
  popq %rdx
  DEPTH depth - 8
  popq %rax
  DEPTH depth - 8
  .endif
  /* The errno of the thread that this is now. */
  movq __tprt_context + CONTEXT_ERRNO(%rip), %rcx
  movl %edx, %fs:(%rcx)
  .if below
  leaq below(%rsp), %rcx
  cmpq %rcx, THREAD_GUARD(%rax)
  .else
  cmpq %rsp, THREAD_GUARD(%rax)
  .endif
  jne .Lhandled\@ /* marked, or not this hit's */
  LOWER_GUARD
  LEAVE \way, \registers

.Lother\@:
  .if \redirects
  cmpl $MODE_REDIRECT, CHAIN_MODE(%rcx)
  jb .Lall\@
  ja .Lcount\@
  /* Nothing but a redirection. */
  movq CHAIN_REDIRECT(%rcx), %r11
  LOWER_GUARD_SHORTLY
.Laway\@:
  LEAVE_TO_REDIRECTION \registers
  .else
  cmpl $MODE_COUNT, CHAIN_MODE(%rcx)
  jne .Lall\@
  .endif
.Lcount\@:
  /* Nothing but counting, where no counting stub does it (stub.cpp): 8 bytes a
   * counter, 32 a site. */
  movl DATA_SITE(%r11), %edi
  cmpl THREAD_COUNTED(%rax), %edi
  jae .Lall\@
  /* After that: a signal handler's hit may exchange both for larger ones. */
  movq THREAD_COUNTERS(%rax), %rcx
  shrl $2, %edi
  incq (%rcx,%rdi)
  jmp .Lhandled\@
  .cfi_endproc
  .size \name, . - \name
.endm

  .text
  TRAMPOLINE __tprt_entry_one, 7, jmp, 1, 0, rdi
  TRAMPOLINE __tprt_entry_three, 5, jmp, 1, 0, rdi, rsi, rdx
  TRAMPOLINE __tprt_entry_arguments, 2, jmp, 1, 0, rdi, rsi, rdx, rcx, r8, r9
  TRAMPOLINE __tprt_entry_three_vectors, 5, jmp, 1, 8, rdi, rsi, rdx
  TRAMPOLINE __tprt_entry, 1, jmp, 1, 8, rdi, rsi, rdx, rcx, r8, r9, rax, r10
  TRAMPOLINE __tprt_exit_one, 3, ret, 0, 0, rax
  TRAMPOLINE __tprt_exit, 0, ret, 0, 4, rax, rcx, rdx
  TRAMPOLINE __tprt_full, 0, full, 0, 8
.Ltrampolines_end:

/* struct Trampolines. By the first name an executable's comes before libtprt.so's
 * own, which has the second one for itself: in an executable with libtprt.a
 * that is the archive's. The first is weak, as that has both. */
  .section .rodata.tprt_near, "a"
  .p2align 3
  .weak __tprt_near
  .type __tprt_near, @object
__tprt_near:
#ifndef TPRT_NEAR
  .globl __tprt_own
  .hidden __tprt_own
  .type __tprt_own, @object
__tprt_own:
#endif
  .long TRAMPOLINES_VERSION
  .long __tprt_context - .
  .irp name, entry_one, entry_three, entry_arguments, entry_three_vectors, entry, exit_one, exit, full
  .long __tprt_\name - .
  .endr
  .long .Ltrampolines_end - .
  .size __tprt_near, . - __tprt_near
#ifndef TPRT_NEAR
  .size __tprt_own, . - __tprt_own
#endif

/* struct TrampolineContext. */
  .bss
  .p2align 3
  .type __tprt_context, @object
  .size __tprt_context, CONTEXT_BYTES
__tprt_context:
  .zero CONTEXT_BYTES

#include "notes.inc"
