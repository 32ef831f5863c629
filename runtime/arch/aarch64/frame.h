/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets that trampoline.S, the stubs and C++ share. vectors.cpp checks that
 * they agree with the structures.
 *
 * The frame, from sp up. The stub's first instruction makes all of it:
 *     0  x29 and x30 as at the sled (a frame record), x0 to x8, x15, x18:
 *        tprt_regs
 *   104  the return address into the stub, nothing, errno, the redirection
 *   136  x9 to x14, flags: only in the full kind
 *   192  for the slow path: return address, SVCR, bytes per vector, FPSR
 *   224  x16, x17: only in the full kind
 *   240  padding
 *   256  q0 to q7
 *   384  what sp pointed to at the sled
 *
 * At a single instruction the frame has 80 bytes more:
 *   384  x19 to x28, which are shown to handlers and not restored
 *   464  what sp pointed to at the instruction */
#ifndef TPRT_ARCH_FRAME_H
#define TPRT_ARCH_FRAME_H

#define FRAME_FP 0
#define FRAME_LR 8
#define FRAME_X0 16
#define FRAME_X8 80
#define FRAME_X15 88
#define FRAME_X18 96
#define FRAME_RETURN 104
#define FRAME_ERRNO 120
#define FRAME_REDIRECT 128
#define FRAME_X9 136
#define FRAME_NZCV 184
#define FRAME_SLOW_RETURN 192
#define FRAME_COUNTED 192 /* before the slow path: StubData's address */
#define FRAME_SVCR 200
#define FRAME_VECTOR_BYTES 208
#define FRAME_FPSR 216
#define FRAME_X16 224
#define FRAME_VECTORS 256
#define FRAME_BYTES 384
#define FRAME_X19 384
#define INNER_FRAME_BYTES 464

/* The frame of __tprt_keep_vectors: x29 and x30, then SVCR, bytes per vector
 * and FPSR, which lie KEEP_LESS bytes further below than in a hit's frame. */
#define KEEP_BYTES 48
#define KEEP_LESS 184

#define DATA_TARGET 0
#define DATA_LIST 8
#define DATA_SITE 16

#define LIST_HANDLER 0
#define LIST_DATA 8
#define LIST_GENERAL 16
#define LIST_MODE 24
#define LIST_REDIRECT 32

#define THREAD_GUARD 0
#define THREAD_ERRNO 8

#define SECTION_BITS 7 /* the bits of a guard besides its position */

#define HAVE_SVE 1
#define HAVE_SME 2

#endif
