// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledEmitter.h. The bytes do not go through AsmPrinter::emitNops, which
// prints nothing in assembly output: the record would point at other code.

#include "SledEmitter.h"
#include "FoldingMark.h"
#include "HandlerNeeds.h"
#include "Marks.h"
#include "tprt/table.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tp {

/// The recommended nops of Intel's SDM, vol. 2B, NOP, table 4-12.
static constexpr const char *Nops[] = {"",
                                       "\x90",
                                       "\x66\x90",
                                       "\x0f\x1f\x00",
                                       "\x0f\x1f\x40\x00",
                                       "\x0f\x1f\x44\x00\x00",
                                       "\x66\x0f\x1f\x44\x00\x00",
                                       "\x0f\x1f\x80\x00\x00\x00\x00",
                                       "\x0f\x1f\x84\x00\x00\x00\x00\x00",
                                       "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"};

void SledEmitter::emitNopBytes(unsigned Count) {
  for (; Count;) {
    unsigned Step = std::min(Count, 9u);
    AP.OutStreamer->emitBytes(StringRef(Nops[Step], Step));
    Count -= Step;
  }
}

/// What is said of a return that is not where its record says. GNU as has no
/// directive against this; clang's own assembler has setAllowAutoPadding.
static constexpr char PaddedReturn[] =
    "tp: the assembler puts something before a return with an exit sled, as "
    "-mlfence-before-ret and -malign-branch=ret make it: leave that option "
    "out, or exit sleds; -mlvi-hardening goes with them, and -malign-branch "
    "without -fno-integrated-as";

/// Has an assembler that reads our text stop if anything but the return and the
/// four bytes behind it, which were just emitted, follows the label \p Sled.
void SledEmitter::checkReturn(const MCSymbol &Sled) {
  MCStreamer &Out = *AP.OutStreamer;
  if (!Out.hasRawTextSupport())
    return;
  Out.emitRawText("\t.ifne\t(. - " + Sled.getName() + ") - 5");
  Out.emitRawText(Twine("\t.error\t\"") + PaddedReturn + "\"");
  Out.emitRawText("\t.abort"); // one is enough
  Out.emitRawText("\t.endif");
}

/// 66 90, in assembly output as an instruction, so that listings show it: see
/// openEntry. The opcode and register numbers are the target's own affair;
/// their names are stable.
void SledEmitter::emitShortNop() {
  if (!AP.OutStreamer->hasRawTextSupport())
    return emitNopBytes(2);
  const auto &STI = AP.MF->getSubtarget();
  const TargetInstrInfo &TII = *STI.getInstrInfo();
  const TargetRegisterInfo &TRI = *STI.getRegisterInfo();
  static const unsigned Opcode = [&] {
    unsigned I = 0;
    while (I != TII.getNumOpcodes() && TII.getName(I) != "XCHG16ar")
      ++I;
    return I;
  }();
  static const unsigned AX = [&] {
    unsigned I = 1;
    while (I != TRI.getNumRegs() && StringRef(TRI.getName(I)) != "AX")
      ++I;
    return I;
  }();
  if (Opcode == TII.getNumOpcodes() || AX == TRI.getNumRegs())
    return emitNopBytes(2);
  AP.OutStreamer->emitInstruction(MCInstBuilder(Opcode).addReg(AX).addReg(AX),
                                  STI);
}

