// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledLabels.h.

#include "SledLabels.h"
#include "SledTarget.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"

using namespace llvm;

namespace tp {

SledLabel labelOf(const MachineInstr &MI) {
  if (MI.getOpcode() != TargetOpcode::ANNOTATION_LABEL)
    return SledLabel::None;
  bool Second = MI.getFlag(MachineInstr::NoFPExcept);
  if (MI.getFlag(MachineInstr::IsExact))
    return Second ? SledLabel::TailExit : SledLabel::Exit;
  return Second ? SledLabel::Fence : SledLabel::Entry;
}

const MachineInstr *findEntryLabel(const MachineFunction &MF) {
  for (const MachineInstr &MI : MF.front())
    if (labelOf(MI) == SledLabel::Entry)
      return &MI;
  return nullptr;
}

void addLabel(MachineBasicBlock &Block, MachineBasicBlock::iterator Where,
              const DebugLoc &Line, SledLabel Kind, StringRef Name) {
  unsigned Flags = 0;
  if (Kind == SledLabel::Exit || Kind == SledLabel::TailExit)
    Flags |= MachineInstr::IsExact;
  if (Kind == SledLabel::Fence || Kind == SledLabel::TailExit)
    Flags |= MachineInstr::NoFPExcept;
  MachineFunction &MF = *Block.getParent();
  BuildMI(Block, Where, Line,
          MF.getSubtarget().getInstrInfo()->get(TargetOpcode::ANNOTATION_LABEL))
      // The symbol has a name because MIR files lose nameless symbols.
      .addSym(MF.getContext().createNamedTempSymbol(Name))
      .setMIFlags(Flags);
}

void addFencedNop(MachineBasicBlock &Block, MachineBasicBlock::iterator Where,
                  const DebugLoc &Line) {
  const TargetInstrInfo &TII =
      *Block.getParent()->getSubtarget().getInstrInfo();
  const MCInst Nop = TII.getNop();
  MachineInstrBuilder Built =
      BuildMI(Block, Where, Line, TII.get(Nop.getOpcode()));
  for (const MCOperand &Operand : Nop)
    Built.addImm(Operand.getImm());
  addLabel(Block, Where, Line, SledLabel::Fence, "tp_fence");
}

bool isXRayTailCall(const MachineInstr &MI) {
  return MI.getOpcode() == TargetOpcode::PATCHABLE_TAIL_CALL &&
         MI.getNumExplicitOperands() != 0;
}

bool isWrapped(const MachineInstr &MI) {
  return isXRayTailCall(MI) || MI.getOpcode() == TargetOpcode::PATCHABLE_RET;
}

unsigned exitOpcode(const MachineInstr &MI) {
  return isWrapped(MI) ? unsigned(MI.getOperand(0).getImm()) : MI.getOpcode();
}

SledLabel exitOf(const MachineInstr &MI) {
  if (!MI.isReturn())
    return SledLabel::None;
  const MachineFunction &MF = *MI.getMF();
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  const SledTarget &Target = SledTarget::of(MF);
  unsigned Opcode = exitOpcode(MI);
  if (Target.isLeftover(TII.getName(Opcode)))
    return SledLabel::None;
  if (MI.isCall() || TII.get(Opcode).isCall())
    return SledLabel::TailExit;
  return Target.isReturn(TII.getName(Opcode)) ? SledLabel::Exit
                                              : SledLabel::None;
}

} // namespace tp
