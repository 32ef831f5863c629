// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of tpctl top for scripts and files, with exact numbers and complete
// lines.

#ifndef TPCTL_LIVE_TOP_BATCH_H
#define TPCTL_LIVE_TOP_BATCH_H

#include "Table.h"
#include "llvm/Support/raw_ostream.h"

namespace tpctl {

enum class TopFormat { Text, Json, Csv };

class BatchWriter {
public:
  BatchWriter(TopFormat As, bool FullNames) : As(As), FullNames(FullNames) {}
  /// One table. CSV has its header line before the first one.
  void write(llvm::raw_ostream &OS, const TopTable &Table, const TopView &View,
             bool IsFirst) const;

private:
  void writeText(llvm::raw_ostream &OS, const TopTable &Table,
                 llvm::ArrayRef<TopRow> Rows, const TopView &View) const;
  TopFormat As;
  bool FullNames;
};

} // namespace tpctl

#endif
