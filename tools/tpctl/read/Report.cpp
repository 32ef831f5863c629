// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl report: how often each function was called and how long it took.

#include "Readable.h"
#include "Rows.h"
#include "shared/CommandLine.h"
#include "shared/DistinctNames.h"
#include "shared/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

enum class Format { Text, Json, Csv };

struct Options {
  Selection Chosen;
  GroupBy By = GroupBy::Nothing;
  Format As = Format::Text;
  std::string Sort = "self", Path = "-";
  size_t Limit = 0;
  unsigned Jobs = 0;
};

/// A column of numbers: its name, its meaning, and its value in a row.
struct Column {
  StringLiteral Name;
  bool IsTime;
  bool (*IsKnown)(const Row &);
  double (*Value)(const Row &);
};

double number(uint64_t N) { return static_cast<double>(N); }

/// The middle of a bucket may be outside the measured range.
double quantile(const Row &R, double Share) {
  return std::clamp(R.Stats.Times.quantile(Share), number(R.Stats.Min),
                    number(R.Stats.Max));
}

bool always(const Row &) { return true; }
bool hasTimes(const Row &R) { return R.Stats.hasTimes(); }
bool hasWhole(const Row &R) { return R.Stats.Whole; }

const Column Columns[] = {
    {"calls", false, always,
     [](const Row &R) { return number(R.Stats.Calls); }},
    {"total", true, hasTimes,
     [](const Row &R) { return number(R.Stats.Total); }},
    {"self", true, hasTimes, [](const Row &R) { return number(R.Stats.Self); }},
    {"min", true, hasWhole, [](const Row &R) { return number(R.Stats.Min); }},
    {"avg", true, hasWhole, [](const Row &R) { return R.average(); }},
    {"p50", true, hasWhole, [](const Row &R) { return quantile(R, 0.5); }},
    {"p90", true, hasWhole, [](const Row &R) { return quantile(R, 0.9); }},
    {"p99", true, hasWhole, [](const Row &R) { return quantile(R, 0.99); }},
    {"max", true, hasWhole, [](const Row &R) { return number(R.Stats.Max); }},
};

/// Sorts by the chosen column, the largest first. Equal rows are sorted by
/// name.
void sortRows(std::vector<Row> &Rows, StringRef By) {
  const Column *C =
      find_if(Columns, [&](const Column &C) { return C.Name == By; });
  auto value = [&](const Row &R) {
    bool Sorts = C != std::end(Columns) && C->IsKnown(R);
    return Sorts ? -C->Value(R) : 0;
  };
  std::vector<std::pair<double, size_t>> Order;
  for (size_t I = 0; I != Rows.size(); ++I)
    Order.push_back({value(Rows[I]), I});
  stable_sort(Order, [&](const auto &A, const auto &B) {
    const Row &RA = Rows[A.second], &RB = Rows[B.second];
    return std::tie(RA.Group, A.first, RA.Name, RA.Module, RA.Where) <
           std::tie(RB.Group, B.first, RB.Name, RB.Module, RB.Where);
  });
  std::vector<Row> Sorted;
  for (const auto &Each : Order)
    Sorted.push_back(std::move(Rows[Each.second]));
  Rows = std::move(Sorted);
}

/// Keeps the first rows of each group.
void limitRows(std::vector<Row> &Rows, size_t Limit) {
  if (!Limit)
    return;
  size_t Kept = 0;
  std::vector<Row> First;
  for (Row &R : Rows) {
    Kept = First.empty() || First.back().Group != R.Group ? 1 : Kept + 1;
    if (Kept <= Limit)
      First.push_back(std::move(R));
  }
  Rows = std::move(First);
}

std::string cellOf(const Column &C, const Row &R) {
  if (!C.IsKnown(R))
    return "-";
  return C.IsTime ? timeText(C.Value(R)) : plainNumber(C.Value(R));
}

void writeText(raw_ostream &OS, const Table &T, bool Grouped,
               const Selection &Chosen) {
  const std::vector<std::string> Shown =
      namesOfRows(T.Rows, [](auto &R) { return R.Name; }, Chosen.fullNames());
  const std::string *Group = nullptr;
  for (const auto &[I, R] : enumerate(T.Rows)) {
    if (!Group || *Group != R.Group) {
      if (Group)
        OS << '\n';
      if (Grouped)
        OS << printable(R.Group) << '\n';
      for (const Column &C : Columns)
        OS << right_justify(C.Name, 10);
      OS << "  function\n";
      Group = &R.Group;
    }
    for (const Column &C : Columns)
      OS << right_justify(cellOf(C, R), 10);
    OS << "  " << Shown[I] << whereText(R.Where);
    if (Chosen.Code.inText())
      OS << Chosen.Code.textOf(R.Source, Chosen.fullNames());
    OS << '\n';
  }
  OS << '\n'
     << T.Events << (T.Events == 1 ? " event of " : " events of ") << T.Threads
     << (T.Threads == 1 ? " thread in " : " threads in ")
     << timeText(T.Nanoseconds);
  OS << (T.Lost ? formatv(", {0} lost\n", T.Lost).str() : ", none lost\n");
}

