// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checked calls of mcount_entries.h that are the same on all processors.
#include "calls.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>

namespace stress {
namespace {

thread_local const CallState *Expected;

// Relaxed, because the counts are read only after the counting threads have
// been joined.
std::atomic<uint64_t> FaultCount;
std::atomic<bool> FirstTaken;
char FirstText[160];

} // namespace

void Faults::report(const char *What, uint64_t Got, uint64_t Want) {
  FaultCount.fetch_add(1, std::memory_order_relaxed);
  if (!FirstTaken.exchange(true))
    snprintf(FirstText, sizeof(FirstText),
             "%s: got %#" PRIx64 ", expected %#" PRIx64, What, Got, Want);
}
uint64_t Faults::count() { return FaultCount.load(std::memory_order_relaxed); }
const char *Faults::first() { return FirstText; }
void Faults::reset() {
  FaultCount = 0;
  FirstTaken = false;
  FirstText[0] = 0;
}

uint64_t Caller::next() {
  State ^= State << 13;
  State ^= State >> 7;
  State ^= State << 17;
  return State;
}

size_t Caller::random(size_t Limit) { return next() % Limit; }

void Caller::call(const StressFunction &Function) {
  CallState In, Out;
  auto *Words = reinterpret_cast<uint64_t *>(&In);
  uint64_t Word = next();
  const uint64_t Step = next() | 1;
  for (size_t I = 0; I < sizeof(In) / sizeof(*Words); ++I)
    Words[I] = Word += Step;
  In.makeFlagsValid();

  const CallState *Outer = Expected;
  Expected = &In;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  makeCall(Function, In, Out);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Expected = Outer;
  compareStates(Function, In, Out);
}

} // namespace stress

const stress::CallState *stress_expected() { return stress::Expected; }

void stress_fault(const char *What, uint64_t Got, uint64_t Want) {
  stress::Faults::report(What, Got, Want);
}
