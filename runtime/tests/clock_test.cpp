// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the computation of a tick's length from readings of the counter and the
// clock. The readings are artificial, for a counter of 3 GHz: a tick is a third
// of a nanosecond.
#include "threads/clock.h"

#include <gtest/gtest.h>

using tprt::Calibration;

namespace {
constexpr uint64_t kMs = 1'000'000;

struct Clock : testing::Test {
  Calibration calibration;
  uint64_t ns = 1000 * kMs, ticks = 5'000'000'000;

  void pass(uint64_t milliseconds, uint64_t ticksANanosecond = 3) {
    ns += milliseconds * kMs;
    ticks += milliseconds * kMs * ticksANanosecond;
  }
  void take() { calibration.take({ticks, ns}); }
  double rate() const {
    return static_cast<double>(calibration.nsPerTick()) /
           (1u << Calibration::kShift);
  }
};
} // namespace

TEST_F(Clock, NothingIsKnownBeforeTheSpanIsLongEnough) {
  take();
  EXPECT_EQ(calibration.nsPerTick(), 0u);
  pass(19);
  take();
  EXPECT_EQ(calibration.nsPerTick(), 0u);
  pass(1);
  take();
  EXPECT_NEAR(rate(), 1 / 3.0, 1e-6);
}

TEST_F(Clock, LongerSpansMakeAnErrorOfAReadingSmaller) {
  calibration.take({ticks - 3000, ns}); // 1 µs off
  pass(20);
  take();
  EXPECT_GT(1 / 3.0 - rate(), 1e-5);
  pass(20'000);
  take();
  EXPECT_NEAR(rate(), 1 / 3.0, 1e-6);
}

TEST_F(Clock, SuspendsThatResetTheCounterAreLeftOut) {
  take();
  pass(1000);
  take();
  ticks = 7; // CLOCK_MONOTONIC did not advance in the meantime
  pass(1000);
  take();
  EXPECT_NEAR(rate(), 1 / 3.0, 1e-6);
  pass(1000);
  take();
  EXPECT_NEAR(rate(), 1 / 3.0, 1e-6);
}

TEST_F(Clock, SuspendsInWhichTheCounterGoesOnAreLeftOut) {
  take();
  pass(1000);
  take();
  ticks += 3600 * 1000 * kMs;
  pass(1000);
  take();
  EXPECT_NEAR(rate(), 1 / 3.0, 1e-6);
  pass(1000);
  take();
  EXPECT_NEAR(rate(), 1 / 3.0, 1e-6);
}

TEST_F(Clock, AnotherMachinesCounterIsMeasuredAnew) {
  take();
  pass(1000);
  take();
  pass(500, 2); // as on a virtual machine that was moved to another host
  take();
  pass(100, 2);
  take();
  EXPECT_NEAR(rate(), 1 / 2.0, 1e-6);
}

TEST_F(Clock, ReadingsAreDueWhenTheSpanHasDoubled) {
  take();
  pass(1000);
  take();
  EXPECT_EQ(calibration.wait(), 1000 * kMs * 3);
}