void writeCsv(raw_ostream &OS, const Table &T) {
  OS << "group,module,function";
  for (const Column &C : Columns)
    OS << ',' << C.Name << (C.IsTime ? "_ns" : "");
  OS << ",whole,file,line\n";
  for (const Row &R : T.Rows) {
    OS << csvField(R.Group) << ',' << csvField(R.Module) << ','
       << csvField(R.Name + whereText(R.Where));
    for (const Column &C : Columns)
      OS << ',' << (C.IsKnown(R) ? plainNumber(C.Value(R)) : "");
    OS << ',' << R.Stats.Whole << ',' << csvField(R.Source.File) << ',';
    if (R.Source.Line)
      OS << R.Source.Line;
    OS << '\n';
  }
}

void writeJson(raw_ostream &OS, const Table &T) {
  json::OStream J(OS, 1);
  J.object([&] {
    J.attribute("events", T.Events);
    J.attribute("lost", T.Lost);
    J.attribute("threads", static_cast<int64_t>(T.Threads));
    J.attribute("span_ns", T.Nanoseconds);
    J.attributeObject("findings", [&] {
      for (const auto &[Name, Count] : T.Findings)
        J.attribute(Name, Count);
    });
    J.attributeArray("functions", [&] {
      for (const Row &R : T.Rows)
        J.object([&] {
          if (!R.Group.empty())
            J.attribute("group", jsonText(R.Group));
          J.attribute("module", jsonText(R.Module));
          J.attribute("function", jsonText(R.Name));
          if (!R.Where.empty())
            J.attribute("where", jsonText(R.Where));
          if (!R.Source.File.empty()) {
            J.attribute("file", jsonText(R.Source.File));
            if (R.Source.Line)
              J.attribute("line", R.Source.Line);
          }
          for (const Column &C : Columns)
            J.attribute((C.Name + (C.IsTime ? "_ns" : "")).str(),
                        C.IsKnown(R) ? json::Value(C.Value(R)) : nullptr);
          J.attribute("whole", R.Stats.Whole);
        });
    });
  });
  OS << '\n';
}

Expected<ExitCode> report(Options &O) {
  if (Error E = O.Chosen.prepare())
    return E;
  bool WithSource = O.As != Format::Text || O.Chosen.Code.inText();
  auto T = readRows(O.Chosen, O.By, O.Jobs, WithSource);
  if (!T)
    return T.takeError();
  sortRows(T->Rows, O.Sort);
  limitRows(T->Rows, O.Limit);
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  if (O.As == Format::Json)
    writeJson((*To)->stream(), *T);
  else if (O.As == Format::Csv)
    writeCsv((*To)->stream(), *T);
  else if (!T->Rows.empty())
    writeText((*To)->stream(), *T, O.By != GroupBy::Nothing, O.Chosen);
  if (T->Rows.empty())
    note(T->WhyEmpty);
  if (Error E = (*To)->close())
    return E;
  return Done;
}

} // namespace

void tpctl::addReport(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb = Line.addVerb(
      "report", "how often each function was called and how long it took");
  O->Chosen.addFiles(Verb, /*Several=*/true);
  O->Chosen.addCuts(Verb);
  O->Chosen.addDurations(Verb);
  O->Chosen.addNames(Verb);
  O->Chosen.Code.addLines(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.addChoice("--by", O->By,
                 {{"thread", GroupBy::Thread},
                  {"process", GroupBy::Process},
                  {"host", GroupBy::Host},
                  {"module", GroupBy::Module},
                  {"file", GroupBy::File}},
                 "WHAT",
                 "thread, process, host, module or file; a table for each");
  std::vector<std::string> Sorts = {"name"};
  for (const Column &C : Columns)
    Sorts.push_back(C.Name.str());
  Verb.addOption("--sort", O->Sort, "COLUMN",
                 "calls, total, self, min, avg, p50, p90, p99, max, name")
      .oneOf(Sorts);
  Verb.addOption("-n", O->Limit, "N", "only the first N rows");
  Verb.addChoice(
      "--format", O->As,
      {{"text", Format::Text}, {"json", Format::Json}, {"csv", Format::Csv}},
      "FORMAT", "text, json or csv");
  Verb.addOption("-o", O->Path, "FILE", "write to this file");
  Verb.addOption("-j", O->Jobs, "N", "threads to read with");
  Verb.setAction([O] { return report(*O); });
}
