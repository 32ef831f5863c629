// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread records: what recording stubs and the recorder share
// (actions/record_hook.h).
#ifndef TPRT_SITES_RECORD_CURSOR_H
#define TPRT_SITES_RECORD_CURSOR_H

#include <stdint.h>

namespace tprt {

// The size of each block. A block's address is a multiple of this size. Stubs
// contain this constant.
constexpr uint64_t kRecordBlockBytes = 65536;
// The bytes of a block's header. If `next` is an address in a header, the block
// is full: the word after a block's last word is in the next block's header.
constexpr uint64_t kRecordHeaderBytes = 64;

// Where a thread records. Only the thread itself writes `next`, by one
// instruction, so that a signal handler's events get other words.
struct RecordCursor {
  uint64_t next; // The address of the next word, or 0 if the thread has no
                 // block.
  // The high half of the counter in the block's last TIME word. Another thread
  // may store kNoEpoch.
  uint32_t epoch;
};
// No counter has this high half, so the thread uses the slow path.
constexpr uint32_t kNoEpoch = 0xffffffff;

constexpr bool hasRoom(uint64_t next) {
  return next & (kRecordBlockBytes - 1) & ~(kRecordHeaderBytes - 1);
}

} // namespace tprt

#endif
