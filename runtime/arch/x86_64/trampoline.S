/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The trampolines: the path from a hit to the handler and back. They run on any
 * thread that executes a sled, also in signal handlers: async-signal-safe.
 *
 *   sled off: 66 90            sled on: eb XX -> slot: jmp stub    (or e9 to the stub;
 *                                                                  int3 and a signal)
 *   stub:     lea  data(%rip), %r11           | full stub:
 *             jmp  a trampoline               |   call a trampoline
 *                                             |   jmp  end of the sled, or ret; in code without
 *                                             |   sleds a copy of the instruction, and jmp past it
 *   back:     jmp to the end of the sled, from the trampoline; or its ret is the
 *             function's own
 *
 * The trampoline is not entered by a call and left by a ret, because on the machines
 * at hand these cost as much as the indirect jump back. If the trampoline is out of a
 * direct jump's reach, the indirect jump to it costs 0.3 ns more (bench/README.md).
 * So this file is in libtprt and also, as tprt_near.o, in executables that are too
 * far from libtprt.so (trampolines.h). The file refers to no symbols outside of it.
 *
 * Live registers (System V psABI x86-64 1.0, 3.2.1 to 3.2.3), in addition to the
 * callee-saved registers, which this file does not change:
 *   entry   the arguments in rdi rsi rdx rcx r8 r9 and xmm0-7 (ymm, zmm where the
 *           record says so), al, r10; the record may promise that some are not live
 *   exit    rax, rdx, xmm0, xmm1, st0, st1; rcx, xmm2, xmm3 where a front end
 *           other than clang's returns more at once (LLVM, X86CallingConv.td)
 *   full    everything, the flags too: tail exits, other calling conventions
 *   inner   the same, and what lies below rsp: the stub has moved rsp below that
 * If the stub is not full, it may use r11. No red zone is in use (for sites with one
 * see points.inc and red_zone.inc).
 *
 * Stack on arrival: (%rsp) is what %rsp pointed to at the sled. In the full kind
 * (%rsp) is the return address into the stub, and 8(%rsp) is what %rsp pointed to.
 * The stub's call is matched by our ret, so a shadow stack remains consistent. The
 * targets of the jump back and of an indirect jump to a trampoline are not landing
 * pads. So both have the notrack prefix, like compilers' jumps for switch tables.
 *
 * CFI: save.inc describes what an unwinder finds.
 *
 * Lines: up to the handler's call a hit runs in one 64-byte line, and after the call in
 * the next line. The full kind has two lines before the call. On the machines at hand
 * each additional line costs a cycle, and so does a call that returns into its own
 * line. It hardly matters which instructions are in a line (bench/README.md). So
 * registers are saved by pushes, which are short, and rare code is placed far away.
 */
#include "frame.h"
#include "save.inc"

/* In a library with dynamic TLS, this also changes rcx. In such a library the thread
 * pointer's second word points to an array of the addresses of modules' data in this
 * thread (Drepper, "ELF Handling For Thread-Local Storage", 4.4.1), and the first word of
 * a symbol's pair in the GOT is the number of its module. */
.macro LOAD_THREAD
#ifdef TPRT_DYNAMIC_TLS
  movq %fs:8, %rax
  movq __tprt_self@tlsgd(%rip), %rcx
  movq (%rax,%rcx,8), %rax
  movq __tprt_self@dtpoff(%rax), %rax
#else
  movq __tprt_context + CONTEXT_SELF(%rip), %rax
  movq %fs:(%rax), %rax
#endif
.endm

/* How many additional lines a hit needs before the handler's call. */
#ifdef TPRT_DYNAMIC_TLS
  .hidden __tprt_self
  .set further_lines, 1
#else
  .set further_lines, 0
#endif

.macro LOWER_GUARD
  movq $0, THREAD_GUARD(%rax)
.endm

/* Jumps to `other` if this thread's guard is not that of this hit. Bits that the
 * dispatcher or a detacher has set in the guard are ignored. There are two reasons for
 * another guard. The handler may have switched to another coroutine: then the guard is
 * that coroutine's, or 0. Or the handler now runs on another thread. */
