// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that a thread hands on at its end to threads that come later. In hits:
// async-signal-safe; the functions take no lock, and call neither malloc nor
// functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_BLOCK_HANDOVER_H
#define TPRT_RECORD_BLOCK_HANDOVER_H

#include <stdint.h>

namespace tprt {

// A thread that ends hands its block on, from `next`. False: too many have.
bool handOn(uint64_t next);
// Takes a block that was handed on. Returns its next word's address; 0: none.
uint64_t takeHandedOn();
// These blocks are this process's no more.
void forgetHandedBlocks();
void leaveHandedBlocks();
uint64_t countHandedWords();

} // namespace tprt

#endif
