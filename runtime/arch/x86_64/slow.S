/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The slow path of a hit: keeps all vector, mask and x87 state. trampoline.S calls
 * it with the frame immediately above the return address, and with StubData's
 * address in r11. Runs in hits, on any thread: async-signal-safe.
 *
 * XSAVE and XRSTOR of the complete state take 120 to 180 ns on an Intel Xeon,
 * even if most of it is unused. Moves of only the state in use take 6 to 12 ns.
 * The processor reports which state is in use: XINUSE, which XGETBV returns
 * with ECX = 1, has a 0 for each state component that is known to be in its
 * initial configuration (Intel SDM vol. 1, 13.6; vol. 2, XGETBV). These
 * components need not be saved. If a handler has used one, it is initialised
 * again.
 *
 *   in use                                 kept by
 *   no upper halves of ymm                 moves of xmm0 to xmm15
 *   upper halves of ymm0 to ymm15 (2)      moves of these
 *   upper halves of zmm0 to zmm15 (6)      moves of these
 *   zmm16 to zmm31 (7), masks (5)          moves of these
 *   x87 (0)                                XSAVE and XRSTOR of this component
 *   MXCSR                                  stmxcsr and ldmxcsr, as XINUSE does not tell of it
 */
#include "frame.h"

/* Offsets above rsp: the state in use, MXCSR and errno; the vectors; the masks. After these
 * follows XSAVE's area for x87, if that is in use. */
#define STATE_IN_USE 0
#define STATE_MXCSR 4
#define STATE_MXCSR_NOW 8
#define STATE_ERRNO 12
#define STATE_X87 16
#define STATE_VECTORS 64
#define STATE_MASKS (STATE_VECTORS + 32 * 64)
#define YMM_BYTES (STATE_VECTORS + 16 * 32)
#define ZMM_BYTES (STATE_MASKS + 64)
#define X87_BYTES 576 /* legacy area and header, 13.4.1 and 13.4.2 */

#define X87 0x01
#define UPPER_HALVES 0x04
#define MASKS 0x20
#define UPPER_ZMM 0x40 /* upper halves of zmm0 to zmm15 */
#define FURTHER 0x80   /* zmm16 to zmm31 */
#define WIDE (MASKS | UPPER_ZMM | FURTHER)
#define NO_MOVES (X87 | MASKS | FURTHER) /* the components that vzeroupper does
                                          * not clear */

/* xmm0 to xmm7 are in the frame, where a handler reads and changes them. */
.macro SAVE_LOWEST
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups %xmm\number, FRAME_VECTORS + 16*\number(%rbx)
  .endr
.endm

.macro MOVE_XMM
  SAVE_LOWEST
  .irp number, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps %xmm\number, STATE_VECTORS + 32*\number(%rsp)
  .endr
.endm
.macro MOVE_YMM
  SAVE_LOWEST
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps %ymm\number, STATE_VECTORS + 32*\number(%rsp)
  .endr
.endm
.macro MOVE_ZMM
  SAVE_LOWEST
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps %zmm\number, STATE_VECTORS + 64*\number(%rsp)
  .endr
.endm
.macro MOVE_FURTHER
  .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  vmovaps %zmm\number, STATE_VECTORS + 64*\number(%rsp)
  .endr
.endm
.macro MOVE_MASKS
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  kmovq %k\number, STATE_MASKS + 8*\number(%rsp)
  .endr
.endm

/* A move to xmm or ymm clears the register's higher bits (Intel SDM vol. 1,
 * 14.1.3 and 15.5). */
.macro MOVE_XMM_BACK
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups FRAME_VECTORS + 16*\number(%rbx), %xmm\number
  .endr
  .irp number, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps STATE_VECTORS + 32*\number(%rsp), %xmm\number
  .endr
.endm
.macro MOVE_YMM_BACK
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps STATE_VECTORS + 32*\number(%rsp), %ymm\number
  .endr
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  vinsertf128 $0, FRAME_VECTORS + 16*\number(%rbx), %ymm\number, %ymm\number
  .endr
