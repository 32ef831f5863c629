// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl list: the functions and points of a process that have sleds.

#include "Disassembly.h"
#include "FileSites.h"
#include "live/requests/NoMatch.h"
#include "live/targets/FunctionTypes.h"
#include "live/targets/Target.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/Progress.h"
#include "shared/Selection.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace llvm;
using namespace tpctl;

namespace {

enum class Format { Text, Json, Csv };

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  Selection Names;
  Format As = Format::Text;
  std::string Path = "-", File;
  bool Verbose = false, Arguments = false;
};

/// A function with its sites, or a point.
struct Row {
  const LiveSite *First = nullptr;
  bool Entry = false, Exit = false, Tail = false, Point = false,
       Instruction = false;
  unsigned On = 0, Shapes = 0;
  std::vector<const LiveSite *> Sites;
  const LiveSite *Refused = nullptr;
  std::string File;              ///< of the function's first line, if requested
  std::string Signature;         ///< with --args, if it is known
  uint32_t Line = 0;             ///< 0 means unknown
  Machine For = Machine::X86_64; ///< of its code, if it has no sleds

  void add(const LiveSite &S) {
    First = First ? First : &S;
    Entry |= S.Kind == TPRT_KIND_ENTRY;
    Exit |= S.Kind == TPRT_KIND_EXIT;
    Tail |= S.Kind == TPRT_KIND_TAIL_EXIT;
    Point |= S.Kind == TPRT_KIND_POINT;
    Instruction |= S.Kind == TPRT_KIND_INSTRUCTION;
    On += S.State != TPRT_SITE_STATE_OFF;
    Refused = Refused || !S.Refusal ? Refused : &S;
    Shapes |= 1u << S.Shape;
    if (!S.File.empty()) {
      File = S.File;
      Line = S.Line;
    }
    Sites.insert(upper_bound(Sites, &S,
                             [](const LiveSite *A, const LiveSite *B) {
                               return A->Sled < B->Sled;
                             }),
                 &S);
  }
  std::string kinds() const {
    if (Point)
      return "point";
    std::vector<std::string> Words;
    for (auto [Is, Word] : {std::pair(Entry, "entry"),
                            {Exit, "exit"},
                            {Tail, "tail"},
                            {Instruction, "insn"}})
      if (Is)
        Words.push_back(Word);
    return join(Words, "+");
  }
  std::string shapes() const {
    constexpr const char *Words[] = {"plain", "short", "long", "ret",
                                     "word",  "",      "code", "nops"};
    std::vector<std::string> Found;
    for (auto [Number, Word] : enumerate(Words))
      if (Shapes >> Number & 1)
        Found.push_back(Word);
    return join(Found, "+");
  }
  std::string state() const {
    return !On ? "off" : On == Sites.size() ? "on" : "part";
  }
  std::string where() const {
    return Line ? File + ":" + std::to_string(Line) : File;
  }
};

/// The sites of a function are together, because sites are sorted by address.
std::vector<Row> rowsOf(ArrayRef<LiveSite> Sites) {
  std::vector<Row> Rows;
  std::map<std::pair<std::string, uint64_t>, size_t> At;
  Progress Shown("sorting functions", Sites.size());
  for (const LiveSite &S : Sites) {
    Shown.at(static_cast<uint64_t>(&S - Sites.begin()));
    auto [It, New] = At.try_emplace(
        {S.Module, S.Kind == TPRT_KIND_POINT || S.Of ? S.Sled : S.Function},
        Rows.size());
    if (New)
      Rows.emplace_back();
    Rows[It->second].add(S);
  }
  return Rows;
}

/// `Folder` is the folder with the process's files.
void findLines(std::vector<Row> &Rows, const Options &O, StringRef Folder) {
  Progress Shown("lines of functions", Rows.size());
  for (Row &R : Rows) {
    Shown.at(static_cast<uint64_t>(&R - Rows.data()));
    if (!R.File.empty() || !R.First->Function)
      continue;
    tp::trace::Module M;
    M.Path = (Folder + R.First->Module).str();
    const auto &Line =
        O.Names.Code.lineOf(M, R.First->Function - R.First->Base);
    R.File = Line.File;
    R.Line = Line.Line;
  }
}

