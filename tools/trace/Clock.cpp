// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Clock.h. Durations use one rate, that from the first moment to the last
// one, so that sums of durations are exact. Points in time are interpolated
// between the two nearest moments.

#include "Clock.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace tp::trace {
namespace {

double rateOf(const tprt_trace_moment &A, const tprt_trace_moment &B) {
  return static_cast<double>(B.monotonic - A.monotonic) /
         static_cast<double>(B.counter - A.counter);
}

double signedDifference(uint64_t A, uint64_t B) {
  return A >= B ? static_cast<double>(A - B) : -static_cast<double>(B - A);
}

} // namespace

Clock::Clock(const tprt_trace_header &Header)
    : Start(Header.start),
      Nanoseconds(Header.clock == TPRT_TRACE_CLOCK_MONOTONIC),
      Hz(Header.clock_hz) {
  if (Header.start.monotonic)
    Moments.push_back(Header.start);
  if (Header.state == TPRT_TRACE_STATE_CLOSED && Header.end.monotonic)
    Moments.push_back(Header.end);
}

void Clock::add(const tprt_trace_moment &Moment) { Moments.push_back(Moment); }

void Clock::calibrate() {
  llvm::stable_sort(Moments, [](const auto &A, const auto &B) {
    return A.counter < B.counter;
  });
  // A moment is useless unless it is later than the previous moment.
  std::vector<tprt_trace_moment> Kept;
  for (const tprt_trace_moment &M : Moments)
    if (Kept.empty() || (M.counter > Kept.back().counter &&
                         M.monotonic > Kept.back().monotonic))
      Kept.push_back(M);
  Moments = std::move(Kept);
  if (Nanoseconds)
    Known = true;
  else if (Moments.size() > 1)
    Known = true, Rate = rateOf(Moments.front(), Moments.back());
  else if (Hz)
    Known = true, Rate = 1e9 / static_cast<double>(Hz);
  Rates.assign(Moments.size(), Rate);
  for (size_t I = 0; I + 1 < Moments.size(); ++I)
    Rates[I] = rateOf(Moments[I], Moments[I + 1]);
}

uint64_t Clock::ticksOf(double Nanoseconds) const {
  double Ticks = Nanoseconds / Rate;
  return Ticks <= 0 ? 0 : Ticks >= 1.8e19 ? UINT64_MAX : uint64_t(Ticks + 0.5);
}

double Clock::sinceStart(uint64_t Counter) const {
  if (Moments.empty())
    return signedDifference(Counter, Start.counter) * Rate;
  auto Next = llvm::upper_bound(
      Moments, Counter,
      [](uint64_t C, const tprt_trace_moment &M) { return C < M.counter; });
  size_t I = Next == Moments.begin() ? 0 : Next - Moments.begin() - 1;
  double SinceMoment = signedDifference(Counter, Moments[I].counter) * Rates[I];
  return signedDifference(Moments[I].monotonic, Start.monotonic) + SinceMoment;
}

double Clock::realtimeOf(uint64_t Counter) const {
  if (!Start.realtime)
    return 0;
  return static_cast<double>(Start.realtime) + sinceStart(Counter);
}

} // namespace tp::trace
