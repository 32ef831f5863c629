// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --budget: which share of a process's CPU time its probes may cost, and which
// functions have to go when they cost more. Nothing here talks to a process.

#ifndef TPCTL_LIVE_MEASURE_BUDGET_H
#define TPCTL_LIVE_MEASURE_BUDGET_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tpctl {

/// What hits of a function do. Each level costs less than the one before.
enum class Level { Timed, Counted, Off };
/// As in JSON.
const char *stateText(Level L);

/// Nanoseconds of CPU time: of a timed call, which is an entry and an exit, and
/// of a counted hit.
struct HitCosts {
  double Timed, Counted;
  double of(Level L) const;
};

class Budget {
public:
  /// The text that holds where the option is not given.
  explicit Budget(std::string Default) : Text(std::move(Default)) {}
  /// --budget.
  void addOption(CLI::App &Verb);
  /// Reads the option, and measures what hits cost here.
  llvm::Error prepare();
  bool isOn() const { return Share > 0; }
  double share() const { return Share; }
  const HitCosts &costs() const { return Costs; }
  /// As given.
  const std::string &text() const { return Text; }

private:
  std::string Text;
  double Share = 0;
  HitCosts Costs{};
};

/// The hits of a function since the look before.
struct Load {
  uint32_t Site = 0;
  Level Now = Level::Timed;
  uint64_t Hits = 0;
};

/// What the probes of a process may cost. CPU time that the process uses adds
/// the budget's share to the allowance, and hits take their costs from it. The
/// allowance has an upper bound, so a burst of hits has to be short however
/// long the process was quiet.
class Allowance {
public:
  Allowance(double Share, HitCosts Costs) : Share(Share), Costs(Costs) {}
  /// Takes the CPU time, in nanoseconds, and the hits since the last call.
  /// Returns the functions that have to go one level down, the dearest first.
  std::vector<Load> judge(double Cpu, std::vector<Load> Loads);

private:
  /// Two milliseconds. A program that makes only some thousand calls never
  /// loses a function, whatever share of its time they are.
  static constexpr double Most = 2e6;
  double Share;
  HitCosts Costs;
  double Left = Most;
};

} // namespace tpctl

#endif
