// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs: blocks compressed by zstd, as docs/reference/trace-format.md says
// under "Packed files". No state.

#ifndef TP_TRACE_PACKS_H
#define TP_TRACE_PACKS_H

#include "BlockFile.h"

namespace tp::trace {

/// Appends the blocks of a pack. Returns false if the frame is damaged or does
/// not match the pack's header.
bool unpack(const tprt_trace_pack &Pack, llvm::ArrayRef<uint8_t> Frame,
            std::vector<Block> &Blocks);

/// The bytes of a pack of these blocks, with its header and the zeros after.
std::vector<uint8_t> pack(llvm::ArrayRef<Block> Blocks, int Level);

/// Writes a packed copy of a recording. The error says which file could not be
/// read or written. Damaged parts of `From` are left out and counted.
llvm::Error packFile(llvm::StringRef From, llvm::StringRef To, int Level,
                     Findings &Found);

} // namespace tp::trace

#endif
