// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts ticks to nanoseconds by readings of the counter and of
// CLOCK_MONOTONIC. The first reading is made when the runtime starts. Called on
// any thread, without the lock, and never in a hit.
#include "threads/clock.h"
#include "base/cancel.h"
#include "base/os_thread.h"
#include "sites/arch.h"
#include "threads/status.h"

namespace tprt {

namespace {
// Only the thread that has set `busy` writes these variables. Other threads
// read the copies below.
Calibration calibration;
bool busy;
uint64_t nsPerTick, lastTicks, waitTicks;
} // namespace

// A thread may be preempted between the reads of the two clocks. So the counter
// is read both before and after the other clock, and the attempt with the
// shortest time between these two reads is used. Reading ends after four
// consecutive attempts without improvement.
static Reading read() {
  Reading best{};
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0, since = 0; i < 32 && since < 4; ++i, ++since) {
    uint64_t before = readTicks(), ns = nanoseconds(),
             width = readTicks() - before;
    if (width >= least)
      continue;
    least = width;
    best = {before + width / 2, ns};
    since = 0;
  }
  return best;
}

// Returns 0 if the rate cannot be computed from the readings.
static uint64_t rateOf(const Reading &from, const Reading &to) {
  if (to.ns <= from.ns || to.ticks <= from.ticks)
    return 0;
  uint64_t span = to.ns - from.ns, ticks = to.ticks - from.ticks;
  // Keeps the product below 2^64.
  while (span >> (64 - Calibration::kShift))
    span >>= 1, ticks >>= 1;
  return ticks ? (span << Calibration::kShift) / ticks : 0;
}

static bool differ(uint64_t rate, uint64_t known) {
  return (rate > known ? rate - known : known - rate) > known / 1000;
}

void Calibration::take(Reading now) {
  if (!first.ns) {
    first = last = now;
    return;
  }
  if (now.ns - last.ns < kLeastSpan)
    return;
  uint64_t whole = rateOf(first, now);
  bool jumped = rate && !anew && differ(rateOf(last, now), rate);
  last = now;
  anew = jumped || !whole;
  if (anew)
    first = now;
  else
    rate = whole;
}

uint64_t Calibration::wait() const {
  uint64_t least = rate ? (kLeastSpan << kShift) / rate : 0;
  uint64_t span = last.ticks - first.ticks;
  return span > least ? span : least;
}

static void takeReading() {
  if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
    return;
  calibration.take(read());
  __atomic_store_n(&lastTicks, calibration.last.ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&waitTicks, calibration.wait(), __ATOMIC_RELAXED);
  __atomic_store_n(&nsPerTick, calibration.nsPerTick(), __ATOMIC_RELAXED);
  __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

void initialiseClock() {
  if (!__atomic_load_n(&lastTicks, __ATOMIC_RELAXED))
    takeReading();
}

// The first conversion waits until enough time has passed since the first
// reading. The wait is bounded; if the counter does not advance, the result is
// 0. A reading takes microseconds. So if `busy` stays set for 50 ms, it was set
// by a thread of the parent process before the fork.
static uint64_t firstRate() {
  initialiseClock();
  uint64_t rate = 0;
  CancelDisabled uncancelled;
  for (int i = 0; i < 10 && !rate; ++i) {
    takeReading();
    rate = __atomic_load_n(&nsPerTick, __ATOMIC_RELAXED);
    if (!rate)
      sleepFor(Calibration::kLeastSpan / 2);
    if (i == 5)
      __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
  }
  return rate;
}

static uint64_t convert(uint64_t ticks, uint64_t rate) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ticks) * rate >>
                               Calibration::kShift);
}

uint64_t nanosecondsInHit(uint64_t ticks) {
  return convert(ticks, __atomic_load_n(&nsPerTick, __ATOMIC_RELAXED));
}

} // namespace tprt

using namespace tprt;

uint64_t tprt_ticks_to_ns(uint64_t ticks) {
  uint64_t rate = __atomic_load_n(&nsPerTick, __ATOMIC_RELAXED);
  if (!rate) {
    rate = firstRate();
  } else if (readTicks() - __atomic_load_n(&lastTicks, __ATOMIC_RELAXED) >
             __atomic_load_n(&waitTicks, __ATOMIC_RELAXED)) {
    takeReading(); // even if the counter went back
    rate = __atomic_load_n(&nsPerTick, __ATOMIC_RELAXED);
  }
  return convert(ticks, rate);
}
