// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FileSites.h.

#include "FileSites.h"

#include "NameGlob.h"
#include "names/glob.h"
#include "names/match.h"
#include "shared/Progress.h"
#include "tprt/table.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;
using tp::trace::NameGlob;
using tp::trace::NameMatch;
using namespace llvm::object;
using support::endian::read;

namespace tpctl {
namespace {

/// The type of notes that earlier versions of tprt/trace.h made for sleds of
/// points, when the table of points had another format.
constexpr uint32_t EarlierPoints = 4;

/// Reads addresses of a linked file, as a loader maps it.
class Linked {
public:
  static Expected<std::unique_ptr<Linked>> open(StringRef Path);
  Error readSleds(std::vector<LiveSite> &To);
  Error readPoints(std::vector<LiveSite> &To);

private:
  struct Extent {
    uint64_t Begin = 0, End = 0;
  };
  Error fault(const Twine &What) const {
    return createStringError("'" + Path + "': " + What);
  }
  Expected<StringRef> bytes(uint64_t Address, uint64_t Size) const;
  template <typename T> Expected<T> number(uint64_t Address) const;
  Expected<Extent> table(uint32_t Type, StringRef Section) const;
  Extent section(StringRef Name) const;
  Error readNames();
  Error readKeptNames();
  Error readPoint(uint64_t Sled, std::vector<LiveSite> &To) const;

