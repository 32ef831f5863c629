// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a signature to what the record says of registers: what a handler at this
// sled must preserve beyond the usual, and what it need not. Pure; called by
// the emitter.

#ifndef TP_HANDLERNEEDS_H
#define TP_HANDLERNEEDS_H

#include <cstdint>

namespace llvm {
class Function;
class MachineInstr;
} // namespace llvm

namespace tp {
/// Bits of enum tprt_record_needs for the entry of \p F.
uint8_t entryNeeds(const llvm::Function &F);

/// For a return of \p F. \p Return is the instruction that the sled precedes:
/// the return, or what hardening has put in its place.
uint8_t exitNeeds(const llvm::Function &F, const llvm::MachineInstr &Return);

/// For the tail call \p Jump in \p F.
uint8_t tailExitNeeds(const llvm::Function &F, const llvm::MachineInstr &Jump);

/// The bits of the record's kind that say which registers are live:
/// TPRT_RECORD_LIVE and TPRT_RECORD_NO_VECTORS, for the entry of \p F and for
/// its exits by return. 0 where nothing can be promised.
uint8_t entryLive(const llvm::Function &F);
uint8_t exitLive(const llvm::Function &F);
} // namespace tp

#endif
