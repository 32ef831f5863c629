// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Table.h.

#include "Table.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {
namespace {

uint64_t callsOf(const CallTimes &T) { return T.Calls + T.Counted; }

bool contains(StringRef Name, StringRef Part) {
  return Part.empty() || Name.contains_insensitive(Part);
}

double keyOf(const TopRow &R, TopSort S) {
  switch (S) {
  case TopSort::Rate:
    return R.PerSecond;
  case TopSort::Calls:
    return static_cast<double>(R.Calls);
  case TopSort::Total:
    return R.Total;
  case TopSort::Self:
    return R.Self;
  case TopSort::P50:
    return R.P50.value_or(0);
  case TopSort::P99:
    return R.P99.value_or(0);
  case TopSort::Max:
    return R.Max.value_or(0);
  case TopSort::Name:
    return 0;
  }
  llvm_unreachable("all are named");
}

} // namespace

StringRef nameOf(TopSort S) {
  static constexpr const char *Names[] = {"rate", "calls", "total", "self",
                                          "p50",  "p99",   "max",   "name"};
  return Names[static_cast<int>(S)];
}

void TopTable::take(std::map<std::string, CallTimes> Now, double Seconds) {
  // When a process ends, its last numbers may come with those of the reading
  // before: then they belong to the same interval.
  constexpr double Least = 1e-3;
  const bool Same = Interval > 0 && Seconds - At < Least;
  if (!Same) {
    Before = std::exchange(Sums, {});
    Interval = std::max(Seconds - At, 1e-9);
    At = Seconds;
  }
  Sums = std::move(Now);
  Changed = false;
  for (const auto &[Name, Sum] : Sums) {
    auto Old = Before.find(Name);
    uint64_t Then = Sum.CallsBefore.value_or(
        Old == Before.end() ? 0 : callsOf(Old->second));
    uint64_t More = callsOf(Sum) - std::min(Then, callsOf(Sum));
    Changed |= More != 0 || Old == Before.end();
    std::deque<double> &Past = History[Name];
    if (Same && !Past.empty())
      Past.pop_back();
    Past.push_back(static_cast<double>(More) / Interval);
    if (Past.size() > Remembered)
      Past.pop_front();
  }
}

TopRow TopTable::row(const std::string &Name, const CallTimes &Sum,
                     bool LastInterval) const {
  CallTimes Of = Sum;
  if (auto Old = Before.find(Name); LastInterval && Old != Before.end()) {
    Of = Sum.since(Old->second);
  } else if (LastInterval && Sum.CallsBefore.value_or(0)) {
    // Its name was not known at the reading before, so its times then are not
    // known either.
    Of = CallTimes();
    Of.Counted = callsOf(Sum) - std::min(callsOf(Sum), *Sum.CallsBefore);
  }
  TopRow R;
  R.Name = Name;
  R.Now = Sum.Now;
  R.Calls = callsOf(Of);
  R.Counted = Of.Counted;
  R.HasTimes = Of.timed() != 0;
  R.Total = Of.Total;
  R.Self = Of.Self;
  R.P50 = Of.quantile(0.5);
  R.P99 = Of.quantile(0.99);
  // In the last interval, the longest call may be known only by its bucket.
  if (Of.Longest > 0 || R.P99)
    R.Max = Of.Longest;
  double Span = std::max(LastInterval ? Interval : At, 1e-9) * 1e9;
  R.TotalShare = Of.Total / Span;
  R.SelfShare = Of.Self / Span;
  if (auto Past = History.find(Name); Past != History.end()) {
    R.History.assign(Past->second.begin(), Past->second.end());
    R.PerSecond = R.History.back();
  }
  return R;
}

std::vector<TopRow> TopTable::rows(const TopView &View) const {
  std::vector<TopRow> Rows;
  for (const auto &[Name, Sum] : Sums)
    if (contains(Name, View.Filter))
      Rows.push_back(row(Name, Sum, View.LastInterval));
  // Rows are sorted by name at first, and rows with equal numbers keep that
  // order.
  if (View.Sort != TopSort::Name)
    stable_sort(Rows, [&](const TopRow &A, const TopRow &B) {
      return keyOf(A, View.Sort) > keyOf(B, View.Sort);
    });
  if (View.Reversed)
    std::reverse(Rows.begin(), Rows.end());
  if (View.Limit && Rows.size() > View.Limit)
    Rows.resize(View.Limit);
  return Rows;
}

} // namespace tpctl
