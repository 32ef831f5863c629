// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunTables.h.

#include "RunTables.h"

#include "Readable.h"
#include "shared/Output.h"
#include "tprt/run.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tpctl {

void RunSums::add(const RunSums &Other) {
  if (!Other.Hits)
    return;
  Least = Hits ? std::min(Least, Other.Least) : Other.Least;
  Greatest = Hits ? std::max(Greatest, Other.Greatest) : Other.Greatest;
  Hits += Other.Hits;
  // Modulo 2^64, as in the process.
  Sum = static_cast<int64_t>(static_cast<uint64_t>(Sum) +
                             static_cast<uint64_t>(Other.Sum));
}

/// Several rows may have one key, if threads have made them at once.
RunRows rowsOf(StringRef Memory) {
  RunRows All;
  for (; Memory.size() >= sizeof(tprt_run_row);
       Memory = Memory.drop_front(sizeof(tprt_run_row))) {
    tprt_run_row Row;
    memcpy(&Row, Memory.data(), sizeof Row);
    if (Row.state != TPRT_RUN_ROW_MADE || !Row.hits ||
        Row.numbers > TPRT_RUN_NUMBERS || Row.text_bytes > sizeof Row.text)
      continue;
    RunKey Key;
    Key.Numbers.assign(Row.keys, Row.keys + Row.numbers);
    if (Row.text_bytes)
      Key.Text = std::string(Row.text, Row.text_bytes);
    All[Key].add({Row.hits, Row.sum, Row.least, Row.greatest});
  }
  return All;
}

void addRows(RunRows &To, const RunRows &Of) {
  for (const auto &[Key, Sums] : Of)
    To[Key].add(Sums);
}

namespace {

using Sorted = std::vector<std::pair<RunKey, RunSums>>;

/// A histogram by value; other tables by hits, the most first.
Sorted sorted(const RunTable &Table, const RunRows &Rows, size_t Limit) {
  Sorted All(Rows.begin(), Rows.end());
  if (Table.IsHistogram)
    stable_sort(All, [](const auto &A, const auto &B) {
      auto of = [](const RunKey &K) {
        return K.Numbers.empty() ? int64_t{0}
                                 : static_cast<int64_t>(K.Numbers[0]);
      };
      return of(A.first) < of(B.first);
    });
  else
    stable_sort(All, [](const auto &A, const auto &B) {
      return A.second.Hits > B.second.Hits;
    });
  if (Limit && All.size() > Limit)
    All.resize(Limit);
  return All;
}

/// The bucket of tp_hist() that begins there.
std::string bucketText(uint64_t Start) {
  const auto Signed = static_cast<int64_t>(Start);
  if (Signed < 0)
    return "negative";
  if (Start < 2)
    return std::to_string(Start);
  return formatv("{0:n} to {1:n}", Start, Start * 2 - 1);
}

std::string numberText(const RunTable &Table, uint64_t Number) {
  return Table.IsHistogram ? bucketText(Number)
                           : std::to_string(static_cast<int64_t>(Number));
}

/// The cells of a key, as many as the table has headings.
std::vector<std::string> cellsOf(const RunTable &Table, const RunKey &Key) {
  std::vector<std::string> Cells;
  for (uint64_t Number : Key.Numbers)
    Cells.push_back(numberText(Table, Number));
  if (Key.Text)
    Cells.push_back(tp::trace::printable(*Key.Text));
  return Cells;
}

std::string headingAt(const RunTable &Table, size_t At) {
  return At < Table.Headings.size() && !Table.Headings[At].empty()
             ? Table.Headings[At]
             : "key" + std::to_string(At + 1);
}

/// Whether the values are more than the ones of a table that counts.
bool hasValues(const Sorted &Rows) {
  return any_of(Rows, [](const auto &Row) {
    return Row.second.Least != 1 || Row.second.Greatest != 1;
  });
}

/// "-" if the sum may have become too large.
std::string sumText(const RunSums &Of) {
  const double Most = std::max(std::abs(static_cast<double>(Of.Least)),
                               std::abs(static_cast<double>(Of.Greatest)));
  if (Most * static_cast<double>(Of.Hits) >= 9.2e18)
    return "-";
  return formatv("{0:n}", Of.Sum);
}

} // namespace

void writeText(raw_ostream &OS, const RunTable &Table, const RunRows &Rows,
               size_t Limit) {
  const Sorted All = sorted(Table, Rows, Limit);
  if (All.empty())
    return;
  OS << Table.Name << ":\n";
  const bool Values = !Table.IsHistogram && hasValues(All);
  std::vector<std::vector<std::string>> Cells;
  std::vector<size_t> Widths;
  uint64_t Most = 1;
  for (const auto &[Key, Sums] : All) {
    Cells.push_back(cellsOf(Table, Key));
    Widths.resize(std::max(Widths.size(), Cells.back().size()));
    Most = std::max(Most, Sums.Hits);
  }
  for (size_t I = 0; I != Widths.size(); ++I) {
    Widths[I] = headingAt(Table, I).size();
    for (const auto &Row : Cells)
      if (I < Row.size())
        Widths[I] = std::max(Widths[I], Row[I].size());
  }
  auto put = [&](const std::vector<std::string> &Row) {
    for (size_t I = 0; I != Row.size(); ++I) {
      OS << "  " << Row[I];
      if (I + 1 != Row.size() || Table.IsHistogram)
        OS.indent(static_cast<unsigned>(Widths[I] - Row[I].size()));
    }
  };
  OS << "          hits";
  if (Values)
    OS << "              sum          min          max";
  std::vector<std::string> Headings;
  for (size_t I = 0; I != Widths.size(); ++I)
    Headings.push_back(headingAt(Table, I));
  put(Headings);
  OS << '\n';
  for (size_t R = 0; R != All.size(); ++R) {
    const RunSums &Sums = All[R].second;
    OS << formatv("{0,14:n}", Sums.Hits);
    if (Values)
      OS << formatv("  {0,15} {1,12:n} {2,12:n}", sumText(Sums), Sums.Least,
                    Sums.Greatest);
    put(Cells[R]);
    constexpr uint64_t Columns = 30;
    if (Table.IsHistogram)
      OS << "  " << std::string(Sums.Hits * Columns / Most, '#');
    OS << '\n';
  }
}

void writeJson(raw_ostream &OS, const RunTable &Table, const RunRows &Rows,
               size_t Limit) {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("table", jsonText(Table.Name));
    J.attributeArray("rows", [&] {
      for (const auto &[Key, Sums] : sorted(Table, Rows, Limit))
        J.object([&, &Key = Key, &Sums = Sums] {
          J.attributeObject("keys", [&] {
            size_t At = 0;
            for (uint64_t Number : Key.Numbers)
              J.attribute(jsonText(headingAt(Table, At++)),
                          static_cast<int64_t>(Number));
            if (Key.Text)
              J.attribute(jsonText(headingAt(Table, At)), jsonText(*Key.Text));
          });
          J.attribute("hits", Sums.Hits);
          if (sumText(Sums) == "-")
            J.attribute("sum", nullptr);
          else
            J.attribute("sum", Sums.Sum);
          J.attribute("min", Sums.Least);
          J.attribute("max", Sums.Greatest);
        });
    });
  });
  OS << '\n';
}

} // namespace tpctl
