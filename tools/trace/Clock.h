// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts counters to nanoseconds, by the moments in a recording. One thread
// adds the moments; afterwards any thread may use the clock.

#ifndef TP_TRACE_CLOCK_H
#define TP_TRACE_CLOCK_H

#include "tprt/trace_file.h"
#include <cstddef>
#include <vector>

namespace tp::trace {

class Clock {
public:
  explicit Clock(const tprt_trace_header &Header);
  void add(const tprt_trace_moment &Moment);
  /// Call this after all moments were added.
  void calibrate();

  /// Returns false if the rate is unknown. In that case, all results are ticks.
  bool known() const { return Known; }
  double durationOf(uint64_t Ticks) const {
    return static_cast<double>(Ticks) * Rate;
  }
  uint64_t ticksOf(double Nanoseconds) const;
  /// Nanoseconds since recording began; negative before that.
  double sinceStart(uint64_t Counter) const;
  /// CLOCK_REALTIME; 0 if the recording has no moment.
  double realtimeOf(uint64_t Counter) const;
  size_t moments() const { return Moments.size(); }

private:
  tprt_trace_moment Start;
  std::vector<tprt_trace_moment> Moments;
  std::vector<double> Rates; ///< from each moment to the next one
  double Rate = 1;
  bool Known = false;
  bool Nanoseconds;
  uint64_t Hz;
};

} // namespace tp::trace

#endif
