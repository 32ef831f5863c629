// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Notes.h.

#include "Notes.h"

#include "Arguments.h"
#include "Readable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace llvm;
using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using support::endian::read32le;
using support::endian::read64le;

namespace tpctl::usdt {
namespace {

constexpr StringLiteral Section = ".note.stapsdt", Base = ".stapsdt.base",
                        Owner = "stapsdt";
constexpr uint32_t ProbeType = 3;
constexpr size_t HeadBytes = 12, AddressBytes = 24;

Error damaged(size_t At, const Twine &Why) {
  return createStringError("the note at 0x" + Twine::utohexstr(At) +
                           " of its section " + Section + " " + Why);
}

/// The NUL-terminated strings after the addresses: provider, name, arguments.
Error readTexts(StringRef Bytes, size_t At, Note &To) {
  for (std::string *Text : {&To.Provider, &To.Name, &To.Arguments}) {
    size_t End = Bytes.find('\0');
    if (End == StringRef::npos)
      return damaged(At, "has a string without an end");
    *Text = tp::trace::printable(Bytes.take_front(End));
    Bytes = Bytes.drop_front(End + 1);
  }
  if (To.Provider.empty() || To.Name.empty())
    return damaged(At, "has no name");
  return Error::success();
}

Error readNote(ArrayRef<uint8_t> Bytes, size_t At, uint64_t BaseNow, Note &To) {
  if (Bytes.size() < AddressBytes)
    return damaged(At, "has " + Twine(Bytes.size()) +
                           " bytes, and the addresses of 64-bit code need " +
                           Twine(AddressBytes));
  To.Address = read64le(Bytes.data());
  const uint64_t BaseThen = read64le(Bytes.data() + 8);
  To.Semaphore = read64le(Bytes.data() + 16);
  const uint64_t Moved = BaseNow ? BaseNow - BaseThen : 0;
  To.Address += Moved;
  if (To.Semaphore)
    To.Semaphore += Moved;
  return readTexts(toStringRef(Bytes.drop_front(AddressBytes)), At, To);
}

/// The symbols of the file that arguments name.
template <class Symbols>
void findSymbols(const File &Of, const Symbols &Table, StringRef Names,
                 const std::set<std::string> &Wanted,
                 std::map<std::string, uint64_t> &To) {
  for (const auto &S : Table) {
    auto Name = S.getName(Names);
    if (!Name) {
      consumeError(Name.takeError());
      continue;
    }
    if (S.st_shndx == ELF::SHN_UNDEF || S.getType() == ELF::STT_TLS ||
        !Wanted.count(Name->str()))
      continue;
    auto [At, New] = To.try_emplace(Name->str(), S.st_value);
    // Two static variables have the name, and 0 stands for none of them.
    if (!New && At->second != S.st_value)
      At->second = 0;
  }
}

void findSymbols(const File &Of, FileNotes &To) {
  std::set<std::string> Wanted;
  for (const Note &N : To.All)
    for (const std::string &Name : symbolsOf(N.Arguments, To.IsX86))
      Wanted.insert(Name);
  auto Sections = Of.sections();
  if (Wanted.empty() || !Sections)
    return consumeError(Sections.takeError());
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_SYMTAB && S.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto Table = Of.symbols(&S);
    auto Names = Of.getStringTableForSymtab(S);
    if (Table && Names)
      findSymbols(Of, *Table, *Names, Wanted, To.Symbols);
    consumeError(Table.takeError());
    consumeError(Names.takeError());
  }
  for (auto At = To.Symbols.begin(); At != To.Symbols.end();)
    At = At->second ? std::next(At) : To.Symbols.erase(At);
}

Error readSegments(const File &Of, FileNotes &To) {
  auto Segments = Of.program_headers();
  if (!Segments)
    return Segments.takeError();
  for (const auto &S : *Segments)
    if (S.p_type == ELF::PT_LOAD && S.p_flags & ELF::PF_X)
      To.Code.push_back({S.p_offset, S.p_filesz, S.p_vaddr});
  return Error::success();
}

Error readFrom(StringRef Bytes, FileNotes &To) {
  auto Of = File::create(Bytes);
  if (!Of)
    return Of.takeError();
  To.IsX86 = Of->getHeader().e_machine == ELF::EM_X86_64;
  if (Error E = readSegments(*Of, To))
    return E;
  auto Sections = Of->sections();
  if (!Sections)
    return Sections.takeError();
  const File::Elf_Shdr *Notes = nullptr;
  uint64_t BaseNow = 0;
  for (const auto &S : *Sections) {
    auto Name = Of->getSectionName(S);
    if (!Name)
      return Name.takeError();
    if (*Name == Section && S.sh_type == ELF::SHT_NOTE)
      Notes = &S;
    else if (*Name == Base)
      BaseNow = S.sh_addr;
  }
  if (!Notes)
    return Error::success();
  auto Content = Of->getSectionContents(*Notes);
  if (!Content)
    return Content.takeError();
  Error Fault = parseNotes(*Content, BaseNow, To.All);
  findSymbols(*Of, To);
  return Fault;
}

} // namespace

Error parseNotes(ArrayRef<uint8_t> Section, uint64_t BaseNow,
                 std::vector<Note> &To) {
  for (size_t At = 0; At < Section.size();) {
    ArrayRef<uint8_t> Rest = Section.drop_front(At);
    if (Rest.size() < HeadBytes)
      return damaged(At, "is cut off");
    const uint64_t Name = read32le(Rest.data()),
                   Bytes = read32le(Rest.data() + 4);
    const uint32_t Type = read32le(Rest.data() + 8);
    const uint64_t Begin = HeadBytes + alignTo(Name, 4);
    if (Begin + Bytes > Rest.size())
      return damaged(At, "is longer than the section");
    StringRef Of = toStringRef(Rest.slice(HeadBytes, Name));
    if (Type == ProbeType && Of.rtrim('\0') == Owner) {
      Note N;
      if (Error E = readNote(Rest.slice(Begin, Bytes), At, BaseNow, N))
        return E;
      To.push_back(std::move(N));
    }
    At += std::min<uint64_t>(Begin + alignTo(Bytes, 4), Rest.size());
  }
  return Error::success();
}

/// A mapping begins with the page in which its segment begins.
std::optional<uint64_t> FileNotes::addressOf(uint64_t Offset) const {
  constexpr uint64_t Page = 4096;
  for (const Segment &S : Code)
    if (Offset >= alignDown(S.Offset, Page) && Offset < S.Offset + S.Bytes)
      return S.Address + Offset - S.Offset;
  return std::nullopt;
}

FileNotes readNotes(StringRef Path) {
  FileNotes To;
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer) {
    To.Fault = "it cannot be read: " + Buffer.getError().message();
    return To;
  }
  StringRef Bytes = (*Buffer)->getBuffer();
  if (Bytes.size() < ELF::EI_NIDENT || !Bytes.starts_with(ELF::ElfMagic))
    return To;
  if (Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB) {
    To.Fault = "it is no file of 64-bit code";
    return To;
  }
  if (Error E = readFrom(Bytes, To))
    To.Fault = toString(std::move(E));
  return To;
}

} // namespace tpctl::usdt
