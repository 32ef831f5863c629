/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets that trampoline.S shares with C++. vectors.cpp checks that they agree
 * with the structures.
 *
 * The frame, from its lowest address up:
 *   -160  xmm0 to xmm7, with errno above them; only while a handler may use
 *         vectors
 *      8  the redirection; in the full kind also r11 and the flags. The other
 *         kinds have this part only where it is needed, and then not for long.
 *     32  registers (tprt_regs)
 *     96  the last word of tprt_regs, which is not the program's: StubData's
 *         address. In the full kind it is the return address into the stub. At
 *         a ret it is nothing, and StubData's address is in the first word of
 *         tprt_regs.
 *    104  at an instruction: rbx, rbp, r12 to r15, and what is below the stack
 *         pointer that the instruction has, INNER_BELOW bytes in all
 * At a point the frame ends here, aligned. points.inc describes the memory
 * above.
 *    104  what rsp pointed to at the sled
 */
#ifndef TPRT_ARCH_FRAME_H
#define TPRT_ARCH_FRAME_H

#define FRAME_VECTORS -160
#define FRAME_REDIRECT 8
#define FRAME_R11 16
#define FRAME_FLAGS 24
#define FRAME_REGS 32
#define FRAME_DATA 96
#define FRAME_BYTES 104

#define DATA_LIST 0
#define DATA_SITE 8
#define DATA_RESUME 12

/* In a full stub: the offset, from the call's end, of 32 bits that refer to
 * StubData. */
#define FULL_STUB_DATA 5
/* FULL_STUB_DATA for the stub of a site where keepsBelow() holds. */
#define BELOW_STUB_DATA 2

#define LIST_HANDLER 0
#define CALL_BYTES 2 /* of call *LIST_HANDLER(%rcx) */
#define LIST_DATA 8
#define LIST_MODE 24
#define LIST_REDIRECT 32

#define THREAD_GUARD 0
#define THREAD_ERRNO 8
#define THREAD_COUNTERS 16
#define THREAD_SITES 24
#define THREAD_COUNTED 32

#define SECTION_BITS 7 /* the bits of a guard besides its position */

#define MODE_VECTORS 1
#define MODE_REDIRECT 3
#define MODE_COUNT 4

#define CONTEXT_SELF 0
#define CONTEXT_SLOW_HIT 8
#define CONTEXT_END_STAY 16
#define CONTEXT_ERRNO 24
#define CONTEXT_SLOW_COUNT 32
#define CONTEXT_SLOW_BELOW 40
#define CONTEXT_WIDE_HIT 48
#define CONTEXT_BYTES 56

/* The number of bytes below its stack pointer in which a function may keep data
 * (psABI, 3.2.2). A hit at a point must not change these bytes. */
#define RED_ZONE 128

/* The distance by which the stub of an instruction inside a function lowers the
 * stack pointer before it calls the trampoline: the red zone, the alignment of
 * the stack in most functions, and room for the callee-saved registers. */
#define INNER_BELOW 184

/* The distance of the frame above rsp in red_zone.inc, which has saved RED_ZONE
 * bytes below FRAME_VECTORS. */
#define BELOW_FRAME (RED_ZONE - FRAME_VECTORS)

/* The version of all contents of this file and of their meaning. If the
 * trampolines that are linked into an executable have another version, they are
 * not used. */
#define TRAMPOLINES_VERSION 11

#endif