/// The arguments of functions, as expressions know them.
void findSignatures(std::vector<Row> &Rows, StringRef Folder) {
  FunctionTypes Types;
  Progress Shown("arguments of functions", Rows.size());
  for (Row &R : Rows) {
    Shown.at(static_cast<uint64_t>(&R - Rows.data()));
    if (R.Point || !R.First->Function)
      continue;
    if (R.First->Of) {
      R.Signature =
          expressions::text(Types.probeAt(Folder, *R.First, /*Typed=*/false));
      continue;
    }
    auto Known = Types.signatureOf(Folder, *R.First);
    if (Known.WhyUnknown.empty())
      R.Signature = expressions::text(Known);
  }
}

/// The rows of a module are adjacent.
void findMachines(std::vector<Row> &Rows, StringRef Folder) {
  const Row *Before = nullptr;
  for (Row &R : Rows) {
    if (R.First->Instruction.empty())
      continue;
    bool Same = Before && Before->First->Module == R.First->Module;
    R.For = Same ? Before->For : machineOf((Folder + R.First->Module).str());
    Before = &R;
  }
}

StringRef meansOf(const LiveSite &S) {
  constexpr StringLiteral Words[] = {"none", "jump", "short jump", "return",
                                     "pun",  "trap", "call"};
  return S.Means < std::size(Words) ? Words[S.Means] : StringLiteral("?");
}

StringRef kindOf(const LiveSite &S) {
  return S.Kind == TPRT_KIND_ENTRY         ? "entry"
         : S.Kind == TPRT_KIND_EXIT        ? "exit"
         : S.Kind == TPRT_KIND_INSTRUCTION ? "insn"
                                           : "tail";
}

/// The reason of a refusal. If traps are asked for, the advice to ask for them
/// is of no use.
std::string reasonOf(const LiveSite &S, const Options &O) {
  constexpr StringLiteral Advice = "; ask for traps (--traps)";
  size_t At = StringRef(S.Why).find(Advice);
  if (!O.Chosen.takesTraps() || At == StringRef::npos)
    return S.Why;
  return S.Why.substr(0, At) +
         ", and no trap is possible, as a neighbour uses the bytes";
}

/// The sites of a function without sleds, and how each of them would be probed.
void writePlans(raw_ostream &OS, const Row &R, const Options &O) {
  for (const LiveSite *S : R.Sites) {
    if (S->Instruction.empty())
      continue;
    // The compiler may have moved a part of a function to a lower address.
    bool InFront = S->Sled < S->Function;
    uint64_t Distance = InFront ? S->Function - S->Sled : S->Sled - S->Function;
    OS << formatv("       {0,-6}{1,-11}{2}0x{3,-6}{4,-24}{5}", kindOf(*S),
                  meansOf(*S), InFront ? '-' : '+', utohexstr(Distance, true),
                  toHex(S->Instruction, /*LowerCase=*/true),
                  disassemble(S->Instruction, S->Sled - S->Base, R.For));
    if (S->Refusal)
      OS << "  (refused: " << reasonOf(*S, O) << ')';
    OS << '\n';
  }
}

/// The progress of writing. If the list goes to a terminal, its lines show it.
class Writing {
public:
  Writing(const Options &O, ArrayRef<Row> Rows) : First(Rows.begin()) {
    if (O.Path != "-" || !isatty(STDOUT_FILENO))
      Shown.emplace("writing the list", Rows.size());
  }
  void at(const Row &R) const {
    if (Shown)
      Shown->at(static_cast<uint64_t>(&R - First));
  }

private:
  const Row *First;
  std::optional<Progress> Shown;
};

