// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Marks.h.

#include "Marks.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"

using namespace llvm;

namespace tp {

Mark markOf(const MachineInstr &MI) {
  if (MI.getOpcode() != TargetOpcode::ANNOTATION_LABEL)
    return Mark::None;
  bool Second = MI.getFlag(MachineInstr::NoFPExcept);
  if (MI.getFlag(MachineInstr::IsExact))
    return Second ? Mark::TailExit : Mark::Exit;
  return Second ? Mark::Fence : Mark::Entry;
}

const MachineInstr *findEntryLabel(const MachineFunction &MF) {
  for (const MachineInstr &MI : MF.front())
    if (markOf(MI) == Mark::Entry)
      return &MI;
  return nullptr;
}

void addLabel(MachineBasicBlock &Block, MachineBasicBlock::iterator Where,
              const DebugLoc &Line, Mark M, StringRef Name) {
  unsigned Flags = 0;
  if (M == Mark::Exit || M == Mark::TailExit)
    Flags |= MachineInstr::IsExact;
  if (M == Mark::Fence || M == Mark::TailExit)
    Flags |= MachineInstr::NoFPExcept;
  MachineFunction &MF = *Block.getParent();
  BuildMI(Block, Where, Line,
          MF.getSubtarget().getInstrInfo()->get(TargetOpcode::ANNOTATION_LABEL))
      // Named, as a nameless symbol is lost in a MIR file.
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
  addLabel(Block, Where, Line, Mark::Fence, "tp_fence");
}

bool isXRayTailCall(const MachineInstr &MI) {
  return MI.getOpcode() == TargetOpcode::PATCHABLE_TAIL_CALL &&
         MI.getNumExplicitOperands() != 0;
}

Mark exitOf(const MachineInstr &MI) {
  if (!MI.isReturn())
    return Mark::None;
  if (MI.isCall() || isXRayTailCall(MI))
    return Mark::TailExit;
  // By name, as the opcodes are the targets' own: RET64, RETI64, RETAA, ... but
  // not IRET64, UIRET, EH_RETURN64.
  StringRef Name =
      MI.getMF()->getSubtarget().getInstrInfo()->getName(MI.getOpcode());
  return Name.starts_with("RET") || Name == "PATCHABLE_RET" ? Mark::Exit
                                                            : Mark::None;
}

} // namespace tp
