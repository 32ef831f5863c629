// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU time that the probes of a process may cost, and the functions whose
// probes are reduced if the cost is higher. Nothing here communicates with a
// process.

#ifndef TPCTL_LIVE_MEASURE_ALLOWANCE_H
#define TPCTL_LIVE_MEASURE_ALLOWANCE_H

#include <cstdint>
#include <vector>

namespace tpctl {

/// What tpctl does at each hit of a function, from the most expensive to the
/// cheapest.
enum class Level { Timed, Counted, Off };
/// The name in JSON.
const char *stateText(Level L);

/// The CPU time, in nanoseconds, of a timed call (an entry and an exit) and of
/// a counted hit.
struct HitCosts {
  double Timed, Counted;
  double of(Level L) const;
};

/// The hits of a function since the last check.
struct Load {
  uint32_t Site = 0;
  Level Now = Level::Timed;
  uint64_t Hits = 0;
  /// The measured self time of a call, in nanoseconds. 0: not measured. If the
  /// function is only counted now, that of its timed calls.
  double SelfPerHit = 0;
};

/// The CPU time that the probes of a process may cost. As the process uses CPU
/// time, the budget's share of that time is added to the allowance. The cost of
/// each hit is subtracted. The allowance has an upper bound: even after a long
/// quiet time, only a short burst of hits is allowed.
///
/// A process that mostly waits uses so little CPU time that a few thousand
/// calls a second would exceed any share of it, though they cost nearly
/// nothing. So each process counts as using at least a small part of a
/// processor.
class Allowance {
public:
  Allowance(double Share, HitCosts Costs) : Share(Share), Costs(Costs) {}
  /// Takes the CPU time, the time that has passed, both in nanoseconds, and the
  /// hits since the last call. Returns the functions that must go down one
  /// level: those whose probes cost the most relative to the self time that
  /// they measure. So a function of 30 ns goes before one of 20 us, however
  /// often each is called. A function that is too expensive even if it is only
  /// counted will be turned off next. The others do not lose their times for
  /// its sake, nor do functions that cost next to nothing.
  std::vector<Load> judge(double Cpu, double Passed, std::vector<Load> Loads);

private:
  double costOf(const Load &L, Level At) const {
    return Costs.of(At) * static_cast<double>(L.Hits);
  }
  double costPerTime(const Load &L, Level At) const;
  std::vector<Level> reduce(const std::vector<Load> &Loads, double &Cost,
                            double Allowed) const;
  void restore(const std::vector<Load> &Loads, std::vector<Level> &Levels,
               double Cost, double Allowed) const;

  /// Two milliseconds. With this bound, a program with only some thousand calls
  /// never loses a function, even if the probes use a large share of its time.
  static constexpr double Most = 2e6;
  /// The part of a processor that each process counts as using. With a budget
  /// of 2 %, the probes may always cost a thousandth of a processor.
  static constexpr double LeastUse = 0.05;
  double Share;
  HitCosts Costs;
  double Left = Most;
};

} // namespace tpctl

#endif
