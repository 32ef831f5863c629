// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a signature to the record's `needs` byte: what a handler at this sled
// must preserve beyond the usual. Pure; called by the emitter.

#ifndef TP_HANDLERNEEDS_H
#define TP_HANDLERNEEDS_H

#include <cstdint>

namespace llvm {
class Function;
}

namespace tp {
/// Bits of enum tprt_record_needs for the entry of \p F.
uint8_t entryNeeds(const llvm::Function &F);
} // namespace tp

#endif
