// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --budget: the share of a process's CPU time that its probes may cost.

#ifndef TPCTL_LIVE_MEASURE_BUDGET_H
#define TPCTL_LIVE_MEASURE_BUDGET_H

#include "Allowance.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tpctl {

class VerbSyntax;

class Budget {
public:
  /// The default value of the option.
  explicit Budget(std::string Default) : Text(std::move(Default)) {}
  /// --budget.
  void addOption(VerbSyntax &Verb);
  /// Reads the option, and measures the cost of hits on this machine.
  llvm::Error prepare();
  bool isOn() const { return Share > 0; }
  /// Whether the option was given.
  bool isGiven() const;
  double share() const { return Share; }
  const HitCosts &costs() const { return Costs; }
  /// The option's text.
  const std::string &text() const { return Text; }

private:
  std::string Text;
  const VerbSyntax *Verb = nullptr;
  double Share = 0;
  HitCosts Costs{};
};

} // namespace tpctl

#endif
