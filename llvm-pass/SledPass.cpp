// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine pass tp-sleds: puts a label at the place of the entry sled. Where
// sleds are instructions (AArch64, PowerPC64), the pass also adds the nops, so
// that branch relaxation counts them. On x86-64 the emitter writes the bytes.
// The pass is inserted after PatchableFunctionID: the passes that insert
// endbr64 and bti c run later, and put these instructions before the sled.

#include "LlvmCompat.h"
#include "Passes.h"
#include "SledLabels.h"
#include "SledSpec.h"
#include "SledTarget.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCContext.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tp {
namespace {

class SledPass : public MachineFunctionPass {
public:
  static char ID;
  SledPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tp sleds"; }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

char SledPass::ID = 0;

bool isBelowThreshold(MachineFunction &MF, unsigned Threshold) {
  unsigned Count = 0;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      Count += !MI.isMetaInstruction();
  return Count < Threshold && !hasLoop(MF);
}

/// A block that only the function's callers reach. If a loop leads back to the
/// entry block, the function makes a new entry block: the loop must not run
/// through the sled again.
MachineBasicBlock &entryOnce(MachineFunction &MF) {
  MachineBasicBlock &Old = MF.front();
  if (Old.pred_empty())
    return Old;
  MachineBasicBlock *New = MF.CreateMachineBasicBlock();
  MF.insert(MF.begin(), New);
  New->addSuccessor(&Old);
  for (const auto &LiveIn : Old.liveins())
    New->addLiveIn(LiveIn);
  return *New;
}

void placeEntrySled(MachineFunction &MF, unsigned Nops) {
  MachineBasicBlock &Entry = entryOnce(MF);
  // Padding between the entry label and the sled would move the sled away from
  // its slot, and across the end of its word. So the whole function gets the
  // block's alignment.
  MF.ensureAlignment(Entry.getAlignment());
  Entry.setAlignment(Align(1));
  // The sled comes after the debug instructions that describe the arguments. So
  // a debugger knows the arguments at the entry label as well.
  auto Where = Entry.begin();
  while (Where != Entry.end() && Where->isDebugInstr())
    ++Where;
  addLabel(Entry, Where, DebugLoc(), SledLabel::Entry, "tp_sled");
  if (SledTarget::of(MF).sledsAreInstructions())
    for (unsigned I = 0; I != Nops; ++I)
      addFencedNop(Entry, Where, DebugLoc());
}

bool SledPass::runOnMachineFunction(MachineFunction &MF) {
  Function &F = MF.getFunction();
  auto Spec = entrySpecOf(F);
  if (!Spec && !exitWanted(F))
    return false;
  auto Drop = [&F] {
    dropSleds(F);
    return false;
  };
  // Callers of an opaque function do not rely on which registers its body uses.
  if (MF.getTarget().Options.EnableIPRA && !isOpaque(F)) {
    F.getContext().emitError(
        "tp: under -enable-ipra, callers of '" + F.getName() +
        "' may keep values in registers that a handler does not preserve: "
        "leave out the flag, or mark the function tp_opaque");
    return Drop();
  }
  if (unsigned K = thresholdOf(F); K && isBelowThreshold(MF, K))
    return Drop();
  if (!Spec || !Spec->after() || findEntryLabel(MF))
    return false;
  placeEntrySled(MF, Spec->after());
  return true;
}

} // namespace

char &SledPassID = SledPass::ID;

void registerSledPass(PassRegistry &Registry) {
  static const PassInfo Info(
      "tp sleds", "tp-sleds", &SledPass::ID,
      []() -> Pass * { return new SledPass; }, false, false);
  Registry.registerPass(Info);
}

} // namespace tp
