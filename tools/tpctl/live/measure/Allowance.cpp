// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Allowance.h.

#include "Allowance.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {

const char *stateText(Level L) {
  return L == Level::Timed ? "timed" : L == Level::Counted ? "counted" : "off";
}

double HitCosts::of(Level L) const {
  return L == Level::Timed ? Timed : L == Level::Counted ? Counted : 0;
}

std::vector<Load> Allowance::judge(double Cpu, double Passed,
                                   std::vector<Load> Loads) {
  const double Used = std::max(Cpu, LeastUse * Passed);
  auto costOf = [&](const Load &L) {
    return Costs.of(L.Now) * static_cast<double>(L.Hits);
  };
  double Cost = 0;
  for (const Load &L : Loads)
    Cost += costOf(L);
  Left = std::min(Most, Left + Share * Used - Cost);
  if (Left >= 0)
    return {};
  // The remaining functions are judged again, only by hits from now on.
  Left = Most;
  // A little less than the budget, because the process will use less time.
  double Allowed = 0.8 * Share * Used;
  stable_sort(Loads, [&](const Load &A, const Load &B) {
    return costOf(A) > costOf(B);
  });
  std::vector<Load> Down;
  for (const Load &L : Loads) {
    if (Cost <= Allowed || !L.Hits)
      break;
    Level Next = L.Now == Level::Timed ? Level::Counted : Level::Off;
    Cost -= costOf(L) - Costs.of(Next) * static_cast<double>(L.Hits);
    Down.push_back(L);
  }
  return Down;
}

} // namespace tpctl
