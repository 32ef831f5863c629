// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rides along with an AsmPrinter: writes the sled's bytes behind its label on
// x86-64, and a table record for each sled. One an AsmPrinter, on its thread.

#ifndef TP_SLEDEMITTER_H
#define TP_SLEDEMITTER_H

#include "SledSpec.h"
#include "TableWriter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"

namespace tp {

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
  void emitNopBytes(unsigned Count);

  llvm::AsmPrinter &AP;
  TableWriter Table;

  // The function at hand.
  const llvm::MachineInstr *EntryLabel = nullptr;
  const llvm::MachineInstr *Current = nullptr;
  llvm::MCSymbol *EntrySymbol = nullptr;
  SledLayout Layout;
  bool Emitted = false;
};

} // namespace tp

#endif
