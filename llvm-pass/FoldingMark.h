// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps linkers from folding functions of equal bytes (--icf) for which a
// handler must preserve different registers. Called by the emitter.

#ifndef TP_FOLDINGMARK_H
#define TP_FOLDINGMARK_H

namespace llvm {
class AsmPrinter;
class MachineFunction;
class MCSymbol;
} // namespace llvm

namespace tp {
/// Writes a relocation that does nothing at \p Entry if \p MF needs one.
void keepFromFolding(llvm::AsmPrinter &AP, const llvm::MachineFunction &MF,
                     llvm::MCSymbol *Entry);
} // namespace tp

#endif
