// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine pass tp-exits: puts a label before every return and tail call. Where
// sleds are instructions (AArch64, PowerPC64), the pass puts the nop after the
// label. On x86-64 the emitter writes the bytes later, because return thunks
// and LVI hardening still change the return. The pass runs after the passes
// that insert instructions before a return (vzeroupper), and before the machine
// outliner and branch relaxation.

#include "Passes.h"
#include "SledLabels.h"
#include "SledSpec.h"
#include "SledTarget.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/PassRegistry.h"

using namespace llvm;

namespace tp {
namespace {

class ExitPass : public MachineFunctionPass {
public:
  static char ID;
  ExitPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "tp exits"; }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

char ExitPass::ID = 0;

void placeExitSled(MachineInstr &Exit) {
  MachineBasicBlock &Block = *Exit.getParent();
  // The label has the line of the return or jump. Any other line, or none,
  // would give debuggers one more place for a breakpoint.
  const DebugLoc &Line = Exit.getDebugLoc();
  addLabel(Block, Exit.getIterator(), Line, exitOf(Exit), "tp_exit");
  if (SledTarget::of(*Block.getParent()).sledsAreInstructions())
    addFencedNop(Block, Exit.getIterator(), Line);
}

bool isConditional(const MachineInstr &Exit) {
  const TargetInstrInfo &TII = *Exit.getMF()->getSubtarget().getInstrInfo();
  return TII.get(exitOpcode(Exit)).isConditionalBranch();
}

bool ExitPass::runOnMachineFunction(MachineFunction &MF) {
  if (!exitWanted(MF.getFunction()))
    return false;
  SmallVector<MachineInstr *, 8> Exits;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB) {
      SledLabel Label = labelOf(MI);
      if (Label == SledLabel::Exit || Label == SledLabel::TailExit)
        return false; // the labels come from a MIR file
      if (exitOf(MI) != SledLabel::None)
        Exits.push_back(&MI);
    }
  for (MachineInstr *Exit : Exits) {
    if (isConditional(*Exit))
      Exit = &SledTarget::of(MF).makeUnconditional(*Exit);
    placeExitSled(*Exit);
  }
  return !Exits.empty();
}

} // namespace

char &ExitPassID = ExitPass::ID;

void registerExitPass(PassRegistry &Registry) {
  static const PassInfo Info(
      "tp exits", "tp-exits", &ExitPass::ID,
      []() -> Pass * { return new ExitPass; }, false, false);
  Registry.registerPass(Info);
}

} // namespace tp
