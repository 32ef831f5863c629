// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the sections tp_sleds and tp_names and the notes that refer to them.
// docs/reference/table-abi.md defines the format. Each AsmPrinter has one
// writer, on the AsmPrinter's thread.

#ifndef TP_TABLEWRITER_H
#define TP_TABLEWRITER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
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
  /// A local label at the entry.
  llvm::MCSymbol *Function;
  uint8_t Kind;
  uint8_t Size;
  uint8_t Slot;
  uint8_t Needs;
};

class TableWriter {
public:
  explicit TableWriter(llvm::AsmPrinter &AP) : AP(AP) {}

  /// Appends \p R to the table of the text section \p Text, which contains the
  /// sled. \p HoldsEntry says that \p Text contains the entry label as well.
  void add(const llvm::MCSectionELF &Text, const SledRecord &R,
           bool HoldsEntry);
  /// Keeps \p Name for the function whose entry label is \p Function.
  void addName(const llvm::MCSectionELF &Text, llvm::MCSymbol *Function,
               llvm::StringRef Name);

private:
  using SectionMap =
      llvm::DenseMap<const llvm::MCSectionELF *, llvm::MCSection *>;

  llvm::MCSection *sectionFor(SectionMap &Map, llvm::StringRef Name,
                              const llvm::MCSectionELF &Text,
                              llvm::MCSymbol *InText);
  void emitAnchor(llvm::StringRef Group, llvm::StringRef Section,
                  llvm::MCSymbol *Note);
  void emitNote(llvm::StringRef Group, uint32_t Type, llvm::StringRef Section);
  void emitOffset(llvm::MCSymbol *Target, unsigned Bytes);
  void emitDifference(llvm::MCSymbol *Target, llvm::MCSymbol *From,
                      unsigned Bytes);

  llvm::AsmPrinter &AP;
  SectionMap Tables, Names;
  /// The sled of the last record in each text section.
  llvm::DenseMap<const llvm::MCSectionELF *, llvm::MCSymbol *> LastSleds;
};

} // namespace tp

#endif
