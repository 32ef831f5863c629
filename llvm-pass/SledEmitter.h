// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows an AsmPrinter's output. Writes a table record for each sled. If sleds
// are not instructions, the target writes the sleds' bytes when the emitter
// calls it. Each AsmPrinter has one emitter, on the AsmPrinter's thread.

#ifndef TP_SLEDEMITTER_H
#define TP_SLEDEMITTER_H

#include "LlvmCompat.h"
#include "SledTarget.h"
#include "TableWriter.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class MCSectionELF;
} // namespace llvm

namespace tp {

class SledEmitter : public InstructionHandler {
public:
  explicit SledEmitter(llvm::AsmPrinter &AP) : AP(AP), Table(AP) {}

  void beginFunction(const llvm::MachineFunction *MF) override;
  void beginInstruction(const llvm::MachineInstr *MI) override;
  void endInstruction() override;
  void endFunction(const llvm::MachineFunction *MF) override;
  void endModule() override {}

private:
  bool findEntry(const llvm::MachineFunction &MF);
  void emitEntry();
  void openExit(const llvm::MachineInstr &Label, SledLabel Kind);
  void prepareExit(const llvm::MCSymbol &Label);
  void addExitRecord(llvm::MCSymbol *Label, SledLabel Kind,
                     const llvm::MachineInstr &Leaving);
  void closeExit();
  void correctUnwinding(const llvm::MachineInstr &Leaving);
  void rememberUnwinding(const llvm::MachineInstr &Leaving);
  void restoreRegisters(const llvm::MachineInstr &Leaving);
  void leaveFrame(const llvm::MachineInstr &Leaving);
  void addRecord(llvm::MCSymbol *Sled, uint8_t Kind, unsigned Size,
                 unsigned Slot, uint8_t Needs);
  void reportLost(llvm::StringRef What);

  llvm::AsmPrinter &AP;
  TableWriter Table;

  // The members below are about the current function.

  const SledTarget *Target = nullptr;
  bool HasExits = false;
  const llvm::MachineInstr *EntryLabel = nullptr;
  const llvm::MachineInstr *Current = nullptr;
  /// Set if the function has sleds at all.
  llvm::MCSymbol *EntrySymbol = nullptr;
  SledLayout Layout;
  /// The number of nops before the entry label if the function has an entry
  /// sled, and the number of exits that use some of these nops.
  unsigned NopsBefore = 0, ExitSlots = 0;
  bool EntryEmitted = false;

  /// What the emitter still expects after the last exit's label.
  enum { Closed, AwaitsReturn, AwaitsBytes, AwaitsNothing } Exit = Closed;
  ExitSled Sled = {};
  /// The exit's label, if AwaitsReturn.
  const llvm::MCSymbol *ReturnLabel = nullptr;
  /// If AwaitsReturn: whether the streamer may pad code again after the return.
  bool AutoPadding = false;
  /// The unwind state must be restored after the exit.
  bool Remembered = false;

  /// The records are written at the function's end, as they belong to other
  /// sections.
  struct Pending {
    const llvm::MCSectionELF *Text;
    SledRecord Record;
  };
  llvm::SmallVector<Pending, 8> Records;
};

} // namespace tp

#endif
