// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the tables that handlers fill (tprt/run.h), and how they are
// shown. Nothing here communicates with a process.

#ifndef TPCTL_LIVE_RUN_RUNTABLES_H
#define TPCTL_LIVE_RUN_RUNTABLES_H

#include "HandlerFile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace tpctl {

/// A key: numbers, then a text.
struct RunKey {
  std::vector<uint64_t> Numbers;
  std::optional<std::string> Text;
  bool operator<(const RunKey &Other) const {
    return std::tie(Numbers, Text) < std::tie(Other.Numbers, Other.Text);
  }
};

struct RunSums {
  uint64_t Hits = 0;
  int64_t Sum = 0, Least = 0, Greatest = 0;
  void add(const RunSums &Other);
};

using RunRows = std::map<RunKey, RunSums>;

/// The rows in the memory of a table.
RunRows rowsOf(llvm::StringRef Memory);
void addRows(RunRows &To, const RunRows &Of);

/// Writes a table as text, at most `Limit` rows; 0: all.
void writeText(llvm::raw_ostream &OS, const RunTable &Table,
               const RunRows &Rows, size_t Limit);
/// Writes a table as a JSON object in one line.
void writeJson(llvm::raw_ostream &OS, const RunTable &Table,
               const RunRows &Rows, size_t Limit);

} // namespace tpctl

#endif
