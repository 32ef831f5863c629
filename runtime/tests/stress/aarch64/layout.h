/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers that the assembly files and the C and C++ files of the stress test
 * share: the layout of CallState, which state.h asserts, and numbers of the
 * table's format for the hand-made sleds, as sleds.S cannot include
 * tprt/table.h.
 */
#ifndef TPRT_STRESS_LAYOUT_H
#define TPRT_STRESS_LAYOUT_H

#define CALL_X 0 /* x0 to x30 */
#define CALL_NZCV 248
#define CALL_VECTOR 256 /* 32 vector registers, 64 bytes each */
#define CALL_PREDICATE                                                         \
  2304 /* 16 predicate registers of at most 32 bytes, then ffr */
#define CALL_STACK 2880 /* the caller's frame, directly above the callee's */
#define CALL_STACK_WORDS 8
#define CALL_SIZE 2944

#define SLED_WORD 4
#define SLED_ENTRY 0
#define SLED_EXIT 1
#define SLED_TAIL 2
#define SLED_POINT 3
#define SLED_NEEDS_SCALABLE 4
#define SLED_NEEDS_STREAMING 8
#define SLED_NEEDS_OTHER 32
#define SLED_OPAQUE 64
#define SLED_NOTE_VERSION 1

#endif