.macro CHECK_GUARD other
  .if below
  leaq below(%rsp), %rcx
  .else
  movq %rsp, %rcx
  .endif
  xorq THREAD_GUARD(%rax), %rcx
  cmpq $SECTION_BITS, %rcx
  ja \other
.endm

/* Lowers the guard in fewer bytes of code, for code where speed does not
 * matter. */
.macro LOWER_GUARD_SHORTLY
  andq $0, THREAD_GUARD(%rax)
.endm

/* Raises the guard, reads the action list, and compares its mode with MODE_VECTORS. The guard
 * is raised before the action list is read. A detacher publishes the new action list, issues
 * a membarrier and then reads the guard: either the detacher sees our guard, or we see its
 * action list. */
.macro ENTER_CHAIN
  .if below
  leaq below(%rsp), %rsi
  .else
  movq %rsp, %rsi
  .endif
  movq %rsi, THREAD_GUARD(%rax)
  movq DATA_LIST(%r11), %rcx
  movl DATA_SITE(%r11), %edi
  addq THREAD_SITES(%rax), %rdi
  movq LIST_DATA(%rcx), %rdx
  cmpl $MODE_VECTORS, LIST_MODE(%rcx)
.endm

/* `vectors` is the number of live registers among xmm0 to xmm7. `start` is the offset
 * in a line at which the code begins, chosen so that the handler's call ends at the
 * end of the line. */
.macro TRAMPOLINE name, start, way, redirects, vectors, registers:vararg
  .p2align 6
  .if \start
  .skip \start, 0xcc
  .endif
  .type \name, @function
\name:
  .cfi_startproc
  .set below, 0 /* size of the frame below FRAME_REGS so far */
  .ifc \way,full
  .if above
  CFI_RETURN_BY_STUB INNER_BELOW+8
  DEPTH 8
  SAVE_OTHERS
  .else
  CFI_RETURN_BY_STUB 8
  DEPTH 8
  .endif
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
  /* The slow path is for an unaligned stack, and for a thread whose guard is set:
   * such a thread is in a handler, or has its first hit. */
  movl %esp, %ecx
  andl $15, %ecx
  orq THREAD_GUARD(%rax), %rcx
  jnz .Lslow\@
  ENTER_CHAIN
  jae .Lmore\@
  /* The assembler reports an error here if `start` is too large. */
  .ifc \way,full
  .org \name + (2 + further_lines)*64 - \start - CALL_BYTES, 0x90
  .else
  .org \name + (1 + further_lines)*64 - \start - CALL_BYTES, 0x90
  .endif
  call *LIST_HANDLER(%rcx)
  LOAD_THREAD
.Lhandled\@:
  CHECK_GUARD .Lend\@
  LOWER_GUARD
.Lleave\@:
  LEAVE \way, \registers

  /* C++ code determines which thread's block contains this hit. */
.Lend\@:
  leaq below(%rsp), %rdi
  call *__tprt_context + CONTEXT_END_STAY(%rip)
  jmp .Lleave\@

  /* C++ code decides what to do in these cases: all state must be kept and moves cannot keep it; a
   * redirection is among several actions; it is the thread's first hit; the guard is set; or the
   * stack is not aligned. */
.Lall\@:
  LOWER_GUARD_SHORTLY
.Lslow\@:
  .ifc \way,full
  /* The guard is lowered. The stack differs by 8 from that at an entry, for instance if
   * a call of a profiler lies inside a function. */
  cmpq $8, %rcx
  je .Lodd\@
  .endif
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

  /* Here, too, the handler's call ends at the end of its line, if this code is
   * within reach of a short jump from above. */
  .ifnc \way,full
  .if \vectors == 0
  .org \name - \start + (2 + further_lines)*64 + 52, 0xcc
  .elseif \vectors == 4
  .org \name - \start + (2 + further_lines)*64 + 27, 0xcc
  .endif
  .endif
