// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Batch.h.

#include "Batch.h"

#include "shared/DistinctNames.h"
#include "shared/Output.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tpctl {
namespace {

void writeJson(raw_ostream &OS, const TopTable &Table, ArrayRef<TopRow> Rows) {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("seconds", Table.seconds());
    J.attribute("interval", Table.interval());
    J.attributeArray("functions", [&] {
      for (const TopRow &R : Rows)
        J.object([&] {
          J.attribute("function", jsonText(R.Name));
          J.attribute("state", stateText(R.Now));
          J.attribute("calls_per_second", R.PerSecond);
          J.attribute("calls", R.Calls);
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

void writeCsv(raw_ostream &OS, const TopTable &Table, ArrayRef<TopRow> Rows) {
  for (const TopRow &R : Rows) {
    OS << plainNumber(Table.seconds()) << ',' << csvField(R.Name) << ','
       << stateText(R.Now) << ',' << plainNumber(R.PerSecond) << ',' << R.Calls
       << ',' << R.Counted;
    OS << ',' << plainNumber(R.Total) << ',' << plainNumber(R.Self);
    for (const std::optional<double> &Time : {R.P50, R.P99, R.Max})
      OS << ',' << (Time ? plainNumber(*Time) : "");
    OS << '\n';
  }
}

} // namespace

void BatchWriter::writeText(raw_ostream &OS, const TopTable &Table,
                            ArrayRef<TopRow> Rows, const TopView &View) const {
  OS << intervalText(Table.seconds(), View.LastInterval);
  OS << "    calls/s         calls      total       self      p50      p99"
        "      max    function\n";
  const std::vector<std::string> Shown =
      namesOfRows(Rows, [](auto &R) { return R.Name; }, FullNames);
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
       << Shown[I] << '\n';
  }
  OS << '\n';
}

void BatchWriter::write(raw_ostream &OS, const TopTable &Table,
                        const TopView &View, bool IsFirst) const {
  std::vector<TopRow> Rows = Table.rows(View);
  if (As == TopFormat::Json)
    return writeJson(OS, Table, Rows);
  if (As == TopFormat::Text)
    return writeText(OS, Table, Rows, View);
  if (IsFirst)
    OS << "seconds,function,state,calls_per_second,calls,counted,total_ns,"
          "self_ns,p50_ns,p99_ns,max_ns\n";
  writeCsv(OS, Table, Rows);
}

} // namespace tpctl
