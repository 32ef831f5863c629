// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CodeNames.h.

#include "CodeNames.h"

#include "shared/Processes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {

CodeNames::CodeNames(pid_t Pid)
    : Pid(Pid), SameFiles(seesSameFiles(Pid)),
      Symbols(std::make_unique<tp::trace::Symbolizer>(
          tp::trace::BinaryFinder(), /*Asked=*/false, [](const Twine &) {})) {
  readMappings();
}

/// A process that has ended has no mappings, and keeps those that were read.
void CodeNames::readMappings() {
  auto Now = mappingsOf(Pid);
  if (!Now.empty())
    Mappings = std::move(Now);
}

const Mapping *CodeNames::find(uint64_t Address) {
  for (const Mapping &M : Mappings)
    if (M.IsCode && M.Begin <= Address && Address < M.End)
      return &M;
  return nullptr;
}

/// The load address of the segment that holds this byte of the file.
static std::optional<uint64_t> addressOfOffset(int File, uint64_t Offset) {
  ELF::Elf64_Ehdr Head;
  if (pread(File, &Head, sizeof Head, 0) != sizeof Head ||
      memcmp(Head.e_ident, ELF::ElfMagic, 4) != 0 ||
      Head.e_phentsize != sizeof(ELF::Elf64_Phdr))
    return std::nullopt;
  for (unsigned I = 0; I != Head.e_phnum; ++I) {
    ELF::Elf64_Phdr Segment;
    auto At = static_cast<off_t>(Head.e_phoff + I * sizeof Segment);
    if (pread(File, &Segment, sizeof Segment, At) != sizeof Segment)
      return std::nullopt;
    if (Segment.p_type == ELF::PT_LOAD && Offset >= Segment.p_offset &&
        Offset - Segment.p_offset < Segment.p_filesz)
      return Offset - Segment.p_offset + Segment.p_vaddr;
  }
  return std::nullopt;
}

std::string CodeNames::seen(const std::string &Path) const {
  std::string Seen = procPath(Pid, "root" + Path);
  return SameFiles && !sys::fs::exists(Seen) ? Path : Seen;
}

std::optional<uint64_t> CodeNames::addressInFile(const Mapping &M,
                                                 uint64_t Address) {
  int File = open(seen(M.Path).c_str(), O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return std::nullopt;
  auto Found = addressOfOffset(File, Address - M.Begin + M.Offset);
  close(File);
  return Found;
}

std::string CodeNames::nameOf(uint64_t Address) {
  const Mapping *M = find(Address);
  if (!M) { // a library was loaded
    readMappings();
    M = find(Address);
  }
  if (!M || M->Path.empty())
    return "code without a file at 0x" + utohexstr(Address, /*LowerCase=*/true);
  auto InFile = addressInFile(*M, Address);
  if (InFile) {
    tp::trace::Module Module;
    Module.Path = seen(M->Path);
    const auto &Frames = Symbols->framesAt(Module, *InFile);
    if (!Frames.empty() && !Frames.back().Function.empty())
      return Frames.back().Function;
  }
  uint64_t Shown = InFile.value_or(Address - M->Begin + M->Offset);
  return (sys::path::filename(M->Path) + "+0x" +
          utohexstr(Shown, /*LowerCase=*/true))
      .str();
}

/// Variables without a value in the file are in a mapping without a file, right
/// after one of the file. Empty: nothing is known of the address.
std::string CodeNames::symbolIn(uint64_t Address) {
  auto At = llvm::find_if(Mappings, [&](const Mapping &M) {
    return M.Begin <= Address && Address < M.End;
  });
  if (At == Mappings.end())
    return "";
  const bool HasFile = !At->Path.empty();
  if (!HasFile && At != Mappings.begin() && std::prev(At)->End == At->Begin)
    --At;
  if (At->Path.empty())
    return "";
  auto First = At;
  while (First->Offset && First != Mappings.begin() &&
         (std::prev(First)->Path == At->Path || std::prev(First)->Path.empty()))
    --First;
  if (First->Path != At->Path || First->Offset)
    return "";
  auto InFile = addressInFile(*First, First->Begin);
  if (!InFile)
    return "";
  tp::trace::Module Module;
  Module.Path = seen(At->Path);
  *InFile += Address - First->Begin;
  std::string Name = Symbols->symbolAt(Module, *InFile);
  if (!Name.empty() || !HasFile)
    return Name;
  return (sys::path::filename(At->Path) + "+0x" +
          utohexstr(*InFile, /*LowerCase=*/true))
      .str();
}

std::string CodeNames::symbolOf(uint64_t Address) {
  std::string Name = symbolIn(Address);
  if (Name.empty()) { // a library was loaded
    readMappings();
    Name = symbolIn(Address);
  }
  return Name.empty() ? "0x" + utohexstr(Address, /*LowerCase=*/true) : Name;
}

const std::string &CodeNames::symbolAt(uint64_t Address) {
  auto [At, New] = KnownSymbols.try_emplace(Address);
  if (New)
    At->second = symbolOf(Address);
  return At->second;
}

std::vector<tp::trace::SourceFrame> CodeNames::framesAt(uint64_t Address) {
  const Mapping *M = find(Address);
  auto InFile =
      M && !M->Path.empty() ? addressInFile(*M, Address) : std::nullopt;
  if (!InFile)
    return {};
  tp::trace::Module Module;
  Module.Path = seen(M->Path);
  return Symbols->framesAt(Module, *InFile);
}

const std::string &CodeNames::lineAt(uint64_t ReturnAddress) {
  auto [At, New] = KnownLines.try_emplace(ReturnAddress);
  if (!New)
    return At->second;
  const std::string &Caller = callerAt(ReturnAddress); // reads the mappings
  auto Frames = framesAt(ReturnAddress - 1);
  bool HasLine = !Frames.empty() && Frames.front().Line;
  At->second = HasLine ? sys::path::filename(Frames.front().File).str() + ":" +
                             std::to_string(Frames.front().Line)
                       : Caller;
  return At->second;
}

const std::string &CodeNames::callerAt(uint64_t ReturnAddress) {
  auto [At, New] = Known.try_emplace(ReturnAddress);
  if (New)
    At->second = nameOf(ReturnAddress - 1);
  return At->second;
}

} // namespace tpctl
