/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Offsets that trampoline.S shares with C++; vectors.cpp holds them against the
 * structures.
 *
 * The frame, from %rsp up (16-byte aligned), below the saved %rbp:
 *   event, registers, errno, thread, data word, xmm0 to xmm7 */
#ifndef TPRT_ARCH_FRAME_H
#define TPRT_ARCH_FRAME_H

#define FRAME_EVENT 0
#define FRAME_REGS 8
#define FRAME_RDI (FRAME_REGS + 0)
#define FRAME_RSI (FRAME_REGS + 8)
#define FRAME_RDX (FRAME_REGS + 16)
#define FRAME_RCX (FRAME_REGS + 24)
#define FRAME_R8 (FRAME_REGS + 32)
#define FRAME_R9 (FRAME_REGS + 40)
#define FRAME_RAX (FRAME_REGS + 48)
#define FRAME_R10 (FRAME_REGS + 56)
#define FRAME_RSP (FRAME_REGS + 64)
#define FRAME_THREAD 80
#define FRAME_ERRNO 88
#define FRAME_CHAIN 96
#define FRAME_DATA 104
#define FRAME_XMM 128
#define FRAME_BYTES 256

#define DATA_CHAIN 8
#define DATA_SITE 16

#define CHAIN_HANDLER 0
#define CHAIN_DATA 8
#define CHAIN_MODE 16

#define THREAD_GUARD 0
#define THREAD_SEQUENCE 8
#define THREAD_ERRNO 16

#endif
