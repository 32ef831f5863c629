// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FoldingMark.h. A record tells a handler's caller what to keep, from the
// function's signature. Where functions are folded, one record serves all, and
// equal bytes mean equal needs but for registers that the code passes on
// without a trace: a tail call that forwards arguments (`jmp *(%rax)`), a
// result that was an argument (the identity of a double is one `ret`) or a
// callee's result. Such functions get a R_*_NONE relocation whose addend says
// what their records say: linkers compare relocations, too, and then forget
// this one.

#include "FoldingMark.h"
#include "HandlerNeeds.h"
#include "Marks.h"

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
      if (exitOf(MI) == Mark::TailExit)
        return true;
  return false;
}

/// Every handler's caller keeps the first integer result.
static bool hasOtherResult(const Function &F) {
  Type *T = F.getReturnType();
  return !T->isVoidTy() && !T->isPointerTy() &&
         !(T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
}

static void addMark(AsmPrinter &AP, MCSymbol *Where, const MCExpr *What) {
  AP.OutStreamer->emitRelocDirective(
      *MCSymbolRefExpr::create(Where, AP.OutContext),
      AP.TM.getTargetTriple().isX86() ? "R_X86_64_NONE" : "R_AARCH64_NONE",
      What);
}

void keepFromFolding(AsmPrinter &AP, const MachineFunction &MF,
                     MCSymbol *Entry) {
  // Linkers fold whole sections.
  if (MF.getSection()->getName() == ".text")
    return;
  const Function &F = MF.getFunction();
  if (!hasTailCall(MF) && !hasOtherResult(F) && !entryNeeds(F))
    return;
  // The needs tell scalable results, whose size is no number, from others.
  Type *T = F.getReturnType();
  uint64_t ResultBits =
      T->isVoidTy() || T->isScalableTy()
          ? 0
          : F.getDataLayout().getTypeSizeInBits(T).getFixedValue();
  uint64_t Addend = entryLive(F) | entryNeeds(F) << 8 | exitLive(F) << 16 |
                    uint64_t(uint16_t(ResultBits)) << 24;
  addMark(AP, Entry, MCConstantExpr::create(int64_t(Addend), AP.OutContext));
}

void foldOnlyWithFunction(AsmPrinter &AP, MCSymbol *Sled) {
  // Not a label of ours: such a relocation would keep it in the symbol table.
  addMark(AP, Sled, MCSymbolRefExpr::create(AP.CurrentFnSym, AP.OutContext));
}

} // namespace tp
