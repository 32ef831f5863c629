// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes section tp_sleds and the note that leads to it; docs/table-abi.md is
// the format. One writer an AsmPrinter, on that AsmPrinter's thread.

#ifndef TP_TABLEWRITER_H
#define TP_TABLEWRITER_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace llvm {
class AsmPrinter;
class MCExpr;
class MCSection;
class MCSectionELF;
class MCSymbol;
} // namespace llvm

namespace tp {

struct SledRecord {
  llvm::MCSymbol *Sled;
  llvm::MCSymbol *Function; ///< a local label at the entry
  uint8_t Kind;
  uint8_t Size;
  uint8_t Slot;
  uint8_t Needs;
};

class TableWriter {
public:
  explicit TableWriter(llvm::AsmPrinter &AP) : AP(AP) {}

  /// Appends \p R to the table of the text section \p Text.
  void add(const llvm::MCSectionELF &Text, const SledRecord &R);
  /// Writes the note, if any record was added.
  void finish();

private:
  llvm::MCSection *tableFor(const llvm::MCSectionELF &Text,
                            llvm::MCSymbol *InText);
  void emitOffset(llvm::MCSymbol *Target, unsigned Bytes);

  llvm::AsmPrinter &AP;
  llvm::DenseMap<const llvm::MCSectionELF *, llvm::MCSection *> Tables;
};

} // namespace tp

#endif
