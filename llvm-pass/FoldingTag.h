// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linkers fold functions of equal bytes into one (--icf), and then one record
// serves both. Where it cannot, a tag keeps the linker from folding: a
// relocation that does nothing, but that linkers compare. Called by the
// emitter, on its thread.

#ifndef TP_FOLDINGTAG_H
#define TP_FOLDINGTAG_H

namespace llvm {
class AsmPrinter;
class MachineFunction;
class MCSymbol;
} // namespace llvm

namespace tp {
/// Writes a tag at \p Entry if \p MF needs one.
void keepFromFolding(llvm::AsmPrinter &AP, const llvm::MachineFunction &MF,
                     llvm::MCSymbol *Entry);
/// Writes a tag at \p Sled, which lies in another section than the entry of its
/// function, the printer's current one. Such parts of two functions may become
/// one only if the functions do. Otherwise the record would name the wrong
/// function.
void foldOnlyWithFunction(llvm::AsmPrinter &AP, llvm::MCSymbol *Sled);
} // namespace tp

#endif
