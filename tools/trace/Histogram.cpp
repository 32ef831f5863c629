// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Histogram.h.

#include "Histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tp::trace {

/// Adds buckets, so that all of [From, To) exist.
void Histogram::cover(unsigned From, unsigned To) {
  if (Counts.empty()) {
    First = From;
    Counts.resize(To - From);
    return;
  }
  if (From < First) {
    Counts.insert(Counts.begin(), First - From, 0);
    First = From;
  }
  if (To > First + Counts.size())
    Counts.resize(To - First);
}

size_t Histogram::grow(uint64_t Value) {
  unsigned Bucket = bucketOf(Value);
  constexpr unsigned Step = 1 << Bits;
  unsigned From = Bucket / Step * Step;
  cover(From, From + Step);
  return Bucket - First;
}

void Histogram::add(const Histogram &Other) {
  if (Other.Counts.empty())
    return;
  cover(Other.First, Other.First + static_cast<unsigned>(Other.Counts.size()));
  for (size_t I = 0; I != Other.Counts.size(); ++I)
    Counts[Other.First - First + I] += Other.Counts[I];
}

void Histogram::addScaled(const Histogram &Other, double Factor) {
  for (size_t I = 0; I != Other.Counts.size(); ++I) {
    if (!Other.Counts[I])
      continue;
    double Value = middleOf(Other.First + static_cast<unsigned>(I)) * Factor;
    auto Whole =
        Value >= 1.8e19 ? UINT64_MAX : static_cast<uint64_t>(Value + 0.5);
    size_t At = bucketOf(Whole) - First;
    if (At >= Counts.size())
      At = grow(Whole);
    Counts[At] += Other.Counts[I];
  }
}

uint64_t Histogram::count() const {
  return std::accumulate(Counts.begin(), Counts.end(), uint64_t(0));
}

double Histogram::middleOf(unsigned Bucket) {
  constexpr unsigned Linear = 1 << Bits;
  if (Bucket < 2 * Linear)
    return Bucket;
  unsigned Power = (Bucket >> Bits) - 1;
  double Low = std::ldexp(Linear + (Bucket & (Linear - 1)), Power);
  return Low + (std::ldexp(1, Power) - 1) / 2;
}

double Histogram::quantile(double Share) const {
  uint64_t Total = count();
  auto Wanted = static_cast<uint64_t>(
      std::max(1.0, std::ceil(Share * static_cast<double>(Total))));
  uint64_t Below = 0;
  for (size_t I = 0; I != Counts.size(); ++I)
    if ((Below += Counts[I]) >= Wanted)
      return middleOf(First + static_cast<unsigned>(I));
  return 0;
}

} // namespace tp::trace
