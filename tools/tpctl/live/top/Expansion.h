// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callees of one function, for tpctl top. After the function is expanded,
// the calls that it makes are timed separately from those of other callers.

#ifndef TPCTL_LIVE_TOP_EXPANSION_H
#define TPCTL_LIVE_TOP_EXPANSION_H

#include "Table.h"
#include "live/targets/CodeNames.h"

namespace tpctl {

class Expansion {
public:
  /// `Name` is the function's name in the table.
  Expansion(std::string Name, const Patterns &P)
      : Name(std::move(Name)), P(P) {}

  /// Times the functions of the patterns by caller, in addition to the table's
  /// own group and outside the budget.
  llvm::Error begin(Target &At);
  /// Reads the processes that have not ended.
  void read(Target &At);
  /// Detaches the probes.
  void end(Target &At);

  const std::string &name() const { return Name; }
  std::vector<TopRow> rows(TopView View) const;

private:
  struct Process {
    uint32_t Group = 0;
    SiteNames Names;
    CodeNames Code;
    std::map<std::string, CallTimes> Rows; ///< as last reported
  };
  llvm::Error readOne(Connection &C, Process &Of);

  std::string Name;
  const Patterns &P;
  std::map<pid_t, Process> Processes;
  TopTable Table;
  Target::Clock::time_point Begin;
};

} // namespace tpctl

#endif
