// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModuleNames.h.
//
// A variable of a library may be in the program's memory: a program that was
// compiled for a fixed distance to the variable has a copy of it, which the
// library uses as well (R_X86_64_COPY: psABI x86-64, 4.4.1; "ELF for the Arm
// 64-bit Architecture", 5.7.11). Then the program defines the symbol.

#include "ModuleNames.h"

#include "names/path_glob.h"
#include "shared/Mappings.h"
#include "shared/Processes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

using ElfFile = object::OwningBinary<object::ObjectFile>;

std::optional<ElfFile> openElf(const std::string &Path) {
  auto Opened = object::ObjectFile::createObjectFile(Path);
  if (Opened && isa<object::ELF64LEObjectFile>(Opened->getBinary()))
    return std::move(*Opened);
  if (!Opened)
    consumeError(Opened.takeError());
  return std::nullopt;
}

const object::ELF64LEObjectFile &elf(const ElfFile &Of) {
  return cast<object::ELF64LEObjectFile>(*Of.getBinary());
}

/// The address 0 of a file of which this byte is mapped there.
std::optional<uint64_t> baseOf(const std::string &Path, uint64_t Begin,
                               uint64_t Offset) {
  auto File = openElf(Path);
  if (!File)
    return std::nullopt;
  auto Headers = elf(*File).getELFFile().program_headers();
  if (!Headers)
    return consumeError(Headers.takeError()), std::nullopt;
  for (const auto &Each : *Headers)
    if (Each.p_type == ELF::PT_LOAD && Offset < Each.p_offset + Each.p_filesz &&
        Offset + 0x10000 > Each.p_offset && (Each.p_flags & ELF::PF_X))
      return Begin - (Each.p_vaddr - Each.p_offset + Offset);
  return std::nullopt;
}

struct Symbol {
  StringRef Name; ///< without a version
  uint64_t Address, Bytes;
  bool IsOfThreads;
};

/// A type of so many bytes that is known by its size only.
expressions::Type unknownOf(uint64_t Bytes) {
  const bool IsWord = Bytes <= 8 && isPowerOf2_64(Bytes);
  return {expressions::Type::Other, true,
          static_cast<uint8_t>(IsWord ? 8 * Bytes : 32), 0, ""};
}

/// Calls `Visit` for the variables that a table of symbols defines.
template <class Symbols>
void visitVariables(const Symbols &Of,
                    function_ref<void(const Symbol &)> Visit) {
  for (const object::ELFSymbolRef Each : Of) {
    const uint8_t Type = Each.getELFType();
    auto Flags = Each.getFlags();
    auto Name = Each.getName();
    auto Value = Each.getValue();
    bool Is = Flags && Name && Value &&
              !(*Flags & object::SymbolRef::SF_Undefined) &&
              (Type == ELF::STT_OBJECT || Type == ELF::STT_TLS);
    if (Is)
      Visit({Name->split('@').first, *Value, Each.getSize(),
             Type == ELF::STT_TLS});
    consumeError(Flags.takeError());
    consumeError(Name.takeError());
    consumeError(Value.takeError());
  }
}

/// Whether a linked name is this one, or that of this C++ variable.
bool isName(StringRef Linked, StringRef Wanted) {
  return Linked == Wanted ||
         (Linked.starts_with("_Z") && demangle(Linked) == Wanted);
}

} // namespace

/// Of a module, the code says where it is: a file may also be mapped as data.
void ModuleNames::readModules() const {
  LastRead = Clock::now();
  const auto Mappings = mappingsOf(Pid);
  if (Mappings.empty())
    return;
  Modules.clear();
  for (const Mapping &M : Mappings) {
    if (!M.IsCode || M.Path.empty())
      continue;
    StringRef Path = M.Path;
    const bool IsReplaced = Path.consume_back(" (deleted)");
    Module New{Path.str(), 0, IsReplaced};
    if (!New.IsReplaced)
      if (auto Base = baseOf(seen(New), M.Begin, M.Offset))
        New.Base = *Base;
    if (none_of(Modules, [&](const Module &Old) {
          return Old.Path == New.Path && Old.Base == New.Base;
        }))
      Modules.push_back(std::move(New));
  }
}

std::string ModuleNames::seen(const Module &Of) const {
  std::string Seen = procPath(Pid, "root" + Of.Path);
  return seesSameFiles(Pid) && !sys::fs::exists(Seen) ? Of.Path : Seen;
}

