// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledEmitter.h. The AsmPrinter calls the emitter before and after it
// writes each instruction. Labels of sleds are instructions, too.

#include "SledEmitter.h"
#include "FoldingTag.h"
#include "HandlerNeeds.h"
#include "SledLabels.h"
#include "tprt/table.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDwarf.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"

using namespace llvm;

namespace tp {

/// Finds the label and the layout of the entry sled. Returns false if the
/// function gets no entry sled.
bool SledEmitter::findEntry(const MachineFunction &MF) {
  const Function &F = MF.getFunction();
  auto Spec = entrySpecOf(F);
  if (!Spec || !Spec->after())
    return false;
  const MachineInstr *Label = findEntryLabel(MF);
  auto Found = layoutOf(F);
  if (!Label || !Found) {
    F.getContext().emitError("tp: no sled was made for '" + F.getName() +
                             "': the passes tp-sleds and tp-layout must run");
    return false;
  }
  EntryLabel = Label;
  Layout = *Found;
  NopsBefore = Spec->Before;
  return true;
}

void SledEmitter::beginFunction(const MachineFunction *MF) {
  EntryLabel = nullptr;
  EntrySymbol = nullptr;
  EntryEmitted = false;
  Exit = Closed;
  Remembered = false;
  NopsBefore = ExitSlots = 0;
  Records.clear();
  Target = &SledTarget::of(*MF);
  HasExits = exitWanted(MF->getFunction());
  bool HasEntry = findEntry(*MF);
  if (!HasEntry && !HasExits)
    return;
  // The symbol needs a name: MCContext cannot distinguish sections that are
  // linked to nameless labels.
  EntrySymbol = AP.OutContext.createNamedTempSymbol("tp_entry");
  AP.OutStreamer->emitLabel(EntrySymbol);
}

void SledEmitter::addRecord(MCSymbol *Sled, uint8_t Kind, unsigned Size,
                            unsigned Slot, uint8_t Needs) {
  Records.push_back({static_cast<const MCSectionELF *>(
                         AP.OutStreamer->getCurrentSectionOnly()),
                     {Sled, EntrySymbol, Kind, uint8_t(std::min(Size, 255u)),
                      uint8_t(Slot), Needs}});
}

void SledEmitter::reportLost(StringRef What) {
  const Function &F = AP.MF->getFunction();
  F.getContext().emitError("tp: the " + What + " sled of '" + F.getName() +
                           "' was lost in code generation");
}

/// The instruction after \p Label.
static const MachineInstr *nextInstruction(const MachineInstr &Label) {
  const MachineInstr *MI = Label.getNextNode();
  while (MI && (MI->isMetaInstruction() || MI->isLabel() || MI->isBundle()))
    MI = MI->getNextNode();
  return MI;
}

/// The return or jump of an exit. \p First is the instruction after the exit's
/// label; checks (kcfi) and fences may precede the return. If hardening has
/// changed the return beyond recognition, the result is \p First itself.
static const MachineInstr &exitAfter(const MachineInstr &First) {
  const MachineInstr *MI = &First;
  while (MI && exitOf(*MI) == SledLabel::None)
    MI = MI->getNextNode();
  return MI ? *MI : First;
}

/// If code follows \p Leaving, closeExit() brings back the unwind state of now.
void SledEmitter::rememberUnwinding(const MachineInstr &Leaving) {
  const MachineBasicBlock &Block = *Leaving.getParent();
  Remembered = &Leaving != &Block.back() ||
               !(Block.isEndSection() || &Block == &AP.MF->back());
  if (Remembered)
    rememberCFIState(*AP.OutStreamer);
}

/// After an epilogue, the unwind table may still point to the stack slots from
/// which registers were popped. These slots are below the stack pointer, where
/// stubs, trampolines and handlers write. So from the sled to the end of \p
/// Leaving, this function makes the table say that the registers are restored.
/// Handlers can then unwind.
void SledEmitter::restoreRegisters(const MachineInstr &Leaving) {
  const MachineFunction &MF = *AP.MF;
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  SmallVector<unsigned, 8> Registers;
  for (const CalleeSavedInfo &Saved : MF.getFrameInfo().getCalleeSavedInfo())
    Registers.push_back(TRI.getDwarfRegNum(Saved.getReg(), true));
  if (MF.getSubtarget().getFrameLowering()->hasFP(MF))
    Registers.push_back(TRI.getDwarfRegNum(TRI.getFrameRegister(MF), true));
  if (Registers.empty())
    return;
  rememberUnwinding(Leaving);
  for (unsigned Register : Registers)
    AP.OutStreamer->emitCFIRestore(Register);
}

/// From the sled to the end of \p Leaving, makes the table say that the stack
/// pointer and all registers are what they were at the function's entry. This
/// is right at each exit, also at one that is reached without a frame.
void SledEmitter::leaveFrame(const MachineInstr &Leaving) {
  const std::vector<MCCFIInstruction> &Frame = AP.MF->getFrameInstructions();
  if (Frame.empty())
    return;
  rememberUnwinding(Leaving);
  for (const MCCFIInstruction &Initial : AP.MAI->getInitialFrameState())
    AP.OutStreamer->emitCFIDefCfa(Initial.getRegister(), Initial.getOffset());
  SmallSet<unsigned, 32> Restored;
  for (const MCCFIInstruction &Saved : Frame)
    if (is_contained({MCCFIInstruction::OpOffset, MCCFIInstruction::OpRegister},
                     Saved.getOperation()) &&
        Restored.insert(Saved.getRegister()).second)
      AP.OutStreamer->emitCFIRestore(Saved.getRegister());
}

/// Corrects the unwind table at the exit \p Leaving.
void SledEmitter::correctUnwinding(const MachineInstr &Leaving) {
  if (!AP.OutStreamer->hasUnfinishedDwarfFrameInfo())
    return;
  switch (Target->exitUnwind()) {
  case ExitUnwind::Right:
    return;
  case ExitUnwind::StaleRegisters:
    return restoreRegisters(Leaving);
  case ExitUnwind::KeepsFrame:
    return leaveFrame(Leaving);
  }
}

/// Prepares the streamer for the bytes of `Sled`, which follow \p Label.
void SledEmitter::prepareExit(const MCSymbol &Label) {
  switch (Sled.Where) {
  case ExitSled::Instructions:
    Exit = AwaitsNothing;
    return;
  case ExitSled::BeforeExit:
    Exit = AwaitsBytes;
    Target->alignExit(AP);
    return;
  case ExitSled::OverReturn:
    Exit = AwaitsReturn;
    ReturnLabel = &Label;
    // Options of the assembler add padding before branches and returns, so that
    // these do not cross or end at 32-byte boundaries.
    AutoPadding = AP.OutStreamer->getAllowAutoPadding();
    AP.OutStreamer->setAllowAutoPadding(false);
    return;
  }
}

void SledEmitter::addExitRecord(MCSymbol *Label, SledLabel Kind,
                                const MachineInstr &Leaving) {
  const HandlerNeeds Needs(*Target, AP.MF->getFunction());
  unsigned Slot =
      NopsBefore ? Target->exitSlot(Leaving, Layout, NopsBefore, ExitSlots) : 0;
  ExitSlots += Slot != 0;
  if (Kind == SledLabel::TailExit)
    return addRecord(Label, TPRT_RECORD_TRAITS(TPRT_KIND_TAIL_EXIT, Sled.Shape),
                     Sled.Bytes, Slot, Needs.atTailCall(Leaving));
  uint8_t AtReturn = Needs.atReturn(Leaving);
  uint8_t Live = AtReturn & TPRT_NEEDS_OTHER ? 0 : Needs.liveAtExit();
  addRecord(Label, TPRT_RECORD_TRAITS(TPRT_KIND_EXIT, Sled.Shape) | Live,
            Sled.Bytes, Slot, AtReturn);
}

/// Chooses the exit sled at \p Label, aligns the sled and keeps its record.
/// endInstruction() writes the bytes.
void SledEmitter::openExit(const MachineInstr &Label, SledLabel Kind) {
  const MachineInstr *First = nextInstruction(Label);
  if (!First)
    return reportLost("exit");
  const MachineInstr &Leaving = exitAfter(*First);
  MCSymbol *Symbol = Label.getOperand(0).getMCSymbol();
  Sled = Target->exitSled(*First, Kind);
  prepareExit(*Symbol);
  addExitRecord(Symbol, Kind, Leaving);
  correctUnwinding(Leaving);
}

void SledEmitter::beginInstruction(const MachineInstr *MI) {
  Current = MI;
  if (!EntrySymbol)
    return;
  if (MI == EntryLabel && !Target->sledsAreInstructions())
    return Target->emitBeforeEntry(AP, Layout);
  if (!HasExits)
    return;
  SledLabel Label = labelOf(*MI);
  if (Label == SledLabel::Exit || Label == SledLabel::TailExit)
    return openExit(*MI, Label);
  if (exitOf(*MI) != SledLabel::None && Exit == Closed)
    reportLost("exit");
}

void SledEmitter::emitEntry() {
  const HandlerNeeds Needs(*Target, AP.MF->getFunction());
  EntryEmitted = true;
  addRecord(EntryLabel->getOperand(0).getMCSymbol(),
            TPRT_RECORD_TRAITS(TPRT_KIND_ENTRY, Layout.Shape) |
                Needs.liveAtEntry(),
            Layout.Bytes, Layout.Slot, Needs.atEntry());
  if (!Target->sledsAreInstructions())
    Target->emitEntry(AP, Layout);
}

/// The return or jump of the exit has been written.
void SledEmitter::closeExit() {
  if (Exit == AwaitsReturn) {
    AP.OutStreamer->setAllowAutoPadding(AutoPadding);
    Target->emitAfterReturn(AP, *ReturnLabel);
  }
  Exit = Closed;
  if (Remembered)
    restoreCFIState(*AP.OutStreamer);
  Remembered = false;
}

void SledEmitter::endInstruction() {
  if (!EntrySymbol)
    return;
  if (Current == EntryLabel)
    return emitEntry();
  if (Exit == AwaitsBytes) { // after the exit's label
    Target->emitExit(AP);
    Exit = AwaitsNothing;
    return;
  }
  if (Exit != Closed && exitOf(*Current) != SledLabel::None)
    closeExit();
}

void SledEmitter::endFunction(const MachineFunction *MF) {
  if (!EntrySymbol)
    return;
  if (EntryLabel && !EntryEmitted)
    return reportLost("entry");
  const MCSection *Main = MF->getSection(), *Last = Main;
  for (const Pending &P : Records) {
    Table.add(*P.Text, P.Record, P.Text == MF->getSection());
    if (P.Text != Main && P.Text != Last)
      foldOnlyWithFunction(AP, P.Record.Sled);
    Last = P.Text;
  }
  if (Records.empty())
    return;
  keepFromFolding(AP, *MF, EntrySymbol);
  if (nameWanted(MF->getFunction()))
    Table.addName(*static_cast<const MCSectionELF *>(MF->getSection()),
                  EntrySymbol, AP.CurrentFnSym->getName());
}

} // namespace tp
