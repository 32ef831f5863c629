// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of tpctl count with expressions: a row for each combination of
// keys. Nothing here communicates with a process.

#ifndef TPCTL_LIVE_VERBS_KEYTABLE_H
#define TPCTL_LIVE_VERBS_KEYTABLE_H

#include "CountTable.h"
#include "live/measure/KeyText.h"

namespace tpctl {

class KeyTable {
public:
  /// `Style` has the format, -n and --full-names.
  KeyTable(const Ask &A, const CountTable &Style) : A(A), Style(Style) {}
  /// Writes one table. `Earlier` has the calls that came before the time of
  /// `Seconds`, while sites were turned on. With `Whole`, `Of` has all calls;
  /// otherwise the least and the greatest value are those of other calls, too.
  /// The first table of CSV has the heading.
  void write(llvm::raw_ostream &OS, const AggregateRows &Of,
             const AggregateRows &Earlier, double Seconds, bool Whole,
             bool IsFirst) const;

private:
  using Rows = std::vector<std::pair<KeyValues, AggregateSums>>;
  Rows sorted(const AggregateRows &Of) const;
  void writeText(llvm::raw_ostream &OS, const Rows &Of,
                 const AggregateRows &Earlier, double Seconds,
                 bool Whole) const;
  void writeJson(llvm::raw_ostream &OS, const Rows &Of, double Seconds,
                 bool Whole) const;
  void writeCsv(llvm::raw_ostream &OS, const Rows &Of, double Seconds,
                bool Whole, bool IsFirst) const;
  const Ask &A;
  const CountTable &Style;
};

/// A value as text: with a unit if it is a time.
std::string valueText(const Ask &A, std::optional<double> Value);

} // namespace tpctl

#endif