.endm
.macro MOVE_ZMM_BACK
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  vmovaps STATE_VECTORS + 64*\number(%rsp), %zmm\number
  .endr
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  vinserti32x4 $0, FRAME_VECTORS + 16*\number(%rbx), %zmm\number, %zmm\number
  .endr
.endm
.macro MOVE_FURTHER_BACK
  .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  vmovaps STATE_VECTORS + 64*\number(%rsp), %zmm\number
  .endr
.endm
.macro MOVE_MASKS_BACK
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  kmovq STATE_MASKS + 8*\number(%rsp), %k\number
  .endr
.endm

/* XSAVE's header must begin with zeros (13.7). rdx is 0. */
.macro CLEAR_HEADER register
  .irp offset, 512, 520, 528, 536, 544, 552, 560, 568
  movq %rdx, \offset(%\register)
  .endr
.endm

/* Keeps the state in use around a call. `gap` is the distance of the frame, which rbx points
 * to, above the return address. `way` selects the call: `slow` calls function(frame,
 * StubData, 0). `wide` calls the handler of the action list in rcx, for which the trampoline
 * has set up everything except vectors: rdi, rsi and rdx are the handler's, and rax is the
 * thread's block. The area is aligned to 64 bytes (13.4). Between the frame and the area
 * there is room for FRAME_VECTORS. */
.macro BY_MOVES way, gap, function
  .ifc \way,wide
  movq LIST_HANDLER(%rcx), %r9
  movq %rdx, %r8
  movq THREAD_ERRNO(%rax), %r10
  movl (%r10), %r10d
  .endif
  movl $1, %ecx
  xgetbv
  andl __tprt_state_mask(%rip), %eax
  movl $YMM_BYTES, %ecx
  movl $ZMM_BYTES, %edx
  testl $WIDE, %eax
  cmovnzl %edx, %ecx
  leaq FRAME_VECTORS - \gap(%rbx), %rsp
  testl $X87, %eax
  jz .Lroom\@
  subq $X87_BYTES, %rsp
.Lroom\@:
  subq %rcx, %rsp
  andq $-64, %rsp
  movl %eax, STATE_IN_USE(%rsp)
  stmxcsr STATE_MXCSR(%rsp)
  .ifc \way,wide
  movl %r10d, STATE_ERRNO(%rsp)
  .endif
  testl $UPPER_HALVES | UPPER_ZMM, %eax
  jnz .Lupper\@
  MOVE_XMM
.Lmoved\@:
  testl $FURTHER | MASKS, %eax
  jnz .Lfurther\@
.Lfurther_moved\@:
  testl $X87, %eax
  jnz .Lx87\@
.Lcall\@:
  .ifc \way,wide
  movq %r8, %rdx
  call *%r9
  movq __tprt_errno_at(%rip), %rcx
  movl STATE_ERRNO(%rsp), %edx
  movl %edx, %fs:(%rcx)
  .else
  movq %rbx, %rdi
  movq %r11, %rsi
  xorl %edx, %edx
  call \function
  .endif
  movl $1, %ecx
  xgetbv
  andl __tprt_state_mask(%rip), %eax
  movl STATE_IN_USE(%rsp), %esi
  movl %esi, %ecx
  notl %ecx
  andl $NO_MOVES, %ecx
  andl %ecx, %eax
  jnz .Linitialise\@
.Linitialised\@:
  vzeroupper
  testl $UPPER_HALVES | UPPER_ZMM, %esi
  jnz .Lupper_back\@
  MOVE_XMM_BACK
.Lmoved_back\@:
  testl $FURTHER | MASKS, %esi
  jnz .Lfurther_back\@
.Lfurther_is_back\@:
  testl $X87, %esi
  jnz .Lx87_back\@
.Lx87_is_back\@:
  stmxcsr STATE_MXCSR_NOW(%rsp)
  movl STATE_MXCSR(%rsp), %eax
  cmpl STATE_MXCSR_NOW(%rsp), %eax
  jne .Lmxcsr\@
.Lleave\@:
  leaq -16 - \gap(%rbx), %rsp
  popq %rbx
  .cfi_remember_state
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbx
  ret
  .cfi_restore_state

.Lmxcsr\@:
  ldmxcsr STATE_MXCSR(%rsp)
  jmp .Lleave\@

  /* The handler runs with the upper halves cleared, as compilers expect. */
