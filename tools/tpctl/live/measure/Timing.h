// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times functions in running processes, and adds up their measurements.

#ifndef TPCTL_LIVE_MEASURE_TIMING_H
#define TPCTL_LIVE_MEASURE_TIMING_H

#include "Limiter.h"
#include "Measurement.h"
#include "live/requests/Readings.h"
#include "live/targets/CodeNames.h"
#include "live/targets/Names.h"
#include "llvm/Support/JSON.h"
#include <functional>

namespace tpctl {

/// The calls of a function, or of several. Times are in nanoseconds.
struct CallTimes {
  uint64_t Calls = 0, Cut = 0, Open = 0, Unplaced = 0;
  double Total = 0, Self = 0, Longest = 0;
  std::map<uint32_t, uint64_t> Buckets; ///< of ticks
  double NanosecondsPerTick = 1;
  /// The level to which the budget has reduced the function. If calls are no
  /// longer timed, the numbers above are from the time when timing ended.
  Level Now = Level::Timed;
  /// The calls from then on, as long as calls were counted.
  uint64_t Counted = 0;
  /// The calls at the previous reading of rows, timed and counted ones. If that
  /// reading was the first one: those that ended before all sites were on.
  std::optional<uint64_t> CallsBefore;

  void add(const TimeRow &Row, double PerTick);
  void add(const CallTimes &Other);
  /// The calls with a time. Calls that were left by an exception or longjmp,
  /// which are `Cut`, have none.
  uint64_t timed() const { return Calls - std::min(Calls, Cut); }
  /// The calls since `Before`. The duration of the longest one may be known
  /// only by its bucket.
  CallTimes since(const CallTimes &Before) const;
  /// Over all calls with a time. If calls of a function are nested in other
  /// calls of it, their own times are known only by buckets, so the sum is as
  /// exact as the buckets.
  double average() const;
  /// Whether the times of such calls are missing from `Total`.
  bool hasNested() const;
  /// The time below which this share of the calls is. No value if no call is in
  /// a bucket: the memory for histograms is bounded.
  std::optional<double> quantile(double Share) const;
  /// The bounds of a bucket.
  double startOf(uint32_t Bucket) const;
};

/// null if the time is not known.
inline llvm::json::Value jsonTime(std::optional<double> Time) {
  return Time ? llvm::json::Value(*Time) : llvm::json::Value(nullptr);
}

/// Usual: by function if more than one is selected.
enum class TimesBy { Nothing, Usual, Function, Caller, Thread, Process };

class Timing : public Measurement {
public:
  Timing(Target &At, const Patterns &P, TimesBy By, const Budget &B)
      : Measurement(At, P), By(By), B(B) {
    if (By == TimesBy::Usual)
      askForSeveral();
  }

  /// Between two tables, rows are read only if few functions are called: the
  /// others are needed for the budget alone, and a table may have thousands.
  void readRowsForTables() { RowsForTables = true; }
  /// Where messages about changes by the budget go, if not to standard error.
  void sayBy(std::function<void(const std::string &)> To) {
    Say = std::move(To);
  }
  /// Whether some names are not known yet.
  bool lacksNames() const;
  /// The rows, by the requested property. For TimesBy::Nothing, and if the row
  /// needs no name, one row named "". Functions whose names are not known yet
  /// are left out.
  std::map<std::string, CallTimes> rows() const;

  /// The kinds of sites that are attached to.
  static const uint32_t Functions;
  /// Reports why there are no rows, or which calls are missing from the rows.
  void explain();

private:
  struct Timed : Process {
    Timed(Connection &C, const Patterns &P)
        : Process(C, Following(C, P, Functions, TPRT_CONTROL_ACTION_TIME)),
          PerTick(C.nanosecondsPerTick()), Names(P, Functions) {}
    double PerTick; ///< nanoseconds
    uint64_t Untimed = 0;
    SiteNames Names;
    std::optional<CodeNames> Code; ///< for TimesBy::Caller
    /// The last reading, by site. If the process was only checked after that,
    /// the calls are newer than the rows.
    std::map<uint32_t, std::vector<TimeRow>> Rows;
    std::map<uint32_t, uint64_t> Calls;
    /// The self time of a call, in nanoseconds, by the calls so far.
    std::map<uint32_t, double> SelfPerCall;
    /// Functions that were called, and whose calls have no times.
    std::set<uint32_t> WithoutTimes;
    /// The calls, timed and counted ones, at the last reading of rows, and at
    /// the last reading for the previous table.
    std::map<uint32_t, uint64_t> CallsNow, CallsBefore;
    /// The last rows were read between two tables. They belong to the next
    /// table.
    bool HasBegun = false;
    std::optional<Limiter> Limit;
    std::map<uint32_t, Reduced> Less; ///< the functions that it has reduced
  };
  static Timed &timed(const std::unique_ptr<Process> &Of) {
    return static_cast<Timed &>(*Of);
  }
  bool isByFunction() const {
    return By == TimesBy::Function || By == TimesBy::Usual;
  }
  std::unique_ptr<Process> make(Connection &C) override;
  uint32_t attachFlags() const override;
  void attached(Process &Of) override;
  llvm::Error beginWindow(Process &Of) override;
  llvm::Expected<bool> readProcess(Process &Of) override;
  llvm::Error learnNames(Process &Of, Clock::time_point Until) override {
    return At.learnNames(*Of.C, static_cast<Timed &>(Of).Names, Until);
  }
  void ended(Process &Of) override;
  void haveRead() override;
  Clock::time_point nextReading(Clock::time_point Looked,
                                Clock::duration Took) const override;

  std::string keyOf(Timed &Of, const TimeRow &Row) const;
  uint32_t detailOf(bool WithRows) const;
  llvm::Expected<Times> ask(Timed &Of, bool WithRows) const;
  void take(Timed &Of, const Times &Now, bool WithRows);
  llvm::Error limit(Timed &Of);
  static void beginInterval(Timed &Of, bool ForTable);
  static void keepCalls(Timed &Of, bool ForTable);
  void addReduced(Timed &Of, std::map<std::string, CallTimes> &To) const;

  TimesBy By;
  const Budget &B;
  std::function<void(const std::string &)> Say;
  bool RowsForTables = false;
  /// Rows that have changed at this reading so far, and at the last one.
  size_t Changed = 0, ChangedBefore = 0;
};

} // namespace tpctl

#endif
