// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Budget.h.

#include "Budget.h"
#include "shared/CommandLine.h"
#include "shared/UsageError.h"

#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace llvm;

namespace tpctl {
namespace {

/// Reads the counter that timed calls read. Used only for processors where the
/// read is known to cost the same as in a timed call.
inline uint64_t readCounter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// The nanoseconds of one read. This is the minimum of several runs, because
/// other programs can only make a run longer.
double measureRead() {
  using Clock = std::chrono::steady_clock;
  constexpr int Runs = 20, Reads = 1000;
  double Least = 1e9;
  for (int Run = 0; Run != Runs; ++Run) {
    Clock::time_point Begin = Clock::now();
    for (int I = 0; I != Reads; ++I) {
      uint64_t Value = readCounter();
      asm volatile("" : : "r"(Value));
    }
    std::chrono::duration<double, std::nano> Took = Clock::now() - Begin;
    Least = std::min(Least, Took.count() / Reads);
  }
  return Least;
}

/// A timed call costs up to 1.5 times as much as two reads of the counter
/// (hist_pair_ratio in bench/), and some nanoseconds more if sleds are not
/// aligned or trampolines are far away. A counted hit costs 2 to 5 ns.
HitCosts measureCosts() { return {3 * measureRead() + 5, 4}; }

} // namespace

bool Budget::isGiven() const { return Verb && Verb->isGiven("--budget"); }

void Budget::addOption(VerbSyntax &Verb) {
  this->Verb = &Verb;
  Verb.addOption("--budget", Text, "N% [" + Text + "]",
                 "CPU time for probes; beyond it only count, then off");
}

Error Budget::prepare() {
  if (Text == "none")
    return Error::success();
  StringRef Number = Text;
  double Percent = 0;
  if (!Number.consume_back("%") || !to_float(Number, Percent) ||
      !(Percent > 0 && Percent <= 100))
    return wrongUsage("--budget needs a percentage, as in 2%, or none");
  Share = Percent / 100;
  Costs = measureCosts();
  return Error::success();
}

} // namespace tpctl
