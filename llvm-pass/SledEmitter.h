// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rides along with an AsmPrinter: writes the sled's bytes behind its label on
// x86-64, and a table record for each sled. One an AsmPrinter, on its thread.

#ifndef TP_SLEDEMITTER_H
#define TP_SLEDEMITTER_H

#include "SledSpec.h"
#include "TableWriter.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"

namespace tp {

enum class Mark;

class SledEmitter : public llvm::AsmPrinterHandler {
public:
  explicit SledEmitter(llvm::AsmPrinter &AP) : AP(AP), Table(AP) {}

  void beginFunction(const llvm::MachineFunction *MF) override;
  void beginInstruction(const llvm::MachineInstr *MI) override;
  void endInstruction() override;
  void endFunction(const llvm::MachineFunction *MF) override;
  void endModule() override { Table.finish(); }

private:
  void emitShortNop();
  void checkReturn(const llvm::MCSymbol &Sled);
  void emitNopBytes(unsigned Count);
  void openEntry();
  void emitEntryBytes();
  void openExit(const llvm::MachineInstr &Label, Mark M);
  void sayRestored(const llvm::MachineInstr &Leaving);
  void addRecord(llvm::MCSymbol *Sled, uint8_t Kind, unsigned Size,
                 unsigned Slot, uint8_t Needs);
  void lost(llvm::StringRef What);

  llvm::AsmPrinter &AP;
  TableWriter Table;

  // The function at hand.
  bool IsX86 = false;
  bool HasExits = false;
  const llvm::MachineInstr *EntryLabel = nullptr;
  const llvm::MachineInstr *Current = nullptr;
  llvm::MCSymbol *EntrySymbol = nullptr; ///< set if there are sleds at all
  SledLayout Layout;
  bool Emitted = false;

  /// The last exit's state: what is still to come behind its label.
  enum { Closed, AwaitsReturn, AwaitsNop, AwaitsNothing } Exit = Closed;
  const llvm::MCSymbol *Return = nullptr; ///< the label, if AwaitsReturn
  bool Padding = false;    ///< what to give back to the streamer behind it
  bool Remembered = false; ///< there is unwind state to go back to behind it

  /// Written at the function's end, as they belong to other sections.
  struct Pending {
    const llvm::MCSectionELF *Text;
    SledRecord Record;
  };
  llvm::SmallVector<Pending, 8> Records;
};

} // namespace tp

#endif
