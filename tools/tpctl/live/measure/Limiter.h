// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the cost of one group's probes in one process within the budget:
// functions that are hit too often change from timed to counted, and from
// counted to off. They never change back.

#ifndef TPCTL_LIVE_MEASURE_LIMITER_H
#define TPCTL_LIVE_MEASURE_LIMITER_H

#include "Budget.h"
#include "live/requests/Requests.h"
#include <chrono>
#include <map>

namespace tpctl {

/// A function that was detached from its group.
struct Reduced {
  Level Now = Level::Counted;
  /// For a timed group: the hits since the function left the group, as long as
  /// it was counted. For a counted group: all hits that were seen.
  uint64_t Counted = 0;
  double SelfPerHit = 0; ///< of its timed calls, see Load
};

/// A step down, for a message.
struct StepDown {
  uint32_t Site;
  Level To;
  double PerSecond;
};

class Limiter {
public:
  using Clock = std::chrono::steady_clock;

  /// `First` is the first level of the group. The connection and the patterns
  /// must outlive this object.
  Limiter(Connection &C, const Patterns &P, const Budget &B, uint32_t Group,
          Level First);

  /// Call this before each reading of the group. The budget compares the hits
  /// with the CPU time at the middle of the reading: reading many functions
  /// takes long.
  void beginReading() { Reading = now(); }
  /// All sites are on. The budget applies from now on. `Hits` has the hits of
  /// each function until now.
  void begin(std::map<uint32_t, uint64_t> Hits);
  /// Call this after each reading of the group. `Hits` has the hits of each of
  /// its functions since the attach, and `SelfPerHit` the measured self time of
  /// a call, in nanoseconds, if there is one.
  llvm::Error look(const std::map<uint32_t, uint64_t> &Hits,
                   const std::map<uint32_t, double> &SelfPerHit);
  /// The time of the next check. At first and after each step down, the next
  /// check is soon. Later, checks are a tenth of a second apart. `Took` is the
  /// duration of a reading of the group. A reading delays the process.
  Clock::time_point next(Clock::duration Took) const;

  /// The functions that were reduced, by site.
  const std::map<uint32_t, Reduced> &reduced() const { return Gone; }
  /// The steps since the last call.
  std::vector<StepDown> takeSteps();

private:
  struct Moment {
    Clock::time_point Time;
    double Cpu; ///< the CPU time of the process, in nanoseconds
  };
  Moment now() const;
  Moment middleOfReading() const;
  llvm::Error addCounted(std::vector<Load> &To);
  llvm::Error lower(llvm::ArrayRef<Load> Down);
  llvm::Error count(llvm::ArrayRef<uint32_t> Sites);

  Connection &C;
  const Patterns &P;
  const Budget &B;
  uint32_t Group, Counting = 0; ///< groups; 0 means none
  Level First;
  Allowance Allowed;
  std::map<uint32_t, uint64_t> Before; ///< hits at the last check
  std::map<uint32_t, Reduced> Gone;
  std::vector<StepDown> Steps;
  Moment Reading, Last; ///< of the reading that has begun, and of the last one
  Clock::time_point Looked = Clock::now(); ///< the end of the last check
  Clock::duration Wait;
};

/// How long to wait after a reading of this duration. Reading may use at most a
/// hundredth of the process's time. But an ending process waits only a second
/// for tpctl.
Limiter::Clock::duration pauseAfter(Limiter::Clock::duration Took,
                                    Limiter::Clock::duration Least);

/// Messages about steps down. `NameOf` gives the name of a site.
std::vector<std::string>
describeSteps(llvm::ArrayRef<StepDown> Steps, const Budget &B,
              llvm::function_ref<std::string(uint32_t)> NameOf);

} // namespace tpctl

#endif
