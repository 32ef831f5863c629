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

std::vector<DWARFDie> childrenOf(const DWARFDie &Parent) {
  std::vector<DWARFDie> Result;
  for (DWARFDie Child = Parent.getFirstChild(); Child && !Child.isNULL();
       Child = Child.getSibling())
    Result.push_back(Child);
  return Result;
}

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

std::optional<unsigned> DebugFile::unitAt(uint64_t Address) {
  auto Context = context();
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(Address);
  if (!Unit)
    return std::nullopt;
  // Units are in the order of their offsets.
  unsigned First = 0, Last = Context->getNumCompileUnits();
  while (First + 1 < Last) {
    unsigned Middle = First + (Last - First) / 2;
    bool IsBefore =
        Unit->getOffset() < Context->getUnitAtIndex(Middle)->getOffset();
    (IsBefore ? Last : First) = Middle;
  }
  return First;
}

/// See Place::Mark.
static uint32_t markOf(const DWARFDie &Die, StringRef Name) {
  auto numberOf = [](const DWARFDie &Of, Attribute Which) {
    auto Value = Of.find(Which);
    return Value ? Value->getRawUValue() : 0;
  };
  if (Die.getTag() == DW_TAG_enumerator)
    return static_cast<uint32_t>(hash_value(numberOf(Die, DW_AT_const_value))) |
           1;
  if (Die.getTag() != DW_TAG_typedef)
    return static_cast<uint32_t>(hash_value(numberOf(Die, DW_AT_byte_size))) |
           1;
  DWARFDie To = Die.getAttributeValueAsReferencedDie(DW_AT_type);
  const char *Target = To ? To.getShortName() : nullptr;
  // In C, most structures have a typedef of their own name.
  if (Target && Target == Name)
    return 0;
  return static_cast<uint32_t>(
             hash_combine(StringRef(Target ? Target : ""),
                          To ? numberOf(To, DW_AT_byte_size) : 0,
                          To ? static_cast<unsigned>(To.getTag()) : 0)) |
         1;
}

void DebugFile::add(Names &To, StringRef Name, const Place &New) {
  auto [At, IsNew] = To.try_emplace(Name, New);
  Place &Old = At->second;
  if (IsNew || Old.IsExternal)
    return;
  if (New.IsExternal || (!Old.Mark && New.Mark))
    Old = New;
  else if (New.Unit != Old.Unit && New.Mark && New.Mark != Old.Mark)
    Old.IsAmbiguous = true;
}

void DebugFile::readName(Index &To, const DWARFDie &Die,
                         const std::string &Prefix, Place Where,
                         unsigned Depth) {
  Tag T = Die.getTag();
  if (T == DW_TAG_namespace || T == DW_TAG_enumeration_type || isScopeTag(T)) {
    const char *Name = Die.getShortName();
    // The names in an unnamed namespace, and of a C enumeration, are those of
    // the scope around it.
    bool Opens = Name && (T != DW_TAG_enumeration_type ||
                          Die.find(DW_AT_enum_class).has_value());
    std::string Inner = Opens ? Prefix + Name + "::" : Prefix;
    readNames(To, Die, Inner, Where, Depth + 1);
    if (Name && T == DW_TAG_enumeration_type && !Opens)
      readNames(To, Die, Prefix + Name + "::", Where, Depth + 1);
  }
  if (Die.find(DW_AT_declaration))
    return;
  Names *In = isTypeTag(T)             ? &To.Types
              : T == DW_TAG_variable   ? &To.Variables
              : T == DW_TAG_enumerator ? &To.Enumerators
                                       : nullptr;
  const char *Name = Die.getShortName();
  if (!In || !Name ||
      (T == DW_TAG_variable && !Die.find({DW_AT_location, DW_AT_const_value})))
    return;
  Where.Offset = Die.getOffset();
  if (T == DW_TAG_variable) {
    Where.IsExternal = toUnsigned(Die.findRecursively(DW_AT_external), 0) != 0;
    // Those of two source files are two variables.
    Where.Mark = Where.Unit + 1;
  } else {
    Where.Mark = markOf(Die, Name);
  }
  add(*In, Prefix + Name, Where);
}

void DebugFile::readNames(Index &To, const DWARFDie &Parent,
                          const std::string &Prefix, Place Where,
                          unsigned Depth) {
  // Damaged debug information may be nested without end.
  if (Depth > 32)
    return;
  for (DWARFDie Die : childrenOf(Parent))
    readName(To, Die, Prefix, Where, Depth);
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

void DebugFile::readNames(Index &To, Place Where) {
  auto Context = context();
  DWARFUnit *Unit = unitAt(*Context, Where);
  if (!Unit)
    return;
  spend(Unit->getLength());
  LastUnit = UINT64_MAX;
  for (DWARFDie Die : childrenOf(Unit->getUnitDIE(false)))
    readName(To, Die, prefixOf(Die), Where, 0);
}

void DebugFile::readNames() {
  HasNames = true;
  auto First = context();
  // Those of the sections .debug_info and .debug_types.
  auto Count = First->getNumCompileUnits() + size(First->types_section_units());
  for (Place Where; Where.Unit < Count; ++Where.Unit)
    readNames(All, Where);
}

Entry DebugFile::find(Names Index::*Kind, StringRef Name, UnitNumber In) {
  Name.consume_front("::");
  if (In && In != OwnUnit) {
    Own = Index();
    Place Where;
    Where.Unit = *In;
    readNames(Own, Where);
    OwnUnit = In;
  }
  std::optional<Place> Found;
  if (auto It = (Own.*Kind).find(Name); In && It != (Own.*Kind).end())
    Found = It->second;
  // A typedef may be of a structure that another unit defines.
  if (!Found || !Found->Mark) {
    if (!HasNames)
      readNames();
    auto It = (All.*Kind).find(Name);
    if (It != (All.*Kind).end() && !It->second.IsAmbiguous)
      Found = It->second;
  }
  if (!Found)
    return {};
  auto Context = context();
  DWARFUnit *Unit = unitAt(*Context, *Found);
  if (!Unit)
    return {};
  spend(Unit->getLength());
  return {std::move(Context), Unit->getDIEForOffset(Found->Offset)};
}

Entry DebugFile::findType(StringRef Name, UnitNumber In) {
  return find(&Index::Types, Name, In);
}

Entry DebugFile::findVariable(StringRef Name, UnitNumber In) {
  return find(&Index::Variables, Name, In);
}

Entry DebugFile::findEnumerator(StringRef Name, UnitNumber In) {
  return find(&Index::Enumerators, Name, In);
}

bool DebugFile::isAmbiguous(StringRef Name) {
  Name.consume_front("::");
  auto isIn = [&](const Names &In) {
    auto Found = In.find(Name);
    return Found != In.end() && Found->second.IsAmbiguous;
  };
  return isIn(All.Types) || isIn(All.Variables) || isIn(All.Enumerators);
}

} // namespace tpctl::types
