/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets that trampoline.S shares with C++; vectors.cpp holds them against the
 * structures.
 *
 * The frame, from its lowest address up:
 *   -144  xmm0 to xmm7, only while a handler may use vectors
 *      0  thread, errno, redirection, r11 (its own in the full kind, else where
 *         StubData is), flags
 *     48  registers (tprt_regs; its last word is not kept)
 *    112  of the full kind: return address into the stub
 *    120  what rsp pointed to at the sled */
#ifndef TPRT_ARCH_FRAME_H
#define TPRT_ARCH_FRAME_H

#define FRAME_VECTORS -144
#define FRAME_THREAD 0
#define FRAME_ERRNO 8
#define FRAME_REDIRECT 16
#define FRAME_R11 24
#define FRAME_FLAGS 32
#define FRAME_REGS 48
#define FRAME_BYTES 120

#define DATA_CHAIN 0
#define DATA_SITE 8
#define DATA_RESUME 12

/* Of a full stub: where StubData is, as 32 bits, from the call's end. */
#define FULL_STUB_DATA 5

#define CHAIN_HANDLER 0
#define CHAIN_DATA 8
#define CHAIN_MODE 16
#define CHAIN_REDIRECT 24

#define THREAD_GUARD 0
#define THREAD_ERRNO 8
#define THREAD_COUNTERS 16

#define MODE_VECTORS 1
#define MODE_REDIRECT 3
#define MODE_COUNT 4

#define CONTEXT_SELF 0
#define CONTEXT_SITES 8
#define CONTEXT_SLOW_HIT 16
#define CONTEXT_BYTES 24

/* Of all that is said here and of what it means: trampolines of another version
 * of tp's, linked into an executable, are left alone. */
#define TRAMPOLINES_VERSION 1

#endif
