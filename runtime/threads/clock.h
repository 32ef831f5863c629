// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's clock, and the length of one tick of the processor's counter.
// Any thread may call these functions, without the lock. tprt_ticks_to_ns() may
// also be called inside handlers.
#ifndef TPRT_THREADS_CLOCK_H
#define TPRT_THREADS_CLOCK_H

#include <stdint.h>

namespace tprt {

// The same conversion in hits: at the rate that is known, without a reading, so
// without a system call. 0 if no rate is known yet.
uint64_t nanosecondsInHit(uint64_t ticks);

// Makes the first of the readings that tprt_ticks_to_ns() compares.
void initialiseClock();

// Both clocks, read at the same moment.
struct Reading {
  uint64_t ticks, ns;
};

// The length of a tick, computed from the readings so far.
//
// The errors of the first and the last reading matter less as the time between
// the two grows. So a new reading is made whenever that time has doubled. The
// counter may jump: a suspended machine stops CLOCK_MONOTONIC and may reset the
// counter, and a migrated virtual machine may get another counter. If the
// length of a tick since the last reading differs from the known length by more
// than a thousandth, the last interval is ignored, and the measurement begins
// again.
class Calibration {
public:
  // In nanoseconds. Over this time the error is below 1e-4.
  static constexpr uint64_t kLeastSpan = 20'000'000;
  static constexpr unsigned kShift = 24;

  void take(Reading now);
  // Nanoseconds per tick, times 2^kShift; 0 if not known yet.
  uint64_t nsPerTick() const { return rate; }
  // The number of ticks from the last reading to the next one.
  uint64_t wait() const;
  Reading last{};

private:
  Reading first{};
  uint64_t rate = 0;
  bool anew = false; // The measurement began after a jump.
};

} // namespace tprt

#endif
