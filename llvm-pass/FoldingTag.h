// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linkers fold functions of equal bytes into one (--icf), and then one record
// serves both functions. If one record cannot serve both, a tag keeps the
// linker from folding them. The tag is a relocation that has no effect, but
// linkers compare relocations. The emitter calls these functions, on its
// thread.

#ifndef TP_FOLDINGTAG_H
#define TP_FOLDINGTAG_H

namespace llvm {
class AsmPrinter;
class MachineFunction;
class MCSymbol;
} // namespace llvm

namespace tp {
/// Writes a tag at \p Entry if \p MF needs a tag.
void keepFromFolding(llvm::AsmPrinter &AP, const llvm::MachineFunction &MF,
                     llvm::MCSymbol *Entry);
/// Writes a tag at \p Sled, which is in the printer's current section, while
/// the entry of its function is in another section. The linker may fold these
/// sections of two functions only if it folds the functions, too. Otherwise the
/// record would name the wrong function.
void foldOnlyWithFunction(llvm::AsmPrinter &AP, llvm::MCSymbol *Sled);
} // namespace tp

#endif
