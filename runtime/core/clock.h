// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's clock, and how long a tick of the processor's counter is.
#ifndef TPRT_CORE_CLOCK_H
#define TPRT_CORE_CLOCK_H

#include <stdint.h>

namespace tprt {

// Takes the first of the readings that tprt_ticks_to_ns() compares.
void initialiseClock();

// Both clocks at one moment.
struct Reading {
  uint64_t ticks, ns;
};

// What the readings taken so far tell of the length of a tick.
//
// The longer the span between the first and the last, the less the error of
// either counts, so a reading is worth taking whenever that span has doubled.
// The counter may jump: a suspended machine stops CLOCK_MONOTONIC and may reset
// the counter, and a virtual machine that is moved may find another counter.
// Where a tick of the time since the last reading differs by more than a
// thousandth from what is known, that time is not used, and the span begins
// anew.
class Calibration {
public:
  static constexpr uint64_t kLeastSpan = 20'000'000; // ns: an error below 1e-4
  static constexpr unsigned kShift = 24;

  void take(Reading now);
  // Nanoseconds a tick, times 2^kShift; 0: not known yet.
  uint64_t nsPerTick() const { return rate; }
  // Ticks behind the last reading after which to take another.
  uint64_t wait() const;
  Reading last{};

private:
  Reading first{};
  uint64_t rate = 0;
  bool anew = false; // the span began behind a jump
};

} // namespace tprt

#endif