const ModuleNames::Found &ModuleNames::find(StringRef Name) const {
  using namespace std::chrono_literals;
  auto At = Known.find(Name);
  // The module may have been loaded since.
  const bool IsOld = At != Known.end() && !At->second.Why.empty() &&
                     Clock::now() - LastRead > 1s;
  if (At == Known.end() || IsOld) {
    if (IsOld || Modules.empty())
      readModules();
    At = Known.insert_or_assign(Name.str(), findNow(Name)).first;
  }
  return At->second;
}

ModuleNames::Found ModuleNames::findNow(StringRef Name) const {
  const auto [Wanted, Variable] = Name.split('!');
  std::vector<const Module *> All;
  for (const Module &Each : Modules)
    if (tprt::globMatchesPath(Wanted.str().c_str(), Each.Path.c_str()))
      All.push_back(&Each);
  Found Result;
  if (All.size() == 1)
    return findIn(*All.front(), Variable);
  if (All.empty())
    Result.Why = "the process has loaded no module '" + Wanted.str() +
                 "' so far; give the command when it has";
  else
    Result.Why = "the process has loaded several modules '" + Wanted.str() +
                 "', such as " + All[0]->Path + " and " + All[1]->Path;
  return Result;
}

ModuleNames::Found ModuleNames::findIn(const Module &Of, StringRef Name) const {
  Found Result;
  const std::string File = sys::path::filename(Of.Path).str();
  if (Of.IsReplaced) {
    Result.Why = Of.Path + " was removed or replaced after it was loaded";
    return Result;
  }
  types::Binary &Binary = Opens(seen(Of), Of.Path);
  std::string WhyUntyped = Binary.whyNot();
  if (auto Names = Binary.names(Of.Base)) {
    Result.Constant = Names->findConstant(Name);
    Result.Variable = Names->findGlobal(Name);
    if (!Result.Constant && !Result.Variable)
      Result.Why = Names->isAmbiguous(Name)
                       ? "several source files of " + File +
                             " have variables of this name"
                       : Names->whyNoGlobal(Name);
    WhyUntyped = "the debug information of " + File + " does not have it";
  }
  auto Elf = openElf(seen(Of));
  Name.consume_front("::");
  if (!Result.Constant && !Result.Variable && Result.Why.empty() && Elf) {
    auto Visit = [&](const Symbol &Each) {
      if (!isName(Each.Name, Name))
        return;
      if (Each.IsOfThreads)
        Result.Why = "each thread has its own, and nothing tells where";
      else
        Result.Variable =
            Global{unknownOf(Each.Bytes), Of.Base + Each.Address, WhyUntyped};
    };
    visitVariables(elf(*Elf).getDynamicSymbolIterators(), Visit);
    if (!Result.Variable && Result.Why.empty())
      visitVariables(elf(*Elf).symbols(), Visit);
  }
  if (Result.Variable)
    if (auto Copy = copyOf(Of, Result.Variable->Address))
      Result.Variable->Address = *Copy;
  if (!Result.Constant && !Result.Variable && Result.Why.empty())
    Result.Why = File + " has no variable of this name" +
                 (Binary.whyNot().empty() ? "" : "; " + Binary.whyNot());
  return Result;
}

/// The address of the program's copy of a variable, if there is one.
std::optional<uint64_t> ModuleNames::copyOf(const Module &Of,
                                            uint64_t Address) const {
  char Target[4096];
  const ssize_t Length =
      readlink(procPath(Pid, "exe").c_str(), Target, sizeof Target);
  const StringRef Path(Target,
                       static_cast<size_t>(std::max<ssize_t>(Length, 0)));
  const auto Program =
      find_if(Modules, [&](const Module &Each) { return Each.Path == Path; });
  if (Program == Modules.end() || Program->Path == Of.Path)
    return std::nullopt;
  auto Library = openElf(seen(Of)), Own = openElf(seen(*Program));
  if (!Library || !Own)
    return std::nullopt;
  StringSet<> Names;
  visitVariables(elf(*Library).getDynamicSymbolIterators(),
                 [&](const Symbol &Each) {
                   if (Each.Address == Address - Of.Base)
                     Names.insert(Each.Name);
                 });
  std::optional<uint64_t> Copy;
  visitVariables(elf(*Own).getDynamicSymbolIterators(),
                 [&](const Symbol &Each) {
                   if (Names.contains(Each.Name))
                     Copy = Program->Base + Each.Address;
                 });
  return Copy;
}

} // namespace tpctl
