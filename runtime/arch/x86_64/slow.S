/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The slow way of a hit: keeps all vector, mask and x87 state. trampoline.S calls it
 * with the frame right above the return address, and with StubData's address in r11.
 * Runs in hits, on any thread: async-signal-safe.
 */
#include "frame.h"

/* Keeps that state around a call of `function`(frame, StubData, state). XSAVE's area
 * has to be aligned to 64 bytes, and its header has to begin as zeroes (Intel SDM
 * vol. 1, 13.4 and 13.7). Between the frame and the area there is room for
 * FRAME_VECTORS. `gap`: how far above the return address the frame lies. At a point the x87 registers may be in use, and the handler begins
 * with none in use (psABI, 3.2.3). */
.macro SLOW name, function, gap=0
  .text
  .p2align 4
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
  movl __tprt_state_bytes(%rip), %ecx
  leaq FRAME_VECTORS - \gap(%rbx), %rsp
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
  .cfi_endproc
  .size \name, . - \name
.endm

  SLOW __tprt_slow_hit, __tprt_hit
  SLOW __tprt_slow_count, __tprt_count
  SLOW __tprt_slow_below, __tprt_hit, BELOW_FRAME

#include "notes.inc"
