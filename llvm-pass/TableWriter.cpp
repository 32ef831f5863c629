// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TableWriter.h. clang's own assembler and GNU as must produce the same
// output, independently of clang's option for the version of binutils.

#include "TableWriter.h"
#include "tprt/table.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"

using namespace llvm;

namespace tp {

/// The section \p Name that belongs to \p Text; each text section has such a
/// section. The link order refers to the text section by the label of its first
/// entry.
MCSection *TableWriter::sectionFor(SectionMap &Map, StringRef Name,
                                   const MCSectionELF &Text, MCSymbol *InText) {
  MCSection *&Table = Map[&Text];
  if (Table)
    return Table;
  unsigned Flags = ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER;
  StringRef Group;
  if (const MCSymbol *Signature = Text.getGroup()) {
    Flags |= ELF::SHF_GROUP;
    Group = Signature->getName();
  }
  Table = AP.OutContext.getELFSection(Name, ELF::SHT_PROGBITS, Flags,
                                      /*EntrySize=*/0, Group, Text.isComdat(),
                                      MCSection::NonUniqueID,
                                      static_cast<MCSymbolELF *>(InText));
  return Table;
}

/// `Target - .`, in \p Bytes bytes.
void TableWriter::emitOffset(MCSymbol *Target, unsigned Bytes) {
  MCSymbol *Here = AP.OutContext.createTempSymbol();
  AP.OutStreamer->emitLabel(Here);
  emitDifference(Target, Here, Bytes);
}

void TableWriter::emitDifference(MCSymbol *Target, MCSymbol *From,
                                 unsigned Bytes) {
  MCContext &Context = AP.OutContext;
  AP.OutStreamer->emitValue(
      MCBinaryExpr::createSub(MCSymbolRefExpr::create(Target, Context),
                              MCSymbolRefExpr::create(From, Context), Context),
      Bytes);
}

/// The assembler knows the distances inside a section. So only the first record
/// needs relocations. The relocations of a record would be four times as large
/// as the record.
void TableWriter::add(const MCSectionELF &Text, const SledRecord &R,
                      bool HoldsEntry) {
  if (Tables.empty())
    emitNote(TPRT_NOTE_GROUP, TPRT_TABLE_VERSION, TPRT_TABLE_SECTION);
  MCStreamer &Out = *AP.OutStreamer;
  Out.pushSection();
  Out.switchSection(sectionFor(Tables, TPRT_TABLE_SECTION, Text, R.Sled));
  AP.emitAlignment(Align(4));
  MCSymbol *&Last = LastSleds[&Text];
  bool Near = Last && HoldsEntry;
  if (Near) {
    emitDifference(R.Sled, Last, 4);
    emitDifference(R.Function, R.Sled, 4);
  } else {
    emitOffset(R.Sled, 4);
    emitOffset(R.Function, 4);
  }
  Last = R.Sled;
  const uint8_t Needs = R.Needs | (Near ? TPRT_RECORD_NEAR : 0);
  for (uint8_t Byte : {R.Kind, R.Size, R.Slot, Needs})
    Out.emitInt8(Byte);
  Out.popSection();
}

void TableWriter::addName(const MCSectionELF &Text, MCSymbol *Function,
                          StringRef Name) {
  if (Names.empty())
    emitNote(TPRT_NAMES_GROUP, TPRT_NAMES_VERSION, TPRT_NAMES_SECTION);
  MCStreamer &Out = *AP.OutStreamer;
  Out.pushSection();
  Out.switchSection(sectionFor(Names, TPRT_NAMES_SECTION, Text, Function));
  AP.emitAlignment(Align(4));
  emitOffset(Function, 4);
  // Each name ends with a NUL and is padded to whole words. So the table has no
  // gap between two entries, in whichever order a linker joins sections.
  SmallString<128> Padded = Name;
  Padded.append(4 - Name.size() % 4, '\0');
  Out.emitBytes(Padded);
  Out.popSection();
}

/// The anchor: an empty piece of the table section, linked to the note that
/// refers to that section. Because of the anchor, the linker defines the
/// section's bounds even if it discards every table. Without bounds, gold and
/// mold refuse to link: position-independent code cannot hold a difference to
/// an undefined symbol. The anchor has the flags of the tables; otherwise mold
/// would make two sections.
void TableWriter::emitAnchor(StringRef Group, StringRef Section,
                             MCSymbol *Note) {
  AP.OutStreamer->switchSection(AP.OutContext.getELFSection(
      Section, ELF::SHT_PROGBITS,
      ELF::SHF_ALLOC | ELF::SHF_GROUP | ELF::SHF_LINK_ORDER, /*EntrySize=*/0,
      Group, /*IsComdat=*/true, MCSection::NonUniqueID,
      static_cast<MCSymbolELF *>(Note)));
  AP.emitAlignment(Align(4));
}

/// The note comes before the first table. With --gc-sections, GNU ld may keep
/// the first section with a table's name because of the note. In this order,
/// the kept section is the anchor, not a table.
void TableWriter::emitNote(StringRef Group, uint32_t Type, StringRef Section) {
  constexpr StringLiteral Name = TPRT_NOTE_NAME;
  MCContext &Context = AP.OutContext;
  MCStreamer &Out = *AP.OutStreamer;
  Out.pushSection();
  Out.switchSection(Context.getELFSection(
      TPRT_NOTE_SECTION, ELF::SHT_NOTE,
      ELF::SHF_ALLOC | ELF::SHF_GROUP | ELF::SHF_GNU_RETAIN, /*EntrySize=*/0,
      Group, /*IsComdat=*/true));
  AP.emitAlignment(Align(4));
  MCSymbol *Note = Context.createTempSymbol("tp_note");
  Out.emitLabel(Note);
  Out.emitInt32(Name.size() + 1);
  Out.emitInt32(sizeof(tprt_note_desc));
  Out.emitInt32(Type);
  Out.emitBytes(StringRef(Name.data(), Name.size() + 1));
  AP.emitAlignment(Align(4));
  for (StringRef Bound : {"__start_", "__stop_"}) {
    // Weak, because a linker script may leave the section out, and because
    // older objects have no anchor. Hidden, because each module has its own
    // bounds.
    MCSymbol *Symbol = Context.getOrCreateSymbol(Bound + Section);
    Out.emitSymbolAttribute(Symbol, MCSA_Weak);
    Out.emitSymbolAttribute(Symbol, MCSA_Hidden);
    emitOffset(Symbol, 8);
  }
  emitAnchor(Group, Section, Note);
  Out.popSection();
}

} // namespace tp
