// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one function calls, for tpctl top: its callees' calls are timed apart
// from the calls of other callers, from the moment on at which it was expanded.

#ifndef TPCTL_LIVE_TOP_EXPANSION_H
#define TPCTL_LIVE_TOP_EXPANSION_H

#include "Table.h"
#include "live/targets/CodeNames.h"

namespace tpctl {

class Expansion {
public:
  /// `Name`: as in the table.
  Expansion(std::string Name, const Patterns &P)
      : Name(std::move(Name)), P(P) {}

  /// Times what the patterns take by caller, beside the table's own group and
  /// outside the budget.
  llvm::Error begin(Target &At);
  /// Reads the processes that have not ended.
  void read(Target &At);
  /// Takes the probes off.
  void end(Target &At);

  const std::string &name() const { return Name; }
  std::vector<TopRow> rows(TopView View) const;

private:
  struct Process {
    uint32_t Group = 0;
    SiteNames Names;
    CodeNames Code;
    std::map<std::string, CallTimes> Rows; ///< as it told last
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
