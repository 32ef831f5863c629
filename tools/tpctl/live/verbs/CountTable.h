// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of tpctl count: text, JSON and CSV. Nothing here communicates with
// a process.

#ifndef TPCTL_LIVE_VERBS_COUNTTABLE_H
#define TPCTL_LIVE_VERBS_COUNTTABLE_H

#include "shared/Selection.h"
#include <map>
#include <string>
#include <sys/types.h>

namespace tpctl {

class VerbSyntax;

enum class CountBy { Function, Process, Thread };

/// How the rows are grouped.
struct CountKey {
  pid_t Pid = 0;      ///< 0: all processes together
  int32_t Thread = 0; ///< 0: all, or several that followed one another
  std::string Name, Module;
  bool operator<(const CountKey &Other) const;
};
using CountSums = std::map<CountKey, uint64_t>;
/// The hits a second without the `Earlier` ones.
uint64_t perSecond(uint64_t Count, uint64_t Earlier, double Seconds);

class CountTable {
public:
  enum class Format { Text, Json, Csv };

  /// -n, --format and --full-names.
  void addOptions(VerbSyntax &Verb);
  /// Writes one table. `Earlier` has the hits that came before the time of
  /// `Seconds`, while sites were turned on. The first table of CSV has the
  /// heading.
  void write(llvm::raw_ostream &OS, const CountSums &Of,
             const CountSums &Earlier, double Seconds, bool IsFirst) const;
  CountBy by() const { return By; }
  void setBy(CountBy What) { By = What; }
  Format format() const { return As; }
  size_t limit() const { return Limit; }
  bool fullNames() const { return Names.fullNames(); }

private:
  using Rows = std::vector<std::pair<CountKey, uint64_t>>;
  Rows sorted(const CountSums &Of) const;
  void writeText(llvm::raw_ostream &OS, const Rows &Of,
                 const CountSums &Earlier, double Seconds) const;
  void writeJson(llvm::raw_ostream &OS, const Rows &Of, double Seconds) const;
  void writeCsv(llvm::raw_ostream &OS, const Rows &Of, double Seconds,
                bool IsFirst) const;

  CountBy By = CountBy::Function;
  Format As = Format::Text;
  Selection Names;
  size_t Limit = 0;
};

} // namespace tpctl

#endif
