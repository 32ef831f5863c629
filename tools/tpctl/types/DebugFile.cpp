// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DebugFile.h.

#include "DebugFile.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace tpctl::types {
namespace {

/// The bytes of units that are parsed in one context. The parsed form has about
/// four times as many.
constexpr uint64_t MostAtOnce = uint64_t{32} << 20;

void ignore(Error E) { consumeError(std::move(E)); }

bool isScopeTag(Tag T) {
  return T == DW_TAG_namespace || T == DW_TAG_structure_type ||
         T == DW_TAG_class_type || T == DW_TAG_union_type;
}

bool isTypeTag(Tag T) {
  return isScopeTag(T) ? T != DW_TAG_namespace
                       : T == DW_TAG_enumeration_type || T == DW_TAG_typedef ||
                             T == DW_TAG_base_type;
}

} // namespace

Entry Entry::at(Attribute Which) const {
  DWARFDie To = Die.getAttributeValueAsReferencedDie(Which);
  return with(To ? To.resolveTypeUnitReference() : To);
}

Entry Entry::type() const {
  Entry Of = *this;
  // Damaged debug information may refer in a circle.
  for (unsigned I = 0; Of && I < 8; ++I) {
    if (Entry Found = Of.at(DW_AT_type))
      return Found;
    Entry Next = Of.at(DW_AT_abstract_origin);
    Of = Next ? Next : Of.at(DW_AT_specification);
  }
  return with({});
}

std::optional<uint64_t> Entry::number(Attribute Which) const {
  auto Value = Die.findRecursively(Which);
  if (!Value)
    return std::nullopt;
  if (auto Unsigned = Value->getAsUnsignedConstant())
    return Unsigned;
  if (auto Signed = Value->getAsSignedConstant())
    return static_cast<uint64_t>(*Signed);
  return std::nullopt;
}

bool Entry::flag(Attribute Which) const {
  return toUnsigned(Die.findRecursively(Which), 0) != 0;
}

StringRef Entry::name() const {
  const char *Name = Die.isValid() ? Die.getShortName() : nullptr;
  return Name ? Name : "";
}

Expected<std::shared_ptr<DebugFile>> DebugFile::open(StringRef Path) {
  auto File = object::ObjectFile::createObjectFile(Path);
  if (!File)
    return File.takeError();
  return std::shared_ptr<DebugFile>(new DebugFile(std::move(*File)));
}

std::shared_ptr<DWARFContext> DebugFile::context() {
  if (!Current || Spent > MostAtOnce) {
    Current = DWARFContext::create(
        *File.getBinary(), DWARFContext::ProcessDebugRelocations::Ignore,
        nullptr, "", ignore, ignore);
    Spent = 0;
    LastUnit = UINT64_MAX;
  }
  return Current;
}

/// A unit is about to be parsed.
void DebugFile::spend(uint64_t Bytes) { Spent += Bytes; }

Entry DebugFile::functionAt(uint64_t Address) {
  auto Context = context();
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(Address);
  if (!Unit)
    return {};
  if (Unit->getOffset() != LastUnit)
    spend(Unit->getLength());
  LastUnit = Unit->getOffset();
  // The code of split DWARF is described in files of its own.
  DWARFDie Root = Unit->getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/false);
  if (!Root)
    return {};
  DWARFDie Found = Root.getDwarfUnit()->getSubroutineForAddress(Address);
  while (Found && Found.getTag() != DW_TAG_subprogram)
    Found = Found.getParent();
  return {std::move(Context), Found};
}

void DebugFile::readName(const DWARFDie &Die, const std::string &Prefix,
                         Place Where, unsigned Depth) {
  Tag T = Die.getTag();
  if (T == DW_TAG_namespace || T == DW_TAG_enumeration_type || isScopeTag(T)) {
    const char *Name = Die.getShortName();
    // The names in an unnamed namespace, and of a C enumeration, are those of
    // the scope around it.
    bool Opens = Name && (T != DW_TAG_enumeration_type ||
                          Die.find(DW_AT_enum_class).has_value());
    std::string Inner = Opens ? Prefix + Name + "::" : Prefix;
    readNames(Die, Inner, Where, Depth + 1);
    if (Name && T == DW_TAG_enumeration_type && !Opens)
      readNames(Die, Prefix + Name + "::", Where, Depth + 1);
  }
  if (Die.find(DW_AT_declaration))
    return;
  Names *To = isTypeTag(T)             ? &Types
              : T == DW_TAG_variable   ? &Variables
              : T == DW_TAG_enumerator ? &Enumerators
                                       : nullptr;
  if (!To || (To == &Variables && !Die.find(DW_AT_location)))
    return;
  Where.Offset = Die.getOffset();
  if (const char *Name = Die.getShortName())
    To->try_emplace(Prefix + Name, Where);
}

void DebugFile::readNames(const DWARFDie &Parent, const std::string &Prefix,
                          Place Where, unsigned Depth) {
  // Damaged debug information may be nested without end.
  if (Depth > 32)
    return;
  for (DWARFDie Die : Parent.children())
    readName(Die, Prefix, Where, Depth);
}

/// A definition of something in a namespace or a class may be outside of it.
/// Then it refers to the declaration there.
static std::string prefixOf(const DWARFDie &Die) {
  std::string Prefix;
  DWARFDie Declared = Die.getAttributeValueAsReferencedDie(DW_AT_specification);
  for (DWARFDie Scope = Declared ? Declared.getParent() : DWARFDie();
       Scope && isScopeTag(Scope.getTag()); Scope = Scope.getParent())
    if (const char *Name = Scope.getShortName())
      Prefix = std::string(Name) + "::" + Prefix;
  return Prefix;
}

DWARFUnit *DebugFile::unitAt(DWARFContext &Context, Place Where) {
  DWARFUnit *Unit = Context.getUnitAtIndex(Where.Unit);
  if (!Unit)
    return nullptr;
  DWARFDie Root = Unit->getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/false);
  return Root ? Root.getDwarfUnit() : nullptr;
}

void DebugFile::readNames(Place Where) {
  auto Context = context();
  DWARFUnit *Unit = unitAt(*Context, Where);
  if (!Unit)
    return;
  spend(Unit->getLength());
  LastUnit = UINT64_MAX;
  for (DWARFDie Die : Unit->getUnitDIE(false).children())
    readName(Die, prefixOf(Die), Where, 0);
}

void DebugFile::readNames() {
  HasNames = true;
  auto First = context();
  // Those of the sections .debug_info and .debug_types.
  auto Count = First->getNumCompileUnits() + size(First->types_section_units());
  for (Place Where; Where.Unit < Count; ++Where.Unit)
    readNames(Where);
}

Entry DebugFile::find(const Names &In, StringRef Name) {
  if (!HasNames)
    readNames();
  Name.consume_front("::");
  auto Found = In.find(Name);
  if (Found == In.end())
    return {};
  auto Context = context();
  DWARFUnit *Unit = unitAt(*Context, Found->second);
  if (!Unit)
    return {};
  spend(Unit->getLength());
  return {std::move(Context), Unit->getDIEForOffset(Found->second.Offset)};
}

Entry DebugFile::findType(StringRef Name) { return find(Types, Name); }

Entry DebugFile::findVariable(StringRef Name) { return find(Variables, Name); }

Entry DebugFile::findEnumerator(StringRef Name) {
  return find(Enumerators, Name);
}

} // namespace tpctl::types
