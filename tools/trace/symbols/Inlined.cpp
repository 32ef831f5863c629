// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inlined.h. An inlined call refers to the function by the offset of the
// function's abstract entry, which after LTO may be in another unit; so the
// names of abstract entries are looked up where an inlined call refers to them,
// each once. LLVM keeps all entries that it has parsed, so after some units
// their memory is freed with the context, and another context continues.

#include "Inlined.h"

#include "Readable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;

namespace tp::trace {
namespace {

/// The bytes of units that are parsed in one context.
constexpr size_t MostAtOnce = size_t(32) << 20;

std::string nameOf(const DWARFDie &Function) {
  if (const char *Linked = Function.getLinkageName())
    return Linked;
  const char *Short = Function.getShortName();
  return Short ? Short : "";
}

/// The function in whose code the entry is.
DWARFDie callerOf(DWARFDie Entry) {
  while (Entry && Entry.getTag() != dwarf::DW_TAG_subprogram)
    Entry = Entry.getParent();
  if (Entry)
    if (DWARFDie Origin = Entry.getAttributeValueAsReferencedDie(
            dwarf::DW_AT_abstract_origin))
      return Origin;
  return Entry;
}

class Search {
public:
  explicit Search(const NameGlob &Name) : Name(Name) {}

  /// Searches the units from \p First on, and returns the number of the first
  /// unit that was left out.
  size_t run(DWARFContext &Context, size_t First) {
    size_t Number = 0, Read = 0;
    for (const std::unique_ptr<DWARFUnit> &Unit : Context.compile_units()) {
      if (Number++ < First)
        continue;
      if ((Read += Unit->getLength()) > MostAtOnce && Number - 1 > First)
        return Number - 1;
      // The code of split DWARF is in files of its own.
      DWARFDie Root = Unit->getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/false);
      if (!Root)
        continue;
      DWARFUnit *Full = Root.getDwarfUnit();
      // Offsets count from the beginning of such a file.
      if (Full != Unit.get())
        Matches.clear();
      for (const DWARFDebugInfoEntry &Entry : Full->dies())
        if (Entry.getTag() == dwarf::DW_TAG_inlined_subroutine)
          visit(Context, DWARFDie(Full, &Entry));
        else if (Entry.getTag() == dwarf::DW_TAG_subprogram)
          visitFunction(DWARFDie(Full, &Entry));
      if (Full != Unit.get())
        Matches.clear();
    }
    return Number;
  }

  std::optional<InlinedCall> Found;
  /// Such a function exists, with code of its own.
  bool IsFunction = false;

private:
  void visitFunction(DWARFDie Function) {
    if (IsFunction ||
        !Function.find({dwarf::DW_AT_low_pc, dwarf::DW_AT_ranges}))
      return;
    DWARFDie Origin =
        Function.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    IsFunction = isMatch(Origin ? Origin : Function);
  }

  void visit(DWARFContext &Context, DWARFDie Call) {
    DWARFDie Origin =
        Call.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    if (!Origin || !isMatch(Origin))
      return;
    if (Found) {
      ++Found->Others;
      return;
    }
    Found.emplace();
    Found->Function = readableName(nameOf(Origin));
    if (DWARFDie Caller = callerOf(Call))
      Found->Caller = readableName(nameOf(Caller));
    uint32_t File = 0, Column = 0, Discriminator = 0;
    Call.getCallerFrame(File, Found->Line, Column, Discriminator);
    if (auto *Lines = Context.getLineTableForUnit(Call.getDwarfUnit()))
      Lines->getFileNameByIndex(
          File, Call.getDwarfUnit()->getCompilationDir(),
          DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath, Found->File);
  }

  bool isMatch(const DWARFDie &Origin) {
    auto [At, IsNew] = Matches.try_emplace(Origin.getOffset(), false);
    if (IsNew) {
      std::string Linked = nameOf(Origin);
      At->second = !Linked.empty() &&
                   Name.match(Linked, readableName(Linked)) != NameMatch::None;
    }
    return At->second;
  }

  const NameGlob &Name;
  DenseMap<uint64_t, bool> Matches; ///< by offset of the abstract entry
};

} // namespace

std::optional<InlinedCall> findInlined(StringRef Path, const NameGlob &Name) {
  Module M;
  M.Path = Path.str();
  FoundBinary File = BinaryFinder().find(M);
  if (File.What != FoundBinary::Found || !File.HasLines)
    return std::nullopt;
  auto Binary = object::ObjectFile::createObjectFile(File.Path);
  if (!Binary) {
    consumeError(Binary.takeError());
    return std::nullopt;
  }
  Search All(Name);
  for (size_t Next = 0;;) {
    auto Context = DWARFContext::create(
        *Binary->getBinary(), DWARFContext::ProcessDebugRelocations::Ignore,
        nullptr, "", [](Error E) { consumeError(std::move(E)); },
        [](Error E) { consumeError(std::move(E)); });
    Next = All.run(*Context, Next);
    if (All.IsFunction)
      return std::nullopt;
    if (Next >= Context->getNumCompileUnits())
      return All.Found;
  }
}

} // namespace tp::trace
