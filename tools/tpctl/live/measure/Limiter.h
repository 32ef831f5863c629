// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps what the probes of one group cost in one process within the budget:
// functions that are hit too often go from timed to counted, and from counted
// to off. They never come back.

#ifndef TPCTL_LIVE_MEASURE_LIMITER_H
#define TPCTL_LIVE_MEASURE_LIMITER_H

#include "Budget.h"
#include "live/requests/Requests.h"
#include <chrono>
#include <map>

namespace tpctl {

/// A function that has left the group.
struct Reduced {
  Level Now = Level::Counted;
  /// Hits since it left a group that times, as long as it was counted. Of a
  /// group that counts: all that were seen.
  uint64_t Counted = 0;
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

  /// `First`: what the group does. The connection and the patterns have to
  /// outlive this.
  Limiter(Connection &C, const Patterns &P, const Budget &B, uint32_t Group,
          Level First);

  /// To be called after the group was read. `Hits` are those of each of its
  /// functions since the attach.
  llvm::Error look(const std::map<uint32_t, uint64_t> &Hits);
  /// When the next look is due: soon at first and after each step down, then
  /// every tenth of a second. `Took` is how long a reading of the group takes,
  /// which holds the process up.
  Clock::time_point next(Clock::duration Took) const;

  /// The functions that were reduced, by site.
  const std::map<uint32_t, Reduced> &reduced() const { return Gone; }
  /// The steps since the last call.
  std::vector<StepDown> takeSteps();

private:
  double cpuTime() const;
  llvm::Error addCounted(std::vector<Load> &To);
  llvm::Error lower(llvm::ArrayRef<Load> Down);
  llvm::Error count(llvm::ArrayRef<uint32_t> Sites);

  Connection &C;
  const Patterns &P;
  const Budget &B;
  uint32_t Group, Counting = 0; ///< groups; 0: there is none
  Level First;
  Allowance Allowed;
  std::map<uint32_t, uint64_t> Before; ///< hits at the last look
  std::map<uint32_t, Reduced> Gone;
  std::vector<StepDown> Steps;
  double Cpu;
  Clock::time_point Looked = Clock::now();
  Clock::duration Wait;
};

/// How long to wait after a reading that took so long: reading takes a
/// hundredth of the process's time at most, but a process that ends waits for a
/// second.
Limiter::Clock::duration pauseAfter(Limiter::Clock::duration Took,
                                    Limiter::Clock::duration Least);

/// Messages about steps down. `NameOf` gives the name of a site.
std::vector<std::string>
describeSteps(llvm::ArrayRef<StepDown> Steps, const Budget &B,
              llvm::function_ref<std::string(uint32_t)> NameOf);

} // namespace tpctl

#endif
