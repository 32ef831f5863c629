// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a table of tpctl hist: with --interval, there are several tables,
// and each says when it was made.

#ifndef TPCTL_LIVE_VERBS_TABLETIME_H
#define TPCTL_LIVE_VERBS_TABLETIME_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace tpctl {

struct TableTime {
  std::optional<double> Seconds; ///< since the start; only with --interval
  bool IsPart = false;           ///< only the calls since the table before
  bool IsFirst = true;           ///< no table precedes it

  /// The first line of text.
  void writeText(llvm::raw_ostream &OS) const;
  /// The rows: an array, or with --interval an object in one line.
  void writeJson(llvm::raw_ostream &OS,
                 llvm::function_ref<void(llvm::json::OStream &)> Rows) const;
  /// The heading of CSV, if it is needed.
  void writeCsv(llvm::raw_ostream &OS, llvm::StringRef Heading) const;
  /// What a row of CSV begins with.
  void beginRow(llvm::raw_ostream &OS) const;
};

} // namespace tpctl

#endif
