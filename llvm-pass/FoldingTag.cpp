// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FoldingTag.h. A record says which registers a trampoline must save. The
// compiler derives these registers from the function's signature. If functions
// are folded, one record serves all of them. Equal bytes mean equal needs,
// except for registers that the code passes on without naming them:
//
// - a tail call that forwards arguments (`jmp *(%rax)`);
// - a result that was an argument (the identity of a double is one `ret`);
// - a callee's result.
//
// Such functions get an R_*_NONE relocation whose addend encodes what their
// records say. Linkers compare relocations, too, and drop R_*_NONE after the
// comparison.

#include "FoldingTag.h"
#include "HandlerNeeds.h"
#include "LlvmCompat.h"
#include "SledLabels.h"
#include "SledTarget.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tp {

static bool hasTailCall(const MachineFunction &MF) {
  for (const MachineBasicBlock &Block : MF)
    for (const MachineInstr &MI : Block)
      if (exitOf(MI) == SledLabel::TailExit)
        return true;
  return false;
}

/// Whether \p F has a result outside the first integer register. Every
/// trampoline saves that register.
static bool hasOtherResult(const Function &F) {
  Type *T = F.getReturnType();
  return !T->isVoidTy() && !T->isPointerTy() &&
         !(T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
}

static void addTag(AsmPrinter &AP, MCSymbol *Where, const MCExpr *What) {
  emitReloc(AP, *MCSymbolRefExpr::create(Where, AP.OutContext),
            SledTarget::of(*AP.MF).emptyRelocation(), What);
}

void keepFromFolding(AsmPrinter &AP, const MachineFunction &MF,
                     MCSymbol *Entry) {
  // Linkers fold only whole sections, and this section holds several functions.
  if (MF.getSection()->getName() == ".text")
    return;
  const Function &F = MF.getFunction();
  const HandlerNeeds Needs(SledTarget::of(MF), F);
  if (!hasTailCall(MF) && !hasOtherResult(F) && !Needs.atEntry())
    return;
  // Scalable results have no fixed size; the record's needs distinguish them.
  Type *T = F.getReturnType();
  uint64_t ResultBits =
      T->isVoidTy() || isScalable(*T)
          ? 0
          : dataLayoutOf(F).getTypeSizeInBits(T).getFixedValue();
  uint64_t Addend = Needs.liveAtEntry() | Needs.atEntry() << 8 |
                    Needs.liveAtExit() << 16 |
                    uint64_t(uint16_t(ResultBits)) << 24;
  addTag(AP, Entry, MCConstantExpr::create(int64_t(Addend), AP.OutContext));
}

void foldOnlyWithFunction(AsmPrinter &AP, MCSymbol *Sled) {
  // The function's own symbol: a relocation against a label of ours would keep
  // the label in the symbol table.
  addTag(AP, Sled, MCSymbolRefExpr::create(AP.CurrentFnSym, AP.OutContext));
}

} // namespace tp
