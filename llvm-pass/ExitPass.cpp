// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine pass tp-exits: marks every return and tail call with a label, and on
// AArch64 puts the nop behind it. It runs behind the passes that still put
// something before a return (vzeroupper), and before the machine outliner and
// branch relaxation. On x86-64 the emitter writes the bytes, when it knows what
// became of the return (return thunks, LVI hardening).

#include "Marks.h"
#include "Passes.h"
#include "SledSpec.h"

#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/TargetMachine.h"

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

void mark(MachineInstr &Exit, Mark M) {
  MachineBasicBlock &Block = *Exit.getParent();
  // The line is that of the return or jump: any other, or none, would be one
  // more place for a breakpoint.
  const DebugLoc &Line = Exit.getDebugLoc();
  addLabel(Block, Exit.getIterator(), Line, M, "tp_exit");
  if (Block.getParent()->getTarget().getTargetTriple().isAArch64())
    addFencedNop(Block, Exit.getIterator(), Line);
}

bool isConditional(const MachineInstr &Exit) {
  if (!isXRayTailCall(Exit))
    return Exit.isConditionalBranch();
  const TargetInstrInfo &TII = *Exit.getMF()->getSubtarget().getInstrInfo();
  return TII.get(Exit.getOperand(0).getImm()).isConditionalBranch();
}

/// Turns `jcc function` into a conditional jump over a block of its own that
/// holds the jump, so that its sled is met only where the jump is taken.
MachineInstr &makeUnconditional(MachineInstr &Jump) {
  MachineBasicBlock &Block = *Jump.getParent();
  MachineFunction &MF = *Block.getParent();
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  static const unsigned Opcode = [&] {
    unsigned I = 0;
    while (I != TII.getNumOpcodes() && TII.getName(I) != "TAILJMPd64")
      ++I;
    return I;
  }();

  MachineBasicBlock *Rest = Block.getNextNode();
  if (&Jump != &Block.back()) {
    Rest = Block.splitAt(Jump);
  } else if (&Block == &MF.back()) { // what would follow is unreachable
    Rest = MF.CreateMachineBasicBlock();
    MF.push_back(Rest);
    Block.addSuccessorWithoutProb(Rest);
  }
  MachineBasicBlock *Taken = MF.CreateMachineBasicBlock();
  MF.insert(std::next(Block.getIterator()), Taken);
  Block.addSuccessorWithoutProb(Taken);

  const DebugLoc &Where = Jump.getDebugLoc();
  bool XRay = isXRayTailCall(Jump);
  MachineInstrBuilder Tail = BuildMI(*Taken, Taken->end(), Where,
                                     XRay ? Jump.getDesc() : TII.get(Opcode));
  if (XRay)
    Tail.addImm(Opcode);
  Tail.add(Jump.getOperand(XRay));
  SmallVector<MachineOperand, 1> Condition = {Jump.getOperand(XRay + 1)};
  for (const MachineOperand &Operand : drop_begin(Jump.operands(), XRay + 2))
    if (!Operand.isReg() ||
        StringRef(MF.getSubtarget().getRegisterInfo()->getName(
            Operand.getReg())) != "EFLAGS")
      Tail.add(Operand);
  if (Jump.shouldUpdateAdditionalCallInfo())
    MF.moveAdditionalCallInfo(&Jump, Tail);
  LivePhysRegs Live;
  computeAndAddLiveIns(Live, *Taken);

  TII.reverseBranchCondition(Condition);
  Jump.eraseFromParent();
  TII.insertBranch(Block, Rest, nullptr, Condition, Where);
  return *Tail;
}

bool ExitPass::runOnMachineFunction(MachineFunction &MF) {
  if (!exitWanted(MF.getFunction()))
    return false;
  SmallVector<MachineInstr *, 8> Exits;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB) {
      Mark M = markOf(MI);
      if (M == Mark::Exit || M == Mark::TailExit)
        return false; // from a MIR file
      if (exitOf(MI) != Mark::None)
        Exits.push_back(&MI);
    }
  for (MachineInstr *Exit : Exits) {
    if (isConditional(*Exit))
      Exit = &makeUnconditional(*Exit);
    mark(*Exit, exitOf(*Exit));
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
