// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns counters into nanoseconds by the moments that a recording has. Filled
// by one thread; afterwards any thread may ask.

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
  /// To be called when all moments are there.
  void calibrate();

  /// False: the rate is not known, and all results are ticks.
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
