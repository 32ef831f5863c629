// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HandlerFile.h. The descriptions of handlers and tables lie in sections of
// their own. Their pointers are in the relocations, as the file is not loaded.

#include "HandlerFile.h"

#include "tprt/run.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include <map>

using namespace llvm;
using namespace llvm::object;

namespace tpctl {

uint32_t RunHandler::kinds() const {
  constexpr std::pair<uint32_t, uint32_t> Kinds[] = {
      {TP_RUN_ENTRY, TPRT_KIND_SET_ENTRY},
      {TP_RUN_EXIT, TPRT_KIND_SET_EXIT},
      {TP_RUN_POINT, TPRT_KIND_SET_POINT},
      {TP_RUN_INSTRUCTION, TPRT_KIND_SET_INSTRUCTION}};
  uint32_t Set = 0;
  for (auto [Flag, Kind] : Kinds)
    if (Flags & Flag)
      Set |= Kind;
  return Set;
}

namespace {

class Reading {
public:
  Reading(StringRef Bytes, const std::string &Path)
      : Bytes(Bytes), Path(Path) {}
  Error read(HandlerFile &To);

private:
  using Elf = ELF64LEFile;
  Error fault(const Twine &Why) const {
    return createStringError("'" + Path + "' cannot be used: " + Why);
  }
  Error checkSymbols(const Elf &File, const Elf::Elf_Shdr &Section) const;
  Error readRelocations(const Elf &File, const Elf::Elf_Shdr &Section);
  Error addHandlers(const Elf &File, const Elf::Elf_Shdr &Section,
                    HandlerFile &To);
  Error addTables(const Elf &File, const Elf::Elf_Shdr &Section,
                  HandlerFile &To);
  template <class T, class Each>
  Error visit(const Elf &File, const Elf::Elf_Shdr &Section, Each each);
  Error checkVersion(uint32_t Version) const;
  /// The pointer at this address of the file; 0: a null pointer.
  uint64_t pointerAt(uint64_t Address) const {
    auto At = Pointers.find(Address);
    return At == Pointers.end() ? 0 : At->second;
  }
  Expected<std::string> textAt(const Elf &File, uint64_t Address) const;