.Lmore\@:
  ja .Lother\@
  /* A handler that may use vectors, x87 and errno. */
  .if !\vectors
  pushq %rax /* for the alignment */
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
  call *LIST_HANDLER(%rcx)
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
  call *LIST_HANDLER(%rcx)
  popq %rdx
  DEPTH depth - 8
  popq %rax
  DEPTH depth - 8
  LOAD_THREAD
  .endif
  /* Restores errno of the thread that executes this code now. */
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
  cmpl $MODE_REDIRECT, LIST_MODE(%rcx)
  jb .Lwide\@
  ja .Lcount\@
  /* The only action is a redirection. */
  movq LIST_REDIRECT(%rcx), %r11
  LOWER_GUARD_SHORTLY
.Laway\@:
  LEAVE_TO_REDIRECTION \way, \registers
  .else
  cmpl $MODE_COUNT, LIST_MODE(%rcx)
  jne .Lwide\@
  .endif
.Lcount\@:
  /* The only action is to count, but no counting stub does it (countstub.cpp). A counter is
   * 8 bytes, and a site is 32. */
  movl DATA_SITE(%r11), %edi
  cmpl THREAD_COUNTED(%rax), %edi
  jae .Lall\@
  /* The counters are read after the thread's number of counters, because a hit in a
   * signal handler may replace both by larger ones in between. */
  movq THREAD_COUNTERS(%rax), %rcx
  shrl $2, %edi
  incq (%rcx,%rdi)
  jmp .Lhandled\@

  /* All state must be kept. If moves can do that, and no redirection is among the
   * actions, the handler is called from that code. */
.Lwide\@:
  cmpq $0, LIST_REDIRECT(%rcx)
  jne .Lall\@
  cmpq $0, __tprt_context + CONTEXT_WIDE_HIT(%rip)
  je .Lall\@
  .if !below
  subq $FRAME_REGS, %rsp
  DEPTH FRAME_BYTES
  .endif
  call *__tprt_context + CONTEXT_WIDE_HIT(%rip)
  .if !below
  addq $FRAME_REGS, %rsp
  DEPTH FRAME_BYTES - FRAME_REGS
  .endif
  LOAD_THREAD
  jmp .Lhandled\@
  .ifc \way,full
.Lodd\@:
  ENTER_CHAIN
  je .Lall\@
  ja .Lother\@
  subq $8, %rsp
  DEPTH depth + 8
  call *LIST_HANDLER(%rcx)
  addq $8, %rsp
  DEPTH depth - 8
  LOAD_THREAD
  jmp .Lhandled\@
  .endif
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
  TRAMPOLINE __tprt_full, 42, full, 1, 8
  /* The full kind again, for stubs that have moved rsp. */
  .set above, INNER_BELOW
  TRAMPOLINE __tprt_inner, 12, full, 0, 8
  .set above, 0
#include "red_zone.inc"
#include "points.inc"
.Ltrampolines_end:

/* struct Trampolines. Of all objects named __tprt_near, the executable's comes before
 * libtprt.so's. libtprt finds its own copy by the name __tprt_own. In an executable with
 * libtprt.a, this is the archive's copy. __tprt_near is weak, because such an executable
 * contains it twice. */
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
  .irp name, entry_one, entry_three, entry_arguments, entry_three_vectors, entry, exit_one, exit, full, inner, below, point, branch_count
  .long __tprt_\name - .
  .endr
  .long .Ltrampolines_end - .
  .size __tprt_near, . - __tprt_near
#ifndef TPRT_NEAR
  .size __tprt_own, . - __tprt_own
#endif

/* struct TrampolineContext. Each hit reads it. A load waits for an earlier store whose
 * address has the same low 12 bits, and handlers of the runtime store to the first words of
 * pages. When the context was at the beginning of a page, a timed pair took 3 ns more on an
 * AMD EPYC. So the context lies in the middle of a page. */
  .bss
  .p2align 12
  .skip 2048
  .type __tprt_context, @object
  .size __tprt_context, CONTEXT_BYTES
__tprt_context:
  .zero CONTEXT_BYTES

#include "notes.inc"