void writeText(raw_ostream &OS, ArrayRef<Row> Rows, const Options &O) {
  const std::string *Module = nullptr;
  size_t On = 0;
  Writing Shown(O, Rows);
  for (const Row &R : Rows) {
    Shown.at(R);
    if (!Module || *Module != R.First->Module)
      OS << (Module ? "\n" : "") << R.First->Module << '\n';
    Module = &R.First->Module;
    OS << "  " << left_justify(R.state(), 5) << left_justify(R.kinds(), 16);
    if (O.Verbose)
      OS << left_justify(R.shapes(), 12);
    // The arguments of a probe follow its name.
    const bool IsProbe = R.First->Of && !R.Signature.empty();
    OS << (IsProbe ? R.Signature : O.Names.shown(R.First->readable()));
    if (!R.where().empty())
      OS << "  "
         << (O.Names.fullNames() ? R.where()
                                 : sys::path::filename(R.where()).str());
    if (!R.First->Format.empty())
      OS << "  \"" << R.First->Format << '"';
    if (!R.Signature.empty() && !IsProbe)
      OS << "  " << R.Signature;
    bool Plans = O.Verbose && !R.First->Instruction.empty();
    if (R.Refused && !Plans)
      OS << "  (" << kindOf(*R.Refused)
         << " refused: " << reasonOf(*R.Refused, O) << ')';
    OS << '\n';
    if (Plans)
      writePlans(OS, R, O);
    On += R.On != 0;
  }
  OS << formatv(
      "\n{0}, {1:n} on\n",
      countText(Rows.size(), "function or point", "functions and points"), On);
}

void writeCsv(raw_ostream &OS, ArrayRef<Row> Rows, pid_t Pid,
              const Options &O) {
  Writing Shown(O, Rows);
  for (const Row &R : Rows) {
    Shown.at(R);
    OS << Pid << ',' << R.state() << ',' << R.kinds() << ','
       << csvField(R.First->readable()) << ',' << csvField(R.First->Name) << ','
       << csvField(R.First->Module) << ",0x"
       << utohexstr((R.First->Function ? R.First->Function : R.First->Sled) -
                    R.First->Base)
       << ',' << csvField(R.File) << ','
       << (R.Line ? std::to_string(R.Line) : "") << ','
       << csvField(R.First->Format) << ',' << R.shapes();
    if (O.Arguments)
      OS << ',' << csvField(R.Signature);
    OS << '\n';
  }
}

void writePlans(json::OStream &J, const Row &R, const Options &O) {
  for (const LiveSite *S : R.Sites)
    J.object([&] {
      J.attribute("kind", kindOf(*S));
      J.attribute("means", meansOf(*S));
      J.attribute("address", static_cast<int64_t>(S->Sled - S->Base));
      J.attribute("bytes", toHex(S->Instruction, /*LowerCase=*/true));
      J.attribute("instruction",
                  disassemble(S->Instruction, S->Sled - S->Base, R.For));
      if (S->Refusal)
        J.attribute("refused", reasonOf(*S, O));
    });
}

void writeJson(json::OStream &J, ArrayRef<Row> Rows, pid_t Pid,
               const Options &O) {
  Writing Shown(O, Rows);
  for (const Row &R : Rows) {
    Shown.at(R);
    J.object([&] {
      J.attribute("pid", Pid);
      J.attribute("state", R.state());
      J.attribute("kinds", R.kinds());
      J.attribute("function", jsonText(R.First->readable()));
      J.attribute("linked", jsonText(R.First->Name));
      J.attribute("module", jsonText(R.First->Module));
      J.attribute("address",
                  static_cast<int64_t>(
                      (R.First->Function ? R.First->Function : R.First->Sled) -
                      R.First->Base));
      J.attribute("shapes", R.shapes());
      if (std::string Signature = R.Signature; !Signature.empty())
        J.attribute("signature", Signature);
      if (!R.File.empty()) {
        J.attribute("file", jsonText(R.File));
        if (R.Line)
          J.attribute("line", R.Line);
      }
      if (R.Point)
        J.attribute("format", jsonText(R.First->Format));
      if (R.Refused) {
        J.attribute("refusal", R.Refused->Refusal);
        J.attribute("refused", reasonOf(*R.Refused, O));
      }
      if (!R.First->Instruction.empty())
        J.attributeArray("sites", [&] { writePlans(J, R, O); });
    });
  }
}

