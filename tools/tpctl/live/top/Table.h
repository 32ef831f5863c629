// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of tpctl top: measurements as sorted and filtered rows.
// Independent of terminals and processes.

#ifndef TPCTL_LIVE_TOP_TABLE_H
#define TPCTL_LIVE_TOP_TABLE_H

#include "live/measure/Timing.h"
#include "llvm/ADT/StringRef.h"
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace tpctl {

enum class TopSort { Rate, Calls, Total, Self, P50, P99, Max, Name };
/// The names of --sort.
llvm::StringRef nameOf(TopSort S);

/// Which rows are shown, and in which order.
struct TopView {
  TopSort Sort = TopSort::Self;
  bool Reversed = false;
  bool LastInterval = false; ///< else sums since the start
  std::string Filter;        ///< a part of the name, in any case
  size_t Limit = 0;          ///< 0: all rows
};

/// A function. Times are in nanoseconds.
struct TopRow {
  std::string Name;
  Level Now = Level::Timed;
  double PerSecond = 0; ///< in the last interval
  uint64_t Calls = 0;
  uint64_t Counted = 0; ///< the calls that were not timed
  double Total = 0, Self = 0;
  std::optional<double> P50, P99, Max;  ///< only if they are known
  double TotalShare = 0, SelfShare = 0; ///< of the time that has passed
  bool HasTimes = false;
  /// Calls per second of the last intervals, the newest one at the end.
  std::vector<double> History;
};

class TopTable {
public:
  /// How many intervals a row remembers.
  static constexpr size_t Remembered = 32;

  /// Adds a reading: the calls of each function since the start, which was
  /// `Seconds` ago.
  void take(std::map<std::string, CallTimes> Now, double Seconds);
  std::vector<TopRow> rows(const TopView &View) const;
  /// The number of rows without the filter.
  size_t size() const { return Sums.size(); }
  /// The time of the last reading, and the time between the last two readings.
  double seconds() const { return At; }
  double interval() const { return Interval; }
  /// Whether the last reading has anything new.
  bool changed() const { return Changed; }

private:
  TopRow row(const std::string &Name, const CallTimes &Sum,
             bool LastInterval) const;

  std::map<std::string, CallTimes> Sums, Before;
  std::map<std::string, std::deque<double>> History;
  double At = 0, Interval = 0;
  bool Changed = false;
};

} // namespace tpctl

#endif
