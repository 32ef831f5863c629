// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of the file: how a thread takes one, opens it and leaves it. In hits:
// async-signal-safe; the functions take no lock, and call neither malloc nor
// functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_BLOCKS_H
#define TPRT_RECORD_BLOCKS_H

#include "record/recording.h"

namespace tprt {

constexpr uint64_t kBlockWords = (kRecordBlockBytes - kRecordHeaderBytes) / 8;

// Takes a block and fills in its header except the members that say whose it
// is. nullptr: there is none. It counts from openBlock() on.
Block *takeBlock(uint16_t kind, uint64_t counter);
void openBlock(Block *block, uint16_t kind);
// Nothing more is written to the block after `used` bytes.
void leaveBlock(Block *block, uint64_t used);
// Whether code that claimed some of the block's first `used` bytes has yet to
// store to them.
bool isPending(const Block *block, uint64_t used);
// Says once why nothing more is recorded.
void sayFull();

inline uint64_t startOf(const Block *block) {
  return reinterpret_cast<uint64_t>(block) + kRecordHeaderBytes;
}
inline Block *blockAt(uint64_t next) {
  return reinterpret_cast<Block *>(next & ~(kRecordBlockBytes - 1));
}
// The bytes in front of `next`; all of the block where `next` leads elsewhere.
inline uint64_t usedOf(const Block *block, uint64_t next) {
  uint64_t used = next - startOf(block);
  return used < kBlockWords * 8 ? used : kBlockWords * 8;
}
// The bytes from `next` to the end of its block. It does not ask which block
// the thread has, as a signal handler may be left by longjmp between two steps.
constexpr uint64_t roomAt(uint64_t next) {
  return hasRoom(next) ? kRecordBlockBytes - next % kRecordBlockBytes : 0;
}

} // namespace tprt

#endif
