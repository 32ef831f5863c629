// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tpctl top for scripts and files, with exact numbers and complete
// lines.

#ifndef TPCTL_LIVE_TOP_BATCH_H
#define TPCTL_LIVE_TOP_BATCH_H

#include "Source.h"
#include "Table.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

enum class TopFormat { Text, Json, Csv };

class BatchWriter {
public:
  /// `Keys` are those of the rows; nullptr: the rows are functions.
  BatchWriter(TopFormat As, bool FullNames, const TopKeys *Keys)
      : As(As), FullNames(FullNames), Keys(Keys) {}
  /// One table. CSV has its header line before the first one.
  void write(llvm::raw_ostream &OS, const TopTable &Table, const TopView &View,
             bool IsFirst) const;

private:
  void writeText(llvm::raw_ostream &OS, const TopTable &Table,
                 llvm::ArrayRef<TopRow> Rows, const TopView &View) const;
  void writeJson(llvm::raw_ostream &OS, const TopTable &Table,
                 llvm::ArrayRef<TopRow> Rows) const;
  void writeCsv(llvm::raw_ostream &OS, const TopTable &Table,
                llvm::ArrayRef<TopRow> Rows, bool IsFirst) const;
  TopFormat As;
  bool FullNames;
  const TopKeys *Keys;
};

} // namespace tpctl

#endif