void SledEmitter::beginFunction(const MachineFunction *MF) {
  EntryLabel = nullptr;
  EntrySymbol = nullptr;
  Emitted = false;
  Exit = Closed;
  Remembered = false;
  Records.clear();
  IsX86 = AP.TM.getTargetTriple().isX86();
  const Function &F = MF->getFunction();
  HasExits = exitWanted(F);
  auto Spec = entrySpecOf(F);
  bool HasEntry = Spec && Spec->after();
  if (HasEntry) {
    EntryLabel = findEntryLabel(*MF);
    auto Found = layoutOf(F);
    if (!EntryLabel || !Found) {
      F.getContext().emitError("tp: no sled was made for '" + F.getName() +
                               "': the passes tp-sleds and tp-layout must run");
      EntryLabel = nullptr;
      HasEntry = false;
    } else {
      Layout = *Found;
    }
  }
  if (!HasEntry && !HasExits)
    return;
  // A named one: sections linked to nameless labels would all be the same to
  // MCContext.
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

void SledEmitter::lost(StringRef What) {
  const Function &F = AP.MF->getFunction();
  F.getContext().emitError("tp: the " + What + " sled of '" + F.getName() +
                           "' was lost in code generation");
}

/// The instruction that \p Label was put before.
static const MachineInstr *nextInstruction(const MachineInstr &Label) {
  const MachineInstr *MI = Label.getNextNode();
  while (MI && (MI->isMetaInstruction() || MI->isLabel() || MI->isBundle()))
    MI = MI->getNextNode();
  return MI;
}

/// The return or jump that \p First, the instruction behind an exit's label,
/// belongs to. Checks (kcfi) and fences may stand between; a hardened return
/// may not look like one, then it is \p First.
static const MachineInstr &exitBehind(const MachineInstr &First) {
  const MachineInstr *MI = &First;
  while (MI && exitOf(*MI) == Mark::None)
    MI = MI->getNextNode();
  return MI ? *MI : First;
}

/// X86 epilogues leave the unwind table saying that registers lie where they
/// were popped from: below the stack pointer, where stubs, trampolines and
/// handlers write. From the sled up to \p Leaving's end they are back, so that
/// handlers unwind rightly.
void SledEmitter::sayRestored(const MachineInstr &Leaving) {
  const MachineFunction &MF = *AP.MF;
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  SmallVector<unsigned, 8> Registers;
  for (const CalleeSavedInfo &Saved : MF.getFrameInfo().getCalleeSavedInfo())
    Registers.push_back(TRI.getDwarfRegNum(Saved.getReg(), true));
  if (MF.getSubtarget().getFrameLowering()->hasFP(MF))
    Registers.push_back(TRI.getDwarfRegNum(TRI.getFrameRegister(MF), true));
  if (Registers.empty() || !AP.OutStreamer->hasUnfinishedDwarfFrameInfo())
    return;
  const MachineBasicBlock &Block = *Leaving.getParent();
  Remembered = &Leaving != &Block.back() ||
               !(Block.isEndSection() || &Block == &MF.back());
  if (Remembered)
    AP.OutStreamer->emitCFIRememberState(SMLoc());
  for (unsigned Register : Registers)
    AP.OutStreamer->emitCFIRestore(Register);
}

/// Decides the shape of the exit sled at \p Label, aligns it and notes its
/// record. The bytes follow.
void SledEmitter::openExit(const MachineInstr &Label, Mark M) {
  const MachineFunction &MF = *AP.MF;
  const Function &F = MF.getFunction();
  const MachineInstr *Next = nextInstruction(Label);
  unsigned Shape = TPRT_SHAPE_WORD;
  if (!Next)
    return lost("exit");
  const MachineInstr &Leaving = exitBehind(*Next);
  if (!IsX86) {
    Exit = AwaitsNothing;
  } else if (M == Mark::Exit &&
             MF.getSubtarget().getInstrInfo()->getName(Next->getOpcode()) ==
                 "RET64" &&
             !MF.getSubtarget().checkFeatures("+harden-sls-ret")) {
    Shape = TPRT_SHAPE_RET;
    Exit = AwaitsReturn;
    Return = Label.getOperand(0).getMCSymbol();
    // Branches, and returns among them, may be kept from 32-byte boundaries.
    Padding = AP.OutStreamer->getAllowAutoPadding();
    AP.OutStreamer->setAllowAutoPadding(false);
  } else {
    Shape = TPRT_SHAPE_LONG;
    Exit = AwaitsNop;
    // 5 bytes fit a word unless they begin in its last four: no more than four
    // bytes are ever skipped.
    AP.OutStreamer->emitCodeAlignment(Align(8), &AP.getSubtargetInfo(), 4);
  }
  uint8_t Kind = TPRT_RECORD_KIND(TPRT_RECORD_TAIL_EXIT, Shape);
  uint8_t Needs;
  if (M == Mark::TailExit) {
    Needs = tailExitNeeds(F, Leaving);
  } else {
    Needs = exitNeeds(F, Leaving);
    Kind = TPRT_RECORD_KIND(TPRT_RECORD_EXIT, Shape) |
           (Needs & TPRT_NEEDS_OTHER ? 0 : exitLive(F));
  }
  addRecord(Label.getOperand(0).getMCSymbol(), Kind, IsX86 ? 5 : 4, 0, Needs);
  if (IsX86)
    sayRestored(Leaving);
}

/// What stands before the entry's label. To keep branches from 32-byte
/// boundaries, assemblers put prefixes before other instructions. They leave
/// data alone, and GNU as what follows data, even none.
void SledEmitter::openEntry() {
  emitNopBytes(Layout.Filler);
  if (AP.OutStreamer->hasRawTextSupport() && Layout.Shape != TPRT_SHAPE_LONG)
    AP.OutStreamer->emitRawText("\t.ascii\t\"\"");
}

void SledEmitter::beginInstruction(const MachineInstr *MI) {
  Current = MI;
  if (!EntrySymbol)
    return;
  if (MI == EntryLabel && IsX86)
    return openEntry();
  if (!HasExits)
    return;
  Mark M = markOf(*MI);
  if (M == Mark::Exit || M == Mark::TailExit)
    return openExit(*MI, M);
  if (exitOf(*MI) != Mark::None && Exit == Closed)
    lost("exit");
}

void SledEmitter::emitEntryBytes() {
  const Function &F = AP.MF->getFunction();
  Emitted = true;
  addRecord(EntryLabel->getOperand(0).getMCSymbol(),
            TPRT_RECORD_KIND(TPRT_RECORD_ENTRY, Layout.Shape) | entryLive(F),
            Layout.Bytes, Layout.Slot, entryNeeds(F));
  switch (Layout.Shape) {
  case TPRT_SHAPE_SHORT:
    emitShortNop();
    return emitNopBytes(Layout.Bytes - 2);
  case TPRT_SHAPE_LONG:
    emitNopBytes(5);
    return emitNopBytes(Layout.Bytes - 5);
  case TPRT_SHAPE_PLAIN:
    return Layout.Bytes == 2 ? emitShortNop() : emitNopBytes(Layout.Bytes);
  default: // AArch64: the nops are instructions already
    return;
  }
}

void SledEmitter::endInstruction() {
  if (!EntrySymbol)
    return;
  if (Current == EntryLabel)
    return emitEntryBytes();
  if (Exit == AwaitsNop) {
    emitNopBytes(5);
    Exit = AwaitsNothing;
    return;
  }
  if (Exit == Closed || exitOf(*Current) == Mark::None)
    return;
  if (Exit == AwaitsReturn) {
    AP.OutStreamer->setAllowAutoPadding(Padding);
    AP.OutStreamer->emitBytes("\xcc\xcc\xcc\xcc");
    checkReturn(*Return);
  }
  Exit = Closed;
  if (Remembered)
    AP.OutStreamer->emitCFIRestoreState(SMLoc());
  Remembered = false;
}

void SledEmitter::endFunction(const MachineFunction *MF) {
  if (!EntrySymbol)
    return;
  if (EntryLabel && !Emitted)
    return lost("entry");
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
  if (MF->getFunction().hasFnAttribute(NamesAttr))
    Table.addName(*static_cast<const MCSectionELF *>(MF->getSection()),
                  EntrySymbol, AP.CurrentFnSym->getName());
}

} // namespace tp