void writeAll(raw_ostream &OS, const Options &O, pid_t Pid, ArrayRef<Row> Rows,
              json::OStream &J) {
  switch (O.As) {
  case Format::Text:
    return writeText(OS, Rows, O);
  case Format::Csv:
    return writeCsv(OS, Rows, Pid, O);
  case Format::Json:
    return writeJson(J, Rows, Pid, O);
  }
}

/// Writes the list of one process, or of a file. For a file, the process is 0.
void writeSites(raw_ostream &OS, const Options &O, const Twine &Of, pid_t Pid,
                ArrayRef<LiveSite> Sites, json::OStream &J) {
  if (Sites.empty())
    return note("no function or point of " + Of + " matches " +
                O.Chosen.text());
  std::vector<Row> Rows = rowsOf(Sites);
  std::string Folder = Pid ? procPath(Pid, "root") : "";
  findMachines(Rows, Folder);
  if (O.Names.Code.inText())
    findLines(Rows, O, Folder);
  if (O.Arguments)
    findSignatures(Rows, Folder);
  writeAll(OS, O, Pid, Rows, J);
}

Error listAll(Options &O, raw_ostream &OS, json::OStream &J) {
  if (!O.File.empty()) {
    auto Sites = listFile(O.File, O.Chosen);
    if (!Sites)
      return Sites.takeError();
    writeSites(OS, O, O.File, 0, *Sites, J);
    return Error::success();
  }
  for (auto &C : O.At.Connections) {
    auto Sites =
        listSites(*C, O.Chosen, TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT);
    if (!Sites)
      return handleErrors(Sites.takeError(), [&](const NoMatch &None) {
        const std::string Text = None.text();
        return O.Chosen.hasProbes()
                   ? createStringError("nothing of " + C->name() + " matches " +
                                       O.Chosen.text() + ": " + Text)
                   : make_error<NoMatch>(Text);
      });
    writeSites(OS, O, C->name(), C->pid(), *Sites, J);
  }
  return Error::success();
}

Expected<ExitCode> list(Options &O) {
  if (!O.File.empty() && O.Chosen.takesCode())
    return wrongUsage(
        "-b lists only the sleds of a file, but --code needs a process: "
        "instead of -b, give -p PID, or -- COMMAND");
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (!O.File.empty() && O.Chosen.takesCode())
    return wrongUsage(
        "-b lists only the sleds of a file, but single instructions need a "
        "process: instead of -b, give -p PID, or -- COMMAND");
  if (Error E = O.File.empty() ? O.At.prepare(/*AwaitAtEnd=*/false)
                               : O.At.prepareNone())
    return E;
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  raw_ostream &OS = (*To)->stream();
  json::OStream J(OS, 1);
  if (O.As == Format::Csv)
    OS << "pid,state,kinds,function,linked,module,address,file,line,format,"
          "shapes"
       << (O.Arguments ? ",signature\n" : "\n");
  if (O.As == Format::Json)
    J.arrayBegin();
  if (Error E = listAll(O, OS, J))
    return E;
  if (O.As == Format::Json) {
    J.arrayEnd();
    OS << '\n';
  }
  if (Error E = (*To)->close())
    return E;
  return O.At.finish();
}

} // namespace

void tpctl::addList(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  VerbSyntax &Verb = Line.addVerb(
      "list", "the functions and points of a process, and how each is probed");
  O->Chosen.addOptions(Verb);
  O->At.addOptions(Verb);
  Verb.addOption("-b,--binary", O->File, "FILE",
                 "an executable or library in place of a process");
  O->Names.addNames(Verb);
  O->Names.Code.addLines(Verb);
  O->Names.Code.addBinaries(Verb);
  O->Names.Code.trustBinaries();
  Verb.addFlag("-v,--verbose", O->Verbose,
               "shapes of sleds; how code without sleds is probed");
  Verb.addFlag("--args", O->Arguments,
               "the names of arguments that --if and --by know");
  Verb.addChoice(
      "--format", O->As,
      {{"text", Format::Text}, {"json", Format::Json}, {"csv", Format::Csv}},
      "FORMAT", "text, json or csv");
  Verb.addOption("-o", O->Path, "FILE", "write to this file");
  Verb.setAction([O] { return list(*O); });
}
