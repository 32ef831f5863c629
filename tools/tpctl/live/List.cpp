// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl list: the functions and points of a process that have sleds.

#include "Output.h"
#include "Requests.h"
#include "Selection.h"
#include "Target.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>

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
  std::string Path = "-";
};

/// A function with its sites, or a point.
struct Row {
  const LiveSite *First = nullptr;
  bool Entry = false, Exit = false, Tail = false, Point = false;
  unsigned On = 0, Sites = 0;
  uint8_t Refusal = 0;

  void add(const LiveSite &S) {
    First = First ? First : &S;
    Entry |= S.Kind == TPRT_KIND_ENTRY;
    Exit |= S.Kind == TPRT_KIND_EXIT;
    Tail |= S.Kind == TPRT_KIND_TAIL_EXIT;
    Point |= S.Kind == TPRT_KIND_POINT;
    On += S.State != TPRT_SITE_STATE_OFF;
    Refusal = S.Refusal ? S.Refusal : Refusal;
    ++Sites;
  }
  std::string kinds() const {
    if (Point)
      return "point";
    std::vector<std::string> Words;
    for (auto [Is, Word] :
         {std::pair(Entry, "entry"), {Exit, "exit"}, {Tail, "tail"}})
      if (Is)
        Words.push_back(Word);
    return join(Words, "+");
  }
  std::string state() const {
    return !On ? "off" : On == Sites ? "on" : "part";
  }
  std::string where() const {
    return First->File.empty()
               ? std::string()
               : First->File + ":" + std::to_string(First->Line);
  }
};

/// Sites of a function are together: their order is that of addresses.
std::vector<Row> rowsOf(ArrayRef<LiveSite> Sites) {
  std::vector<Row> Rows;
  std::map<std::pair<std::string, uint64_t>, size_t> At;
  for (const LiveSite &S : Sites) {
    auto [It, New] = At.try_emplace(
        {S.Module, S.Kind == TPRT_KIND_POINT ? S.Sled : S.Function},
        Rows.size());
    if (New)
      Rows.emplace_back();
    Rows[It->second].add(S);
  }
  return Rows;
}

void writeText(raw_ostream &OS, ArrayRef<Row> Rows, const Selection &Names) {
  const std::string *Module = nullptr;
  size_t On = 0;
  for (const Row &R : Rows) {
    if (!Module || *Module != R.First->Module)
      OS << (Module ? "\n" : "") << R.First->Module << '\n';
    Module = &R.First->Module;
    OS << "  " << left_justify(R.state(), 5) << left_justify(R.kinds(), 16)
       << Names.shown(R.First->readable());
    if (!R.where().empty())
      OS << "  " << R.where();
    if (!R.First->Format.empty())
      OS << "  \"" << R.First->Format << '"';
    if (R.Refusal)
      OS << "  (refused: " << unsigned(R.Refusal) << ")";
    OS << '\n';
    On += R.On != 0;
  }
  OS << formatv("\n{0:n} functions and points, {1:n} on\n", Rows.size(), On);
}

void writeCsv(raw_ostream &OS, ArrayRef<Row> Rows, pid_t Pid) {
  for (const Row &R : Rows)
    OS << Pid << ',' << R.state() << ',' << R.kinds() << ','
       << csvField(R.First->readable()) << ',' << csvField(R.First->Name) << ','
       << csvField(R.First->Module) << ",0x"
       << utohexstr((R.First->Function ? R.First->Function : R.First->Sled) -
                    R.First->Base)
       << ',' << csvField(R.First->File) << ','
       << (R.First->Line ? std::to_string(R.First->Line) : "") << ','
       << csvField(R.First->Format) << '\n';
}

void writeJson(json::OStream &J, ArrayRef<Row> Rows, pid_t Pid) {
  for (const Row &R : Rows)
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
      if (!R.First->File.empty()) {
        J.attribute("file", jsonText(R.First->File));
        J.attribute("line", R.First->Line);
        J.attribute("format", jsonText(R.First->Format));
      }
      if (R.Refusal)
        J.attribute("refusal", R.Refusal);
    });
}

void writeAll(raw_ostream &OS, const Options &O, pid_t Pid, ArrayRef<Row> Rows,
              json::OStream &J) {
  switch (O.As) {
  case Format::Text:
    return writeText(OS, Rows, O.Names);
  case Format::Csv:
    return writeCsv(OS, Rows, Pid);
  case Format::Json:
    return writeJson(J, Rows, Pid);
  }
}

Expected<ExitCode> list(Options &O) {
  if (Error E = O.Chosen.prepare())
    return E;
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/false))
    return E;
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  raw_ostream &OS = (*To)->stream();
  json::OStream J(OS, 1);
  if (O.As == Format::Csv)
    OS << "pid,state,kinds,function,linked,module,address,file,line,format\n";
  if (O.As == Format::Json)
    J.arrayBegin();
  for (auto &C : O.At.Connections) {
    auto Sites =
        listSites(*C, O.Chosen, TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT);
    if (!Sites)
      return Sites.takeError();
    if (Sites->empty())
      note("no function or point of " + C->name() + " matches " +
           O.Chosen.text());
    else
      writeAll(OS, O, C->pid(), rowsOf(*Sites), J);
  }
  if (O.As == Format::Json) {
    J.arrayEnd();
    OS << '\n';
  }
  if (Error E = (*To)->close())
    return E;
  return O.At.finish();
}

} // namespace

void tpctl::addList(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  CLI::App &Verb = *Top.add_subcommand(
      "list", "the functions and points of a process that have sleds");
  O->Chosen.addOptions(Verb);
  O->At.addOptions(Verb);
  O->Names.addNames(Verb);
  std::map<std::string, Format> Formats = {
      {"text", Format::Text}, {"json", Format::Json}, {"csv", Format::Csv}};
  Verb.add_option("--format", O->As, "text, json or csv")
      ->transform(CLI::CheckedTransformer(Formats))
      ->option_text("FORMAT");
  Verb.add_option("-o", O->Path, "write to this file")->option_text("FILE");
  Verb.callback([O, &Chosen] { Chosen = [O] { return list(*O); }; });
}