  std::string Path;
  OwningBinary<ObjectFile> Owner;
  const ELF64LEFile *File = nullptr;
  ArrayRef<ELF64LEFile::Elf_Phdr> Segments;
  std::map<uint64_t, std::string> Names; ///< as linked
};

Expected<std::unique_ptr<Linked>> Linked::open(StringRef Path) {
  auto Made = std::make_unique<Linked>();
  Made->Path = Path.str();
  auto Opened = ObjectFile::createObjectFile(Path);
  if (!Opened)
    return Made->fault(toString(Opened.takeError()));
  Made->Owner = std::move(*Opened);
  auto *Elf = dyn_cast<ELF64LEObjectFile>(Made->Owner.getBinary());
  if (!Elf)
    return Made->fault("it is not a little-endian 64-bit ELF file");
  Made->File = &Elf->getELFFile();
  auto Segments = Made->File->program_headers();
  if (!Segments)
    return Made->fault(toString(Segments.takeError()));
  if (Segments->empty())
    return Made->fault(
        "it is not linked: list accepts executables and shared libraries");
  Made->Segments = *Segments;
  if (Error E = Made->readNames())
    return E;
  return Made;
}

Expected<StringRef> Linked::bytes(uint64_t Address, uint64_t Size) const {
  for (const auto &S : Segments)
    if (S.p_type == ELF::PT_LOAD && Address >= S.p_vaddr &&
        Address - S.p_vaddr <= S.p_filesz &&
        Size <= S.p_filesz - (Address - S.p_vaddr)) {
      uint64_t At = S.p_offset + (Address - S.p_vaddr);
      if (At <= File->getBufSize() && Size <= File->getBufSize() - At)
        return StringRef(reinterpret_cast<const char *>(File->base()) + At,
                         Size);
    }
  return fault("its tables point past the end of the file");
}

template <typename T> Expected<T> Linked::number(uint64_t Address) const {
  auto Bytes = bytes(Address, sizeof(T));
  if (!Bytes)
    return Bytes.takeError();
  return read<T, endianness::little>(Bytes->data());
}

/// The loaded section of this name, or an empty extent if there is none.
Linked::Extent Linked::section(StringRef Name) const {
  auto Sections = File->sections();
  if (!Sections)
    return consumeError(Sections.takeError()), Extent();
  for (const auto &Section : *Sections) {
    auto Found = File->getSectionName(Section);
    if (Found && *Found == Name && Section.sh_flags & ELF::SHF_ALLOC)
      return {Section.sh_addr, Section.sh_addr + Section.sh_size};
    consumeError(Found.takeError());
  }
  return Extent();
}

/// The table that a note of this type refers to, or an empty one if there is
/// none. The section's header is tried first, because patchelf moves notes, and
/// a moved note refers to a wrong address. The note is needed because a linker
/// script may have put the table into another section.
Expected<Linked::Extent> Linked::table(uint32_t Type, StringRef Section) const {
  for (const auto &S : Segments) {
    if (S.p_type != ELF::PT_NOTE)
      continue;
    Error Bad = Error::success();
    for (auto N : File->notes(S, Bad)) {
      if (N.getName() != TPRT_NOTE_NAME || N.getType() != Type)
        continue;
      ArrayRef<uint8_t> Ends = N.getDesc(S.p_align);
      if (Ends.size() != 16)
        continue;
      uint64_t At = S.p_vaddr + static_cast<uint64_t>(
                                    Ends.data() - File->base() - S.p_offset);
      auto Begin = number<uint64_t>(At), End = number<uint64_t>(At + 8);
      if (!Begin || !End) {
        consumeError(std::move(Bad));
        return joinErrors(Begin.takeError(), End.takeError());
      }
      consumeError(std::move(Bad));
      if (Extent Of = section(Section); Of.End > Of.Begin)
        return Of;
      Extent Of = {At + *Begin, At + 8 + *End};
      return Of.End > Of.Begin ? Of : Extent();
    }
    if (Bad)
      return fault(toString(std::move(Bad)));
  }
  return Extent();
}

/// Leaves out the names of a damaged symbol table.
Error Linked::readNames() {
  auto Sections = File->sections();
  if (!Sections)
    return consumeError(Sections.takeError()), readKeptNames();
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_SYMTAB &&
        Section.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto Symbols = File->symbols(&Section);
    auto Strings = File->getStringTableForSymtab(Section);
    if (Symbols && Strings) {
      Progress Shown("names of " + Path, Symbols->size());
      for (const auto &Symbol : *Symbols) {
        Shown.at(static_cast<uint64_t>(&Symbol - Symbols->begin()));
        auto Name = Symbol.getName(*Strings);
        if (Name && Symbol.getType() == ELF::STT_FUNC && Symbol.isDefined())
          Names.try_emplace(Symbol.st_value, Name->str());
        consumeError(Name.takeError());
      }
    }
    consumeError(Symbols.takeError());
    consumeError(Strings.takeError());
  }
  return readKeptNames();
}

/// The names for stripped files, which the compiler keeps if a flag requests
/// that.
Error Linked::readKeptNames() {
  auto Of = table(TPRT_NAMES_VERSION, TPRT_NAMES_SECTION);
  if (!Of)
    return Of.takeError();
  if (Of->Begin == Of->End)
    return Error::success();
  auto All = bytes(Of->Begin, Of->End - Of->Begin);
  if (!All)
    return All.takeError();
  for (StringRef Rest = *All; Rest.size() > 4;) {
    uint64_t At = Of->Begin + All->size() - Rest.size();
    uint64_t Function =
        At + static_cast<uint64_t>(static_cast<int64_t>(
                 read<int32_t, endianness::little>(Rest.data())));
    StringRef Name = Rest.drop_front(4).split('\0').first;
    Names.try_emplace(Function, Name.str());
    Rest =
        Rest.drop_front(std::min(Rest.size(), alignTo(4 + Name.size() + 1, 4)));
  }
  return Error::success();
}

Error Linked::readSleds(std::vector<LiveSite> &To) {
  constexpr uint64_t RecordBytes = 12;
  auto Of = table(TPRT_TABLE_VERSION, TPRT_TABLE_SECTION);
  if (!Of)
    return Of.takeError();
  std::set<uint64_t> Seen; // gold leaves duplicate records
  uint64_t Sled = 0;
  Progress Shown("sleds of " + Path, Of->End - Of->Begin);
  for (uint64_t At = Of->Begin; At + RecordBytes <= Of->End;
       At += RecordBytes) {
    Shown.at(At - Of->Begin);
    auto Bytes = bytes(At, RecordBytes);
    if (!Bytes)
      return Bytes.takeError();
    auto field = [&](size_t Offset) {
      return static_cast<uint64_t>(static_cast<int64_t>(
          read<int32_t, endianness::little>(Bytes->data() + Offset)));
    };
    auto byte = [&](size_t Offset) {
      return static_cast<uint8_t>((*Bytes)[Offset]);
    };
    bool Near = byte(11) & TPRT_RECORD_NEAR;
    Sled = (Near ? Sled : At) + field(0);
    LiveSite S;
    S.Sled = Sled;
    S.Function = Near ? Sled + field(4) : At + 4 + field(4);
    S.Kind = byte(8) & 3;
    S.Shape = byte(8) >> 4 & 7;
    S.Module = Path;
    if (auto Name = Names.find(S.Function); Name != Names.end())
      S.Name = Name->second;
    if (Seen.insert(Sled).second)
      To.push_back(std::move(S));
  }
  return Error::success();
}

Error Linked::readPoint(uint64_t Sled, std::vector<LiveSite> &To) const {
  uint64_t At = Sled + TPRT_POINT_DESCRIPTOR_AT;
  auto Distance = number<int32_t>(At);
  if (!Distance)
    return Distance.takeError();
  uint64_t From = At + static_cast<uint64_t>(int64_t{*Distance});
  auto Head = bytes(From, 16);
  if (!Head)
    return Head.takeError();
  auto size = [&](size_t Offset) -> uint64_t {
    return read<uint16_t, endianness::little>(Head->data() + Offset);
  };
  uint64_t Arguments = static_cast<uint8_t>((*Head)[2]);
  auto Texts = bytes(From + 16, Arguments + 1 + size(8) + size(10) + size(12));
  if (!Texts)
    return Texts.takeError();
  StringRef Rest = Texts->drop_front(Arguments + 1);
  auto next = [&](uint64_t Bytes) {
    StringRef Text = Rest.take_front(Bytes).split('\0').first;
    Rest = Rest.drop_front(Bytes);
    return Text.str();
  };
  LiveSite S;
  S.Sled = Sled;
  S.Kind = TPRT_KIND_POINT;
  S.Shape = File->getHeader().e_machine == ELF::EM_AARCH64 ? TPRT_SHAPE_WORD
                                                           : TPRT_SHAPE_LONG;
  S.Module = Path;
  S.Line = read<uint32_t, endianness::little>(Head->data() + 4);
  S.Name = next(size(8));
  S.Format = next(size(10));
  S.File = next(size(12));
  To.push_back(std::move(S));
  return Error::success();
}

Error Linked::readPoints(std::vector<LiveSite> &To) {
  constexpr uint64_t SledBytes = 4, GateBytes = 12;
  auto Earlier = table(EarlierPoints, TPRT_POINTS_SECTION);
  if (!Earlier)
    return Earlier.takeError();
  if (Earlier->Begin != Earlier->End)
    return fault("its points were compiled with an earlier tprt/trace.h: "
                 "compile it again");
  auto Of = table(TPRT_POINTS_VERSION, TPRT_POINTS_SECTION);
  if (!Of)
    return Of.takeError();
  uint64_t Bytes = 0;
  for (uint64_t At = Of->Begin; At + SledBytes <= Of->End; At += Bytes) {
    auto Distance = number<int32_t>(At);
    if (!Distance)
      return Distance.takeError();
    uint64_t LedTo = At + static_cast<uint64_t>(int64_t{*Distance});
    bool StaticBranch = (LedTo & TPRT_BRANCH_MARK) == TPRT_BRANCH_MARK;
    Bytes = StaticBranch ? GateBytes : SledBytes;
    if (!StaticBranch)
      if (Error E = readPoint(LedTo, To))
        return E;
  }
  return Error::success();
}

/// Applies patterns as a process would, with the file as the only module.
NameMatch matches(const LiveSite &S, StringRef Pattern) {
  bool Point = S.Kind == TPRT_KIND_POINT;
  if (Pattern.consume_front("point:") && !Point)
    return NameMatch::None;
  if (Pattern.starts_with("@"))
    return NameMatch::None;
  std::string Text = Pattern.str();
  if (const char *Bang = tprt::splitAtModule(Text.c_str())) {
    std::string Module = Text.substr(0, Bang - Text.c_str());
    std::string Path = S.Module;
    if (!tprt::globMatches(Module.c_str(), Path.c_str()) &&
        !tprt::globMatches(Module.c_str(),
                           sys::path::filename(Path).str().c_str()))
      return NameMatch::None;
    Pattern = Pattern.drop_front(Module.size() + 1);
  }
  auto Glob = NameGlob::create(Pattern);
  if (!Glob)
    return consumeError(Glob.takeError()), NameMatch::None;
  return Glob->match(S.Name, S.readable());
}

/// Removes the sites that the patterns do not select. If a pattern is the whole
/// name of some function, the pattern selects no other function.
void keepChosen(std::vector<LiveSite> &Sites, const Patterns &P) {
  std::vector<char> Taken(Sites.size()), Left(Sites.size());
  // Matching the names is the longer part.
  Progress Shown("matching names", Sites.size() * (P.globs().size() + 1));
  uint64_t Done = 0;
  for (StringRef Pattern : P.globs()) {
    bool Leaves = Pattern.consume_front("!");
    std::vector<NameMatch> Matches;
    for (const LiveSite &S : Sites) {
      Shown.at(Done++);
      Matches.push_back(matches(S, Pattern));
    }
    bool Whole = is_contained(Matches, NameMatch::Whole);
    for (size_t I = 0; I != Sites.size(); ++I)
      (Leaves ? Left : Taken)[I] |= Matches[I] == NameMatch::Whole ||
                                    (Matches[I] == NameMatch::ByGlob && !Whole);
  }
  size_t Kept = 0;
  for (size_t I = 0; I != Sites.size(); ++I) {
    Shown.at(Done++);
    if ((Taken[I] || P.takes(Sites[I])) && !Left[I] && !P.leaves(Sites[I])) {
      if (Kept != I)
        Sites[Kept] = std::move(Sites[I]);
      ++Kept;
    }
  }
  Sites.resize(Kept);
}

} // namespace

Expected<std::vector<LiveSite>> listFile(StringRef Path, const Patterns &P) {
  auto File = Linked::open(Path);
  if (!File)
    return File.takeError();
  std::vector<LiveSite> Sites, Probes;
  if (P.hasProbes())
    if (Error E = addProbesOfFile(Path, P, Probes))
      return E;
  if (P.hasProbes() && P.globs().empty() && !P.hasRegexes())
    return Probes;
  if (Error E = (*File)->readSleds(Sites))
    return E;
  if (Error E = (*File)->readPoints(Sites))
    return E;
  if (Sites.empty())
    return createStringError(
        "'" + Path +
        "' has no sleds: compile it by tp-clang -ftp-entry=2,0 -ftp-exit, or "
        "give a process that runs it, with --code");
  keepChosen(Sites, P);
  append_range(Sites, Probes);
  return Sites;
}

} // namespace tpctl