  StringRef Bytes;
  const std::string &Path;
  std::map<uint64_t, uint64_t> Pointers;
};

Error Reading::checkSymbols(const Elf &File,
                            const Elf::Elf_Shdr &Section) const {
  auto Symbols = File.symbols(&Section);
  auto Names = File.getStringTableForSymtab(Section);
  if (!Symbols || !Names) {
    consumeError(Symbols.takeError());
    consumeError(Names.takeError());
    return fault("its symbols are damaged");
  }
  std::vector<std::string> Missing;
  for (const auto &Symbol : *Symbols) {
    auto Name = Symbol.getName(*Names);
    if (!Name)
      return fault(toString(Name.takeError()));
    if (Symbol.st_shndx == ELF::SHN_UNDEF && !Name->empty())
      Missing.push_back(demangle(*Name));
  }
  if (Missing.empty())
    return Error::success();
  constexpr size_t Most = 5;
  const std::string Listed = join(ArrayRef(Missing).take_front(Most), ", ") +
                             (Missing.size() > Most ? ", ..." : "");
  return fault("it uses " + Listed +
               ", and a handler can use only what its file defines and what "
               "tprt/run.h offers; lines are printed by run->print()");
}

/// A relocation that is not relative is refused by the process.
Error Reading::readRelocations(const Elf &File, const Elf::Elf_Shdr &Section) {
  auto All = File.relas(Section);
  if (!All)
    return fault(toString(All.takeError()));
  for (const auto &Each : *All)
    Pointers[Each.r_offset] = static_cast<uint64_t>(Each.r_addend);
  return Error::success();
}

Error Reading::checkVersion(uint32_t Version) const {
  if (Version == TPRT_RUN_VERSION)
    return Error::success();
  return fault("it was compiled with version " + Twine(Version) +
               " of tprt/run.h, and this tpctl has version " +
               Twine(TPRT_RUN_VERSION) +
               ": compile it with this tpctl's header");
}

Expected<std::string> Reading::textAt(const Elf &File, uint64_t Address) const {
  auto At = File.toMappedAddr(Address);
  if (!At)
    return fault(toString(At.takeError()));
  const char *Text = reinterpret_cast<const char *>(*At);
  const auto Rest = static_cast<size_t>(Bytes.end() - Text);
  return std::string(Text, strnlen(Text, Rest));
}

/// Calls each(Description, Address) for the descriptions in a section.
template <class T, class Each>
Error Reading::visit(const Elf &File, const Elf::Elf_Shdr &Section, Each each) {
  auto Contents = File.getSectionContents(Section);
  if (!Contents)
    return fault(toString(Contents.takeError()));
  if (Contents->size() % sizeof(T))
    return fault(
        "its descriptions of handlers or tables have another size than "
        "in this tpctl's tprt/run.h");
  for (size_t At = 0; At < Contents->size(); At += sizeof(T)) {
    T Value;
    memcpy(&Value, Contents->data() + At, sizeof Value);
    if (Error E = checkVersion(Value.version))
      return E;
    if (Error E = each(Value, Section.sh_addr + At))
      return E;
  }
  return Error::success();
}

Error Reading::addHandlers(const Elf &File, const Elf::Elf_Shdr &Section,
                           HandlerFile &To) {
  auto add = [&](const tprt_run_handler &From, uint64_t Address) -> Error {
    RunHandler One;
    auto Name =
        textAt(File, pointerAt(Address + offsetof(tprt_run_handler, name)));
    if (!Name)
      return Name.takeError();
    One.Name = *Name;
    One.Flags = From.flags;
    One.Address = pointerAt(Address + offsetof(tprt_run_handler, call));
    if (uint64_t At =
            pointerAt(Address + offsetof(tprt_run_handler, pattern))) {
      auto Pattern = textAt(File, At);
      if (!Pattern)
        return Pattern.takeError();
      One.Pattern = *Pattern;
    }
    if (!One.kinds())
      return fault("its handler " + One.Name +
                   " does not say where it is called: give TP_RUN_ENTRY, "
                   "TP_RUN_EXIT, TP_RUN_POINT or TP_RUN_INSTRUCTION");
    To.Handlers.push_back(std::move(One));
    return Error::success();
  };
  return visit<tprt_run_handler>(File, Section, add);
}

Error Reading::addTables(const Elf &File, const Elf::Elf_Shdr &Section,
                         HandlerFile &To) {
  auto add = [&](const tprt_run_table &From, uint64_t Address) -> Error {
    RunTable One;
    auto Name =
        textAt(File, pointerAt(Address + offsetof(tprt_run_table, name)));
    if (!Name)
      return Name.takeError();
    auto Headings =
        textAt(File, pointerAt(Address + offsetof(tprt_run_table, headings)));
    if (!Headings)
      return Headings.takeError();
    One.Name = *Name;
    SmallVector<StringRef> Words;
    StringRef(*Headings).split(Words, ',');
    for (StringRef Word : Words)
      One.Headings.push_back(Word.trim().str());
    One.IsHistogram = From.kind == TPRT_RUN_TABLE_HISTOGRAM;
    One.Rows = pointerAt(Address + offsetof(tprt_run_table, rows));
    One.Count = From.row_count;
    One.Lost = Address + offsetof(tprt_run_table, lost);
    constexpr uint64_t Most = 1 << 20;
    if (One.Count > Most)
      return fault("its table " + One.Name + " has more than 1,048,576 rows");
    To.Tables.push_back(std::move(One));
    return Error::success();
  };
  return visit<tprt_run_table>(File, Section, add);
}

Error Reading::read(HandlerFile &To) {
  auto Opened = Elf::create(Bytes);
  if (!Opened)
    return fault(toString(Opened.takeError()));
  const Elf &File = *Opened;
  auto Sections = File.sections();
  if (!Sections)
    return fault(toString(Sections.takeError()));
  for (const auto &Section : *Sections) {
    if (Section.sh_type == ELF::SHT_DYNSYM)
      if (Error E = checkSymbols(File, Section))
        return E;
    if (Section.sh_type == ELF::SHT_RELA)
      if (Error E = readRelocations(File, Section))
        return E;
  }
  for (const auto &Section : *Sections) {
    auto Name = File.getSectionName(Section);
    if (!Name)
      return fault(toString(Name.takeError()));
    if (*Name == TPRT_RUN_HANDLERS_SECTION)
      if (Error E = addHandlers(File, Section, To))
        return E;
    if (*Name == TPRT_RUN_TABLES_SECTION)
      if (Error E = addTables(File, Section, To))
        return E;
  }
  // Compilers put them in any order.
  sort(To.Tables,
       [](const RunTable &A, const RunTable &B) { return A.Name < B.Name; });
  if (To.Handlers.empty())
    return fault("it has no handler: TP_RUN_HANDLER of tprt/run.h defines one");
  return Error::success();
}

} // namespace

Expected<HandlerFile> HandlerFile::read(std::unique_ptr<MemoryBuffer> File,
                                        const std::string &Path) {
  HandlerFile To;
  To.File = std::move(File);
  if (Error E = Reading(To.File->getBuffer(), Path).read(To))
    return E;
  return To;
}

} // namespace tpctl
