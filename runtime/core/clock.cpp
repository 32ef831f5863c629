// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ticks to nanoseconds, by CLOCK_MONOTONIC: two readings of both clocks, the
// first when the runtime starts. Never in a hit.
#include "core/clock.h"
#include "core/arch.h"
#include "core/status.h"

#include <time.h>

namespace tprt {

namespace {
struct Reading {
  uint64_t ticks, ns;
};
constexpr uint64_t kLeastSpan = 20'000'000; // ns: an error below 1e-4
constexpr unsigned kShift = 24;
Reading first;
uint64_t nsPerTick; // times 2^kShift; 0: not measured yet
} // namespace

uint64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(now.tv_nsec);
}

static Reading read() {
  uint64_t ns = nanoseconds();
  return {readTicks(), ns};
}

void initialiseClock() {
  if (!first.ns)
    first = read();
}

static uint64_t measure() {
  Reading start = first.ns ? first : read(), end;
  while (end = read(), end.ns - start.ns < kLeastSpan) {
    timespec pause = {0, static_cast<long>(kLeastSpan - (end.ns - start.ns))};
    nanosleep(&pause, nullptr);
  }
  uint64_t span = end.ns - start.ns, ticks = end.ticks - start.ticks;
  // Keeps the product below 2^64.
  while (span >> (64 - kShift))
    span >>= 1, ticks >>= 1;
  return ticks ? (span << kShift) / ticks : 0;
}

} // namespace tprt

using namespace tprt;

uint64_t tprt_ticks_to_ns(uint64_t ticks) {
  uint64_t factor = __atomic_load_n(&nsPerTick, __ATOMIC_RELAXED);
  if (!factor) {
    factor = measure();
    __atomic_store_n(&nsPerTick, factor, __ATOMIC_RELAXED);
  }
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ticks) * factor >>
                               kShift);
}
