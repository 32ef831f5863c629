// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Allowance.h.

#include "Allowance.h"

#include "llvm/ADT/STLExtras.h"
#include <queue>

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
  // Again and again, the function that would cost the most goes down one level.
  // The queue has the indices in `Loads`, and the costs after the steps so far.
  using Entry = std::pair<double, size_t>;
  std::priority_queue<Entry> Queue;
  std::vector<Level> Levels;
  for (size_t I = 0; I != Loads.size(); ++I) {
    Levels.push_back(Loads[I].Now);
    Queue.emplace(costOf(Loads[I]), I);
  }
  while (Cost > Allowed && !Queue.empty() && Queue.top().first > 0) {
    auto [Before, I] = Queue.top();
    Queue.pop();
    Levels[I] = Levels[I] == Level::Timed ? Level::Counted : Level::Off;
    double After = Costs.of(Levels[I]) * static_cast<double>(Loads[I].Hits);
    Cost += After - Before;
    Queue.emplace(After, I);
  }
  std::vector<Load> Down;
  for (size_t I = 0; I != Loads.size(); ++I)
    if (Levels[I] != Loads[I].Now)
      Down.push_back(Loads[I]);
  return Down;
}

} // namespace tpctl
