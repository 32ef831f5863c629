// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times functions in running processes, and adds up their measurements.

#ifndef TPCTL_LIVE_MEASURE_TIMING_H
#define TPCTL_LIVE_MEASURE_TIMING_H

#include "Limiter.h"
#include "live/targets/CodeNames.h"
#include "live/targets/Matches.h"
#include "live/targets/Names.h"
#include "live/targets/Target.h"
#include "llvm/Support/JSON.h"

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
  /// The calls since `Before`. The duration of the longest one may be known
  /// only by its bucket.
  CallTimes since(const CallTimes &Before) const;
  /// Over all calls. If calls of a function are nested in other calls of it,
  /// their own times are known only by buckets, so the sum is as exact as the
  /// buckets.
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

class Timing {
public:
  Timing(Target &At, const Patterns &P, TimesBy By, const Budget &B)
      : At(At), P(P), By(By), B(B) {}

  /// Attaches to all processes of the target.
  llvm::Error attach();
  /// Reads all processes, and keeps their probes within the budget. For a
  /// process that has ended, the last reading is kept.
  llvm::Error read();
  /// Reads between two tables, for the budget, and to notice an ending process,
  /// whose last rows are read. A process may be killed at any time, so rows are
  /// read as well, unless many functions are called.
  llvm::Error look();
  /// Begins to time the programs that wait for this. read() and look() do that,
  /// too.
  void beginNext();
  /// When look() is due.
  Target::Clock::time_point nextLook() const;
  /// Requests the names of functions that have new rows, until the time. There
  /// may be so many that it takes seconds.
  llvm::Error learnNames(Target::Clock::time_point Until);
  /// Whether some names are not known yet.
  bool lacksNames() const {
    return llvm::any_of(
        Processes, [](const auto &Of) { return Of->C && Of->Names.lacks(); });
  }
  /// The time from the end of attach() until the last reading of rows, in
  /// seconds, by the processes' own clocks.
  double seconds() const;
  /// The changes by the budget since the last call, as messages.
  std::vector<std::string> takeNews();
  /// The rows, by the requested property. For TimesBy::Nothing, and if the row
  /// needs no name, one row named "". Functions whose names are not known yet
  /// are left out.
  std::map<std::string, CallTimes> rows() const;

  /// The kinds of sites that are attached to.
  static const uint32_t Functions;
  uint64_t sites() const { return Sites; }
  /// The sum over all processes.
  uint64_t missed() const;
  uint64_t untimed() const;
  /// The processes that have ended, without those that became other programs
  /// and are still watched. With --children, they are named together.
  llvm::ArrayRef<std::string> ended() const { return Ended; }
  /// Whether there is nothing more to read.
  bool allEnded() const { return !At.isWatching(); }
  /// The age of the oldest last reading of a process that ended without waiting
  /// for tpctl.
  std::optional<Target::Clock::duration> age() const;
  /// Reports why there are no rows, or which calls are missing from the rows.
  void explain();

private:
  struct Process {
    Process(Connection &C, const Patterns &P)
        : On(C, P, Functions, TPRT_CONTROL_ACTION_TIME), Names(P, Functions) {}
    Connection *C = nullptr;
    std::string Name;
    bool Told = false; ///< at the last reading, that it is about to end
    Target::Clock::time_point Read; ///< when its rows were last read
    /// The age of that reading at the process's end, unless the process waited
    /// for the reading.
    std::optional<Target::Clock::duration> Age;
    uint32_t Group = 0;
    double PerTick = 1;               ///< nanoseconds
    uint64_t Missed = 0, Untimed = 0; ///< as last reported
    Following On;
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
    /// The times of the first and the last reading of rows, by the process's
    /// own clock.
    double Begin = 0, Latest = 0;
    std::optional<Limiter> Limit;
    std::map<uint32_t, Reduced> Less; ///< the functions that it has reduced
    std::vector<std::string> News;
  };
  bool isByFunction() const {
    return By == TimesBy::Function || By == TimesBy::Usual;
  }
  std::string keyOf(Process &Of, const TimeRow &Row) const;
  llvm::Error attachTo(Connection &C);
  llvm::Error begin(Process &Of);
  uint32_t detailOf(bool WithRows) const;
  llvm::Error readAll(bool WithRows, bool ForTable);
  llvm::Error readOne(Process &Of, bool WithRows, bool ForTable);
  void take(Process &Of, const Times &Now, bool WithRows);
  llvm::Error limit(Process &Of);
  static void beginInterval(Process &Of, bool ForTable);
  static void keepCalls(Process &Of, bool ForTable);
  void addReduced(Process &Of, std::map<std::string, CallTimes> &To) const;

  Target &At;
  const Patterns &P;
  TimesBy By;
  const Budget &B;
  std::vector<std::unique_ptr<Process>> Processes;
  Target::Clock::time_point Looked; ///< the end of the last reading
  Target::Clock::duration Took{0};  ///< its duration
  size_t Changed = 0; ///< rows that had changed at the last reading
  uint64_t Sites = 0;
  std::string Why;
  bool Matched = false; ///< a function of some process
  bool Several = false; ///< functions of some process, for TimesBy::Usual
  std::vector<std::string> Ended;
};

} // namespace tpctl

#endif
