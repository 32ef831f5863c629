// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The histograms of tpctl hist with expressions: one for each combination of
// keys. Nothing here communicates with a process.

#ifndef TPCTL_LIVE_VERBS_VALUEHISTOGRAM_H
#define TPCTL_LIVE_VERBS_VALUEHISTOGRAM_H

#include "KeyTable.h"
#include "TableTime.h"

namespace tpctl {

class ValueHistogram {
public:
  ValueHistogram(const Ask &A, bool FullNames) : A(A), FullNames(FullNames) {}
  /// Whether the rows are shown with their keys.
  void showKeys(bool Do) { HasKeys = Do; }
  /// The orders that --sort can have here.
  static bool canSortBy(llvm::StringRef Key);
  using Rows = std::vector<std::pair<KeyValues, AggregateSums>>;
  /// The rows in this order, the largest first, at most `Limit` of them; 0:
  /// all.
  static Rows sorted(const AggregateRows &Of, llvm::StringRef Key,
                     size_t Limit);
  /// If the rows have only the calls of an interval, the least and the greatest
  /// value are those of other calls, too, and are left out.
  void writeText(llvm::raw_ostream &OS, const Rows &Of,
                 const TableTime &At) const;
  void writeJson(llvm::raw_ostream &OS, const Rows &Of,
                 const TableTime &At) const;
  void writeCsv(llvm::raw_ostream &OS, const Rows &Of,
                const TableTime &At) const;

private:
  void writeOne(llvm::raw_ostream &OS, const AggregateSums &Of,
                bool IsPart) const;

  const Ask &A;
  bool FullNames, HasKeys = true;
};

} // namespace tpctl

#endif
