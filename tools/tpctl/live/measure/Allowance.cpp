// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Allowance.h.

#include "Allowance.h"

#include "llvm/ADT/STLExtras.h"
#include <queue>
#include <tuple>

using namespace llvm;

namespace tpctl {

const char *stateText(Level L) {
  return L == Level::Timed ? "timed" : L == Level::Counted ? "counted" : "off";
}

double HitCosts::of(Level L) const {
  return L == Level::Timed ? Timed : L == Level::Counted ? Counted : 0;
}

/// What a probe costs relative to what it measures. Both refer to one call: a
/// time that is no longer measured does not grow with the calls. If nothing was
/// measured, all functions are alike.
double Allowance::costPerTime(const Load &L, Level At) const {
  return Costs.of(At) / std::max(L.SelfPerHit, 1.0);
}

/// Again and again, the function whose probe costs the most for what it
/// measures goes down one level; of several that are alike, the one that costs
/// the most. Returns the levels, and changes `Cost` accordingly.
std::vector<Level> Allowance::reduce(const std::vector<Load> &Loads,
                                     double &Cost, double Allowed) const {
  // The relative cost, the cost, and the index in `Loads`, after the steps so
  // far.
  using Entry = std::tuple<double, double, size_t>;
  std::priority_queue<Entry> Queue;
  std::vector<Level> Levels;
  for (size_t I = 0; I != Loads.size(); ++I) {
    const Load &L = Loads[I];
    Levels.push_back(L.Now);
    if (double Own = costOf(L, L.Now); Own > 0)
      Queue.emplace(costPerTime(L, L.Now), Own, I);
  }
  while (Cost > Allowed && !Queue.empty()) {
    const auto [Relative, Before, I] = Queue.top();
    Queue.pop();
    Level &Now = Levels[I];
    Now = Now == Level::Timed ? Level::Counted : Level::Off;
    const double After = costOf(Loads[I], Now);
    Cost += After - Before;
    if (After > 0)
      Queue.emplace(costPerTime(Loads[I], Now), After, I);
  }
  return Levels;
}

/// The last step may save more than is needed, and some steps save next to
/// nothing. The cheapest functions keep their levels as long as they fit.
void Allowance::restore(const std::vector<Load> &Loads,
                        std::vector<Level> &Levels, double Cost,
                        double Allowed) const {
  auto saved = [&](size_t I) {
    return costOf(Loads[I], Loads[I].Now) - costOf(Loads[I], Levels[I]);
  };
  std::vector<size_t> Reduced;
  for (size_t I = 0; I != Loads.size(); ++I)
    if (Levels[I] != Loads[I].Now)
      Reduced.push_back(I);
  stable_sort(Reduced, [&](size_t A, size_t B) { return saved(A) < saved(B); });
  for (size_t I : Reduced) {
    Cost += saved(I);
    if (Cost > Allowed)
      return;
    Levels[I] = Loads[I].Now;
  }
}

std::vector<Load> Allowance::judge(double Cpu, double Passed,
                                   std::vector<Load> Loads) {
  const double Used = std::max(Cpu, LeastUse * Passed);
  double Cost = 0;
  for (const Load &L : Loads)
    Cost += costOf(L, L.Now);
  Left = std::min(Most, Left + Share * Used - Cost);
  if (Left >= 0)
    return {};
  // The remaining functions are judged again, only by hits from now on.
  Left = Most;
  // A little less than the budget, because the process will use less time.
  const double Allowed = 0.8 * Share * Used;
  std::vector<Level> Levels = reduce(Loads, Cost, Allowed);
  restore(Loads, Levels, Cost, Allowed);
  std::vector<Load> Down;
  for (size_t I = 0; I != Loads.size(); ++I)
    if (Levels[I] != Loads[I].Now)
      Down.push_back(Loads[I]);
  stable_sort(Down, [&](const Load &A, const Load &B) {
    return costOf(A, A.Now) > costOf(B, B.Now);
  });
  return Down;
}

} // namespace tpctl
