// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Batch.h.

#include "Batch.h"

#include "live/measure/KeyText.h"
#include "shared/DistinctNames.h"
#include "shared/Output.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tpctl {

void BatchWriter::writeJson(raw_ostream &OS, const TopTable &Table,
                            ArrayRef<TopRow> Rows) const {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("seconds", Table.seconds());
    J.attribute("interval", Table.interval());
    J.attributeArray(Keys ? "rows" : "functions", [&] {
      for (const TopRow &R : Rows)
        J.object([&] {
          if (Keys) {
            writeKeys(J, Keys->asked(), Keys->keysOf(R.Name));
          } else {
            J.attribute("function", jsonText(R.Name));
            J.attribute("state", stateText(R.Now));
          }
          J.attribute("calls_per_second", R.PerSecond);
          J.attribute("calls", R.Calls);
          if (!Keys)
            J.attribute("counted", R.Counted);
          J.attribute("total_ns", R.Total);
          J.attribute("self_ns", R.Self);
          J.attribute("p50_ns", jsonTime(R.P50));
          J.attribute("p99_ns", jsonTime(R.P99));
          J.attribute("max_ns", jsonTime(R.Max));
        });
    });
  });
  OS << '\n';
}

/// Rows of keys have a column for each key. No budget changes their states.
void BatchWriter::writeCsv(raw_ostream &OS, const TopTable &Table,
                           ArrayRef<TopRow> Rows, bool IsFirst) const {
  if (IsFirst) {
    OS << "seconds,";
    if (Keys)
      for (const expressions::KeyFormat &F : Keys->asked().keys())
        OS << csvField(F.Heading) << ',';
    OS << (Keys ? "calls_per_second,calls"
                : "function,state,calls_per_second,calls,counted")
       << ",total_ns,self_ns,p50_ns,p99_ns,max_ns\n";
  }
  for (const TopRow &R : Rows) {
    OS << plainNumber(Table.seconds()) << ',';
    if (Keys)
      for (const auto &[I, F] : enumerate(Keys->asked().keys())) {
        const KeyValues &Of = Keys->keysOf(R.Name);
        OS << (I < Of.size() ? keyField(F, Of[I]) : "") << ',';
      }
    else
      OS << csvField(R.Name) << ',' << stateText(R.Now) << ',';
    OS << plainNumber(R.PerSecond) << ',' << R.Calls;
    if (!Keys)
      OS << ',' << R.Counted;
    OS << ',' << plainNumber(R.Total) << ',' << plainNumber(R.Self);
    for (const std::optional<double> &Time : {R.P50, R.P99, R.Max})
      OS << ',' << (Time ? plainNumber(*Time) : "");
    OS << '\n';
  }
}

void BatchWriter::writeText(raw_ostream &OS, const TopTable &Table,
                            ArrayRef<TopRow> Rows, const TopView &View) const {
  std::vector<std::string> Names;
  for (const TopRow &R : Rows)
    Names.push_back(R.Name);
  std::vector<std::string> Shown;
  if (Keys) {
    Shown = Keys->lines(Names, FullNames);
  } else {
    Shown = FullNames ? Names : distinctNames(Names);
    Shown.insert(Shown.begin(), "function");
  }
  OS << intervalText(Table.seconds(), View.LastInterval);
  OS << "    calls/s         calls      total       self      p50      p99"
        "      max    "
     << Shown.front() << '\n';
  for (const auto &[I, R] : enumerate(Rows)) {
    OS << formatv("{0,11:n} {1,13:n} {2,10} {3,10}",
                  static_cast<uint64_t>(R.PerSecond), R.Calls,
                  R.HasTimes ? timeText(R.Total) : "-",
                  R.HasTimes ? timeText(R.Self) : "-");
    for (const std::optional<double> &Time : {R.P50, R.P99, R.Max})
      OS << formatv(" {0,8}", Time ? timeText(*Time) : "-");
    OS << (R.Now == Level::Timed     ? "    "
           : R.Now == Level::Counted ? "  c "
                                     : "  - ")
       << Shown[I + 1] << '\n';
  }
  OS << '\n';
}

void BatchWriter::write(raw_ostream &OS, const TopTable &Table,
                        const TopView &View, bool IsFirst) const {
  std::vector<TopRow> Rows = Table.rows(View);
  switch (As) {
  case TopFormat::Json:
    return writeJson(OS, Table, Rows);
  case TopFormat::Text:
    return writeText(OS, Table, Rows, View);
  case TopFormat::Csv:
    return writeCsv(OS, Table, Rows, IsFirst);
  }
}

} // namespace tpctl