.Lupper\@:
  testl $UPPER_ZMM, %eax
  jnz .Lzmm\@
  MOVE_YMM
  vzeroupper
  jmp .Lmoved\@
.Lzmm\@:
  MOVE_ZMM
  vzeroupper
  jmp .Lmoved\@
.Lupper_back\@:
  testl $UPPER_ZMM, %esi
  jnz .Lzmm_back\@
  MOVE_YMM_BACK
  jmp .Lmoved_back\@
.Lzmm_back\@:
  MOVE_ZMM_BACK
  jmp .Lmoved_back\@

.Lfurther\@:
  testl $FURTHER, %eax
  jz .Lmasks\@
  MOVE_FURTHER
.Lmasks\@:
  testl $MASKS, %eax
  jz .Lfurther_moved\@
  MOVE_MASKS
  jmp .Lfurther_moved\@
.Lfurther_back\@:
  testl $FURTHER, %esi
  jz .Lmasks_back\@
  MOVE_FURTHER_BACK
.Lmasks_back\@:
  testl $MASKS, %esi
  jz .Lfurther_is_back\@
  MOVE_MASKS_BACK
  jmp .Lfurther_is_back\@

.Lx87\@:
  leaq (%rsp,%rcx), %r10
  movq %r10, STATE_X87(%rsp)
  movl $X87, %eax
  xorl %edx, %edx
  CLEAR_HEADER r10
  xsave64 (%r10)
  emms
  jmp .Lcall\@
.Lx87_back\@:
  movq STATE_X87(%rsp), %r10
  movl $X87, %eax
  xorl %edx, %edx
  xrstor64 (%r10)
  jmp .Lx87_is_back\@

  /* The handler has used components that the program had not used. XRSTOR of an
   * area with a zeroed header gives them their initial configuration (Intel SDM
   * vol. 1, 13.8.1). */
.Linitialise\@:
  xorl %edx, %edx
  xrstor64 __tprt_initial_state(%rip)
  jmp .Linitialised\@
.endm

/* The common beginning: the frame is immediately above the return address, or
 * `gap` bytes higher. */
.macro BEGIN name, gap=0
  .text
  .p2align 6
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  .cfi_startproc
  endbr64
  pushq %rbx
  .cfi_def_cfa_offset 16
  .cfi_offset %rbx, -16
  leaq 16 + \gap(%rsp), %rbx
  .cfi_def_cfa %rbx, -\gap
.endm
.macro END name
  .cfi_endproc
  .size \name, . - \name
.endm

/* Keeps all state around a call of `function`(frame, StubData, state). `state` is XSAVE's
 * area, from which the function reads xmm0 to xmm7; 0 means that they are in the frame.
 * At a point the x87 registers may be in use, but the handler must begin with none in use
 * (psABI, 3.2.3). */
.macro SLOW name, function, gap=0
  BEGIN \name, \gap
  cmpl $0, __tprt_state_by_moves(%rip)
  je .Lwhole\@
  BY_MOVES slow, \gap, \function

.Lwhole\@:
  movl __tprt_state_bytes(%rip), %ecx
  leaq FRAME_VECTORS - \gap(%rbx), %rsp
  subq %rcx, %rsp
  andq $-64, %rsp
  movl __tprt_state_mask(%rip), %eax
  xorl %edx, %edx
  testl %eax, %eax
  jz 1f
  CLEAR_HEADER rsp
  xsave64 (%rsp)
  jmp 2f
1: fxsave64 (%rsp)
2: emms
  movq %rbx, %rdi
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
2: leaq -16 - \gap(%rbx), %rsp
  popq %rbx
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbx
  ret
  END \name
.endm

  SLOW __tprt_slow_hit, __tprt_hit
  SLOW __tprt_slow_count, __tprt_count
  SLOW __tprt_slow_below, __tprt_hit, BELOW_FRAME

  /* For an action list that only requires all state to be kept. The trampoline has raised the
   * guard. */
  BEGIN __tprt_wide_hit
  BY_MOVES wide, 0
  END __tprt_wide_hit

#include "notes.inc"
