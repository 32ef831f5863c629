/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers that the assembly files and the C and C++ files of the stress test
 * share: the layout of CallState, which state.h asserts, and numbers of the
 * table's format for the hand-made sleds, as sleds.S cannot include
 * tprt/table.h.
 */
#ifndef TPRT_STRESS_LAYOUT_H
#define TPRT_STRESS_LAYOUT_H

#define CALL_RAX 0
#define CALL_RBX 8
#define CALL_RCX 16
#define CALL_RDX 24
#define CALL_RSI 32
#define CALL_RDI 40
#define CALL_RBP 48
#define CALL_R8 56
#define CALL_R9 64
#define CALL_R10 72
#define CALL_R11 80
#define CALL_R12 88
#define CALL_R13 96
#define CALL_R14 104
#define CALL_R15 112
#define CALL_FLAGS 120  /* rflags at the call, and after it */
#define CALL_VECTOR 128 /* 16 vector registers, 64 bytes each */
/* The caller's frame immediately above the return address. */
#define CALL_STACK 1152
#define CALL_STACK_WORDS 8
#define CALL_SIZE 1216

#define SLED_PLAIN 0
#define SLED_SHORT 1
#define SLED_LONG 2
#define SLED_RET 3
#define SLED_ENTRY 0
#define SLED_EXIT 1
#define SLED_TAIL 2
#define SLED_POINT 3
#define SLED_LIVE_ONE 4
#define SLED_LIVE_THREE 8
#define SLED_LIVE_ARGUMENTS 12
#define SLED_NO_VECTORS 128
#define SLED_NEEDS_VEC256 1
#define SLED_NEEDS_VEC512 2
#define SLED_NEEDS_OTHER 32
#define SLED_OPAQUE 64
#define SLED_NOTE_VERSION 1

#endif
