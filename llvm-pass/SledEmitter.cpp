// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledEmitter.h. The bytes do not go through AsmPrinter::emitNops, which
// prints nothing in assembly output: the record would point at other code.

#include "SledEmitter.h"
#include "HandlerNeeds.h"
#include "tprt/table.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
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
static constexpr StringLiteral Nops[] = {
    "",
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
    AP.OutStreamer->emitBytes(StringRef(Nops[Step].data(), Step));
    Count -= Step;
  }
}

/// 66 90 as an instruction, so that listings show it. The opcode and register
/// numbers are the target's own affair; their names are stable.
void SledEmitter::emitShortNop() {
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
  Emitted = false;
  const Function &F = MF->getFunction();
  if (!entrySpecOf(F))
    return;
  EntryLabel = findEntryLabel(*MF);
  auto Found = layoutOf(F);
  if (!EntryLabel || !Found) {
    F.getContext().emitError("tp: no sled was made for '" + F.getName() +
                             "': the passes tp-sleds and tp-layout must run");
    EntryLabel = nullptr;
    return;
  }
  Layout = *Found;
  // A named one: sections linked to nameless labels would all be the same to
  // MCContext.
  EntrySymbol = AP.OutContext.createNamedTempSymbol("tp_entry");
  AP.OutStreamer->emitLabel(EntrySymbol);
}

void SledEmitter::beginInstruction(const MachineInstr *MI) {
  Current = MI;
  if (EntryLabel && MI == EntryLabel && AP.TM.getTargetTriple().isX86())
    emitNopBytes(Layout.Filler);
}

void SledEmitter::endInstruction() {
  if (!EntryLabel || Current != EntryLabel)
    return;
  Emitted = true;
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

void SledEmitter::endFunction(const MachineFunction *MF) {
  if (!EntryLabel)
    return;
  const Function &F = MF->getFunction();
  if (!Emitted) {
    F.getContext().emitError("tp: the sled of '" + F.getName() +
                             "' was lost in code generation");
    return;
  }
  Table.add(*static_cast<const MCSectionELF *>(MF->getSection()),
            {EntryLabel->getOperand(0).getMCSymbol(), EntrySymbol,
             uint8_t(TPRT_RECORD_KIND(TPRT_RECORD_ENTRY, Layout.Shape) |
                     entryLive(F)),
             uint8_t(std::min(Layout.Bytes, 255u)), uint8_t(Layout.Slot),
             entryNeeds(F)});
}

} // namespace tp
