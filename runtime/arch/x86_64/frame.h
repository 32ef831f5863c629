/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets that trampoline.S shares with C++; vectors.cpp holds them against the
 * structures.
 *
 * The frame, from its lowest address up:
 *   -160  xmm0 to xmm7, only while a handler may use vectors; errno above them
 *      8  redirection, of the full kind r11 and flags; but for the full kind
 *         only where it is needed, and then not for long
 *     32  registers (tprt_regs)
 *     96  their last word, which is not the program's: StubData's address;
 *         of the full kind the return address into the stub; at a ret nothing,
 *         and StubData's address in place of the first one
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

#define DATA_CHAIN 0
#define DATA_SITE 8
#define DATA_RESUME 12

/* Of a full stub: where StubData is, as 32 bits, from the call's end. */
#define FULL_STUB_DATA 5

#define CHAIN_HANDLER 0
#define CALL_BYTES 2 /* of call *CHAIN_HANDLER(%rcx) */
#define CHAIN_DATA 8
#define CHAIN_MODE 24
#define CHAIN_REDIRECT 32

#define THREAD_GUARD 0
#define THREAD_ERRNO 8
#define THREAD_COUNTERS 16
#define THREAD_SITES 24
#define THREAD_COUNTED 32

#define STAY_BITS 7 /* of a guard, beside the position */

#define MODE_VECTORS 1
#define MODE_REDIRECT 3
#define MODE_COUNT 4

#define CONTEXT_SELF 0
#define CONTEXT_SLOW_HIT 8
#define CONTEXT_END_STAY 16
#define CONTEXT_ERRNO 24
#define CONTEXT_BYTES 32

/* Of all that is said here and of what it means: trampolines of another version
 * of tp's, linked into an executable, are left alone. */
#define TRAMPOLINES_VERSION 4

#endif
