// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps linkers from folding code of equal bytes (--icf) where one record
// cannot serve both: relocations that do nothing tell it apart. Called by the
// emitter.

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
/// The same at \p Sled, which lies in another section than the entry of its
/// function, the printer's current one: such parts of two functions may become
/// one only if the functions do, or the record would name the wrong one.
void foldOnlyWithFunction(llvm::AsmPrinter &AP, llvm::MCSymbol *Sled);
} // namespace tp

#endif
