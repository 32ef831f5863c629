// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions of `tpctl diff --fail-if`, such as 'parse_*.self > +5%': a
// glob, a column, and a bound for the column's change (with a sign and %) or
// for its new value.

#ifndef TPCTL_CONDITION_H
#define TPCTL_CONDITION_H

#include "PairNames.h"
#include <optional>

namespace tpctl {

/// A function in the old and in the new recording. Null if a recording lacks
/// it.
struct Pair : PairName {
  const Row *Old = nullptr, *New = nullptr;
};

/// A column's value, in nanoseconds or calls: 0 if the recording lacks the
/// function, and none if the recording has no time of its calls.
std::optional<double> valueOf(const Row *R, llvm::StringRef Column);

class Condition {
public:
  static llvm::Expected<Condition> parse(llvm::StringRef Text);
  /// Call this with all pairs, before isAbout(). If the condition's glob is the
  /// whole name of some function, the condition applies only to that function.
  void learnNames(llvm::ArrayRef<Pair> Pairs);
  bool isAbout(const Pair &P) const;
  /// Whether the pair has enough calls for this condition. The times of only a
  /// few calls differ from run to run. So a condition about a change of times
  /// needs enough calls in each recording that has the function. A condition
  /// about a value or a number of calls has no such limit.
  bool hasEnoughCalls(const Pair &P, uint64_t Least) const;
  /// Whether the recordings have the values that are compared.
  bool isKnown(const Pair &P) const;
  /// Call this and found() only if the values are known.
  bool holds(const Pair &P) const;
  /// The change or the new value that was compared.
  std::string found(const Pair &P) const;
  llvm::StringRef text() const { return Text; }
  llvm::StringRef column() const { return Column; }

private:
  explicit Condition(tp::trace::NameGlob Names) : Names(std::move(Names)) {}
  tp::trace::NameMatch match(const Pair &P) const;
  double compared(const Pair &P) const;
  tp::trace::NameGlob Names;
  bool Whole = false;
  std::string Text, Column;
  bool Greater = true, Relative = false;
  double Bound = 0;
};

} // namespace tpctl

#endif
