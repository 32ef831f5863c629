// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine pass tp-sleds, inserted behind PatchableFunctionID: the passes that
// place endbr64 and bti c run later and put them in front of what stands here.
// It marks the sled with a label; on AArch64 it adds the nops as instructions,
// so that branch relaxation counts them. On x86-64 the emitter writes the
// bytes.

#include "Marks.h"
#include "Passes.h"
#include "SledSpec.h"

#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
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

bool hasLoop(MachineFunction &MF) {
  MachineDominatorTree Dominators;
  Dominators.recalculate(MF);
  MachineLoopInfo Loops;
  Loops.analyze(Dominators);
  return !Loops.empty();
}

bool isBelowThreshold(MachineFunction &MF, unsigned Threshold) {
  unsigned Count = 0;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      Count += !MI.isMetaInstruction();
  return Count < Threshold && !hasLoop(MF);
}

/// A block that only the function's callers reach: a loop back to the entry
/// block must not run through the sled again.
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

bool SledPass::runOnMachineFunction(MachineFunction &MF) {
  Function &F = MF.getFunction();
  auto Spec = entrySpecOf(F);
  if (!Spec && !exitWanted(F))
    return false;
  auto Drop = [&F] {
    F.removeFnAttr(EntryAttr);
    F.removeFnAttr(ExitAttr);
    return false;
  };
  // Nobody takes the body of an opaque function for what a call runs.
  if (MF.getTarget().Options.EnableIPRA && !isOpaque(F)) {
    F.getContext().emitError(
        "tp: with -enable-ipra callers of '" + F.getName() +
        "' may keep values in registers that a handler does not preserve: "
        "leave it out, or make the function tp_opaque");
    return Drop();
  }
  if (unsigned K = thresholdOf(F); K && isBelowThreshold(MF, K))
    return Drop();
  if (!Spec || !Spec->after() || findEntryLabel(MF))
    return false;

  MachineBasicBlock &Entry = entryOnce(MF);
  // Padding between the entry label and the sled would move the sled away from
  // its slot, and out of its word. The whole function takes the alignment over.
  MF.ensureAlignment(Entry.getAlignment());
  Entry.setAlignment(Align(1));
  // Behind what a debugger is told of arguments, so that it knows them at the
  // entry label as well.
  auto Where = Entry.begin();
  while (Where != Entry.end() && Where->isDebugInstr())
    ++Where;
  addLabel(Entry, Where, DebugLoc(), Mark::Entry, "tp_sled");
  if (MF.getTarget().getTargetTriple().isAArch64())
    for (unsigned I = 0; I != Spec->after(); ++I)
      addFencedNop(Entry, Where, DebugLoc());
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
