/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The trampolines: the path from a hit to the handler and back. They run on any
 * thread that executes a sled, also in signal handlers: async-signal-safe.
 *
 *   sled off: nop              sled on: b stub
 *   stub:     stp x29, x30, [sp, #-FRAME_BYTES]!    a frame record, and our frame
 *             bl  header                            x30 says which stub
 *             ldp x29, x30, [sp], #FRAME_BYTES
 *             b   past the sled                   a far stub: cbz xzr, return path
 *   header:   x16 = the site's StubData, x9 = this thread's block
 *             br  StubData.target                   -> one of the entries below
 *
 * Live registers (AAPCS64, 6.1.1, 6.1.2 and 6.9), in addition to the callee-saved
 * registers and to x29 and x30, which the stub saves:
 *   entry   x0-x7, q0-q7, x8 (address of a result in memory), x15 and x18 (static
 *           chain of clang and GCC); the record may promise that some are not live
 *   exit    x0-x7, q0-q7
 *   full    everything, the flags too: tail exits, other calling conventions
 *   inner   the same, at a single instruction, whose stub makes a larger frame
 * x18 is always preserved, because it may be the shadow call stack.
 *
 * x30 may be signed at a sled (before retaa). So x30 is preserved, and never used. The
 * stub's bl is matched by our ret, so a guarded control stack remains consistent. No
 * data lies below sp: AAPCS64 has no red zone.
 *
 * CFI: the caller's pc is the end of the sled, so an unwinder sees the traced function
 * itself as our caller. The CFI reads it from the stub's last branch, or from the
 * return path of a far stub (veneer.h). x30 is a register of that caller, so the pc
 * has its own column: 32 (DWARF for the Arm 64-bit Architecture, 4.1).
 *
 * The CFI marks this frame as a signal's frame. The traced function was not at a call.
 * At its entry sled it has no frame yet, so the function and its caller have the same
 * CFA. Unwinders that identify frames by their CFA (libgcc's) need the signal mark to
 * distinguish the two. Without the mark an exception from a handler aborts.
 */
#include "frame.h"

  .arch armv8.5-a+sve
  .arch_extension sme

#define COLUMN_PC 32

/* CFI for the pc of the caller. R is the address of the stub's ldp. The last branch
 * follows it, at A = R + 4. R is first in x30, then in the frame. If neither contains
 * it, R is in x16.
 *
 *   near   b, bit 31 is clear:      the pc is A + 4 * displacement (bits 0 to 25), signed
 *   far    cbz xzr, bit 31 is set:  the return path is at A + 4 * displacement (bits 5 to
 *                                   23), never before A; the pc is the word at 16 there
 *
 * Displacements are extracted by shifts (DWARF 5, 2.5.1). FAR and END are the targets
 * of DW_OP_bra and DW_OP_skip: the lengths of the skipped operations. */
#define PC_OF_R_BYTES 34
#define PC_OF_R \
    0x23,4, 0x12, 0x94,4, 0x12, 0x08,31, 0x25, 0x28,10,0, /* bra FAR */ \
    0x08,38, 0x24, 0x08,36, 0x26, 0x22, 0x2f,12,0, /* skip END */ \
    0x08,40, 0x24, 0x08,45, 0x25, 0x32, 0x24, 0x22, 0x23,16, 0x06
.macro CFI_PC_FROM_X30
  .cfi_escape 0x16, COLUMN_PC, PC_OF_R_BYTES + 2, 0x8e,0, PC_OF_R
.endm
.macro CFI_PC_FROM_FRAME frame
  .cfi_escape 0x16, COLUMN_PC, PC_OF_R_BYTES + 5, 0x0a,(\frame - FRAME_RETURN) & 255,(\frame - FRAME_RETURN) >> 8, \
    0x1c, 0x06, PC_OF_R
.endm

.macro CFI_PC_FROM_X16
  .cfi_escape 0x16, COLUMN_PC, PC_OF_R_BYTES + 2, 0x80,0, PC_OF_R
.endm

/* `frame` is the number of bytes that the stub has allocated. */
.macro BEGIN name, frame=FRAME_BYTES
  .p2align 6
  .globl \name
  .hidden \name
  .type \name, %function
\name:
  .cfi_startproc
  .cfi_signal_frame
  .cfi_return_column COLUMN_PC
  .cfi_def_cfa sp, \frame
  .cfi_offset x29, FRAME_FP - \frame
  .cfi_offset x30, FRAME_LR - \frame
  CFI_PC_FROM_X30
  bti c
.endm

.macro END name
  .cfi_endproc
  .size \name, . - \name
.endm

/* `kind` gives the live general registers. 0: x0-x3; 1: x0-x7; 2: also x8 and x15; 3: full
 * (the header has saved x9, x16 and x17); 4: inner. The registers that functions preserve
 * are stored only for kind 4, so that handlers can read them. Handlers preserve them, so
 * they are not restored. */
.macro SAVE kind, frame=FRAME_BYTES
  stp x0, x1, [sp, #FRAME_X0]
  stp x2, x3, [sp, #FRAME_X0 + 16]
  .if \kind >= 1
  stp x4, x5, [sp, #FRAME_X0 + 32]
  stp x6, x7, [sp, #FRAME_X0 + 48]
  .endif
  .if \kind >= 2
  stp x8, x15, [sp, #FRAME_X8]
  .endif
  stp x18, x30, [sp, #FRAME_X18]
  CFI_PC_FROM_FRAME \frame
  mov x29, sp
  .cfi_def_cfa_register x29
  .if \kind >= 3
  stp x10, x11, [sp, #FRAME_X9 + 8]
  stp x12, x13, [sp, #FRAME_X9 + 24]
  mrs x10, nzcv
  stp x14, x10, [sp, #FRAME_X9 + 40]
  .endif
  .if \kind >= 4
  stp x19, x20, [sp, #FRAME_X19]
  stp x21, x22, [sp, #FRAME_X19 + 16]
  stp x23, x24, [sp, #FRAME_X19 + 32]
  stp x25, x26, [sp, #FRAME_X19 + 48]
  stp x27, x28, [sp, #FRAME_X19 + 64]
  .endif
.endm

.macro RESTORE kind
  .if \kind >= 3
  ldp x14, x10, [sp, #FRAME_X9 + 40]
  ldp x16, x17, [sp, #FRAME_X16]
  ldp x12, x13, [sp, #FRAME_X9 + 24]
  msr nzcv, x10
  ldp x10, x11, [sp, #FRAME_X9 + 8]
  ldr x9, [sp, #FRAME_X9]
  .endif
  ldp x0, x1, [sp, #FRAME_X0]
  ldp x2, x3, [sp, #FRAME_X0 + 16]
  .if \kind >= 1
  ldp x4, x5, [sp, #FRAME_X0 + 32]
  ldp x6, x7, [sp, #FRAME_X0 + 48]
  .endif
  .if \kind >= 2
  ldp x8, x15, [sp, #FRAME_X8]
  .endif
  ldp x18, x30, [sp, #FRAME_X18]
.endm

/* Leaves to the function in x17 instead of the stub. The return address into the stub
 * is in x30. If there is a guarded control stack, that address is removed from it, too
 * (Arm ARM, CHKFEAT and GCSPOPM; chkfeat x16 is a hint, and leaves bit 0 set where GCS
 * is off). */
.macro LEAVE_TO_REDIRECTION
  mov x16, #1
  hint #40                            /* chkfeat x16 */
  cbnz x16, 1f
  .inst 0xd52b773f                    /* gcspopm */
1:
  .cfi_remember_state
  mov x16, x30
  CFI_PC_FROM_X16
  ldp x29, x30, [sp], #FRAME_BYTES
  .cfi_def_cfa sp, 0
  .cfi_same_value x29
  .cfi_same_value x30
  br x17
  .cfi_restore_state
.endm

/* After a handler: loads this thread's block into x9 and its guard into x10. Jumps to
 * `other` if the guard is not the one that this hit raised. The handler may have
 * switched to another coroutine: then the guard is that coroutine's, or 0. Or the
 * handler now runs on another thread. */
.macro CHECK_GUARD other
  adrp x9, :gottprel:__tprt_self
  mrs x10, tpidr_el0
  ldr x9, [x9, :gottprel_lo12:__tprt_self]
  ldr x9, [x10, x9]
  ldr x10, [x9, #THREAD_GUARD]
  cmp x10, x29
  b.ne \other
.endm

.macro TRAMPOLINE name, kind, vectors, frame=FRAME_BYTES
BEGIN \name, \frame
  SAVE \kind, \frame
  ldr x10, [x9, #THREAD_GUARD]
  cbnz x10, .Lslow\@
  /* The guard is raised before the action list is read. A detacher publishes the new
   * action list, issues a membarrier and then reads the guard: either the detacher
   * sees our guard, or we see its action list. */
  str x29, [x9, #THREAD_GUARD]
  ldp x11, x0, [x16, #DATA_LIST]
  mov x1, sp
  ldp x2, x14, [x11, #LIST_DATA]     /* and LIST_GENERAL */
  cbz x14, .Lvectors\@
  blr x14
  CHECK_GUARD .Lend\@
.Llower\@:
  stlr xzr, [x9]                      /* THREAD_GUARD; pairs with waitForHandlers() */
.Lrestore\@:
  RESTORE \kind
  ret

  /* The guard is not the one that this hit raised. If the dispatcher or a detacher has
   * only marked the guard, it is lowered. Otherwise C++ code determines which thread's
   * block contains this hit. */
.Lend\@:
  eor x10, x10, x29
  cmp x10, #SECTION_BITS
  b.ls .Llower\@
  mov x1, #-1                         /* preserves errno */
.Lend_vectors\@:
  mov x0, x29
  bl __tprt_end_section
  b .Lrestore\@

  /* A handler that may use vectors and errno. */
.Lvectors\@:
  ldr w10, [x11, #LIST_MODE]
  ldr x14, [x11, #LIST_HANDLER]
  cmp w10, #1
  b.ne .Lall\@
  ldr x10, [x9, #THREAD_ERRNO]
  ldr w10, [x10]
  str w10, [sp, #FRAME_ERRNO]
  .if \vectors
  stp q0, q1, [sp, #FRAME_VECTORS]
  stp q2, q3, [sp, #FRAME_VECTORS + 32]
  stp q4, q5, [sp, #FRAME_VECTORS + 64]
  stp q6, q7, [sp, #FRAME_VECTORS + 96]
  .endif
  blr x14
  .if \vectors
  ldp q0, q1, [sp, #FRAME_VECTORS]
  ldp q2, q3, [sp, #FRAME_VECTORS + 32]
  ldp q4, q5, [sp, #FRAME_VECTORS + 64]
  ldp q6, q7, [sp, #FRAME_VECTORS + 96]
  .endif
  ldr w1, [sp, #FRAME_ERRNO]
  CHECK_GUARD .Lmarked\@
.Lown\@:
  ldr x11, [x9, #THREAD_ERRNO]
  str w1, [x11]
  b .Llower\@
.Lmarked\@:
  eor x10, x10, x29
  cmp x10, #SECTION_BITS
  b.ls .Lown\@
  b .Lend_vectors\@

  /* C++ code decides what to do in these cases: all state must be kept, there is a
   * redirection, it is the thread's first hit, or the guard is set. */
.Lall\@:
  stlr xzr, [x9]
.Lslow\@:
  bl __tprt_slow_hit
  .if \kind >= 4 /* only functions are redirected */
  b .Lrestore\@
  .else
  ldr x17, [sp, #FRAME_REDIRECT]
  cbz x17, .Lrestore\@
  RESTORE \kind
  .if \kind >= 3
  ldr x17, [sp, #FRAME_REDIRECT]
  .endif
  LEAVE_TO_REDIRECTION
  .endif
END \name
.endm

/* Keeps all vector state around the macro `call` with its argument. x29 points to a frame
 * that has FRAME_SVCR, FRAME_VECTOR_BYTES and FRAME_FPSR, `less` bytes below these
 * offsets. The state is saved below that frame: with SVE the z, p and ffr registers in
 * full, else q0-q31. A thread in streaming mode (SME) leaves that mode for the call.
 * Leaving it clears FPSR, and in streaming mode there is no ffr (Arm ARM, B1.4.6). ZA is
 * not changed, because code that does not use SME does not change it. From sp up: p0-p15,
 * ffr, and from three vectors on z0-z31. At the call x12 is the address of the first
 * vector. */
.macro KEEP_VECTORS call, function, less=0
  mrs x10, fpsr
  str x10, [x29, #FRAME_FPSR - \less]
  adrp x10, __tprt_vector_state
  ldr w10, [x10, :lo12:__tprt_vector_state]
  mov x11, xzr
  tbz w10, #1, 1f
  mrs x11, svcr
1: str x11, [x29, #FRAME_SVCR - \less]
  tbnz x11, #0, 6f
  tbz w10, #0, 4f
6: addvl sp, sp, #-32
  addvl sp, sp, #-3
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  str p\n, [sp, #\n, mul vl]
  .endr
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  str z\n, [sp, #(\n + 3), mul vl]
  .endr
  addvl x12, sp, #3
  tbnz x11, #0, 2f
  rdffr p0.b
  str p0, [sp, #16, mul vl]
  rdvl x11, #1
  b 3f
2: rdvl x11, #1
  smstop sm
3: str x11, [x29, #FRAME_VECTOR_BYTES - \less]
  \call \function
  ldr x11, [x29, #FRAME_SVCR - \less]
  tbz x11, #0, 1f
  smstart sm
  b 2f
1: ldr p0, [sp, #16, mul vl]
  wrffr p0.b
2:
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  ldr p\n, [sp, #\n, mul vl]
  .endr
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  ldr z\n, [sp, #(\n + 3), mul vl]
  .endr
  b 5f
4: mov x11, #16
  str x11, [x29, #FRAME_VECTOR_BYTES - \less]
  sub sp, sp, #512
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  str q\n, [sp, #16 * \n]
  .endr
  mov x12, sp
  \call \function
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  ldr q\n, [sp, #16 * \n]
  .endr
5: ldr x10, [x29, #FRAME_FPSR - \less]
  msr fpsr, x10
  mov sp, x29
.endm

/* Calls `function`(frame, StubData, the original q0-q31) for a hit whose frame x29 points
 * to. */
.macro CALL_FOR_HIT function
  mov x0, x29
  mov x1, x16
  mov x2, x12
  bl \function
.endm

.macro SLOW name, function
  .p2align 4
  .type \name, %function
\name:
  .cfi_startproc
  .cfi_def_cfa x29, 0
  str x30, [x29, #FRAME_SLOW_RETURN]
  .cfi_offset x30, FRAME_SLOW_RETURN
  KEEP_VECTORS CALL_FOR_HIT, \function
  ldr x30, [x29, #FRAME_SLOW_RETURN]
  ret
  .cfi_endproc
  .size \name, . - \name
.endm

/* The only action is to count: adds one to this thread's counter of the site. A site is 32
 * bytes and a counter 8. So the counter's address is a quarter of the site's address, plus
 * the thread's biased base. The count is exact, because the store fails if a signal arrived
 * in between (Arm ARM, "Synchronization and semaphores"). The flags are not changed. */
.macro COUNT name, kind, frame=FRAME_BYTES
BEGIN \name, \frame
  adrp x9, :gottprel:__tprt_counters
  mrs x17, tpidr_el0
  ldr x9, [x9, :gottprel_lo12:__tprt_counters]
  str x16, [sp, #FRAME_COUNTED]
  add x17, x17, x9
  ldr x16, [x16, #DATA_SITE]
  /* The limit is read first, because a hit in a signal handler may replace limit and
   * base by larger ones in between. */
  ldr x9, [x17, #8]
  sub x9, x16, x9
  tbz x9, #63, 2f
  ldr x9, [x17]
  add x9, x9, x16, lsr #2
1: ldxr x16, [x9]
  add x16, x16, #1
  stxr w17, x16, [x9]
  cbnz w17, 1b
  .if \kind >= 3
  ldp x16, x17, [sp, #FRAME_X16]
  ldr x9, [sp, #FRAME_X9]
  .endif
  ret
2: ldr x16, [sp, #FRAME_COUNTED]
  SAVE \kind, \frame
  bl __tprt_slow_count
  RESTORE \kind
  ret
END \name
.endm

  .text
  SLOW __tprt_slow_hit, __tprt_hit
  SLOW __tprt_slow_count, __tprt_count

/* Calls x0(x1) for C++ code in a hit that kept no vectors (plan.h), in the usual calling
 * convention. */
.macro CALL_WORK unused
  mov x10, x0
  mov x0, x1
  blr x10
.endm

  .p2align 4
  .globl __tprt_keep_vectors
  .hidden __tprt_keep_vectors
  .type __tprt_keep_vectors, %function
__tprt_keep_vectors:
  .cfi_startproc
  bti c
  stp x29, x30, [sp, #-KEEP_BYTES]!
  .cfi_def_cfa_offset KEEP_BYTES
  .cfi_offset x29, -KEEP_BYTES
  .cfi_offset x30, 8 - KEEP_BYTES
  mov x29, sp
  .cfi_def_cfa_register x29
  KEEP_VECTORS CALL_WORK, , KEEP_LESS
  ldp x29, x30, [sp], #KEEP_BYTES
  .cfi_def_cfa sp, 0
  .cfi_same_value x29
  .cfi_same_value x30
  ret
  .cfi_endproc
  .size __tprt_keep_vectors, . - __tprt_keep_vectors

  TRAMPOLINE __tprt_four, 0, 0
  TRAMPOLINE __tprt_four_vectors, 0, 1
  TRAMPOLINE __tprt_eight, 1, 0
  TRAMPOLINE __tprt_eight_vectors, 1, 1
  TRAMPOLINE __tprt_all_trampoline, 2, 1
  TRAMPOLINE __tprt_whole_trampoline, 3, 1
  TRAMPOLINE __tprt_inner_trampoline, 4, 1, INNER_FRAME_BYTES
  COUNT __tprt_count_trampoline, 2
  COUNT __tprt_whole_count_trampoline, 3
  COUNT __tprt_inner_count_trampoline, 4, INNER_FRAME_BYTES

/* The only action is a redirection. The guard is raised only while the action list is
 * read. */
BEGIN __tprt_redirect_trampoline
  ldr x10, [x9, #THREAD_GUARD]
  cbnz x10, __tprt_all_trampoline
  mov x10, sp
  str x10, [x9, #THREAD_GUARD]
  ldr x10, [x16, #DATA_LIST]
  ldr x17, [x10, #LIST_REDIRECT]
  stlr xzr, [x9]                      /* THREAD_GUARD */
  cbz x17, __tprt_all_trampoline      /* no longer a redirection */
  LEAVE_TO_REDIRECTION
END __tprt_redirect_trampoline

  .section .note.GNU-stack, "", %progbits

/* This file is compatible with BTI, PAC and GCS (ELF for the Arm 64-bit Architecture,
 * "Program Property"). */
  .section .note.gnu.property, "a", %note
  .p2align 3
  .long 4, 16, 5
  .asciz "GNU"
  .long 0xc0000000, 4, 7, 0
