// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times functions in processes that run, and adds up what they measured.

#ifndef TPCTL_LIVE_MEASURE_TIMING_H
#define TPCTL_LIVE_MEASURE_TIMING_H

#include "Limiter.h"
#include "live/targets/CodeNames.h"
#include "live/targets/Matches.h"
#include "live/targets/Names.h"
#include "live/targets/Target.h"

namespace tpctl {

/// The calls of a function, or of several. Times are in nanoseconds.
struct CallTimes {
  uint64_t Calls = 0, Cut = 0, Open = 0, Unplaced = 0;
  double Total = 0, Self = 0, Longest = 0;
  std::map<uint32_t, uint64_t> Buckets; ///< of ticks
  double NanosecondsPerTick = 1;
  /// What the budget has left. The numbers above are as of then where calls are
  /// no longer timed.
  Level Now = Level::Timed;
  /// Calls since then, as long as they were counted.
  uint64_t Counted = 0;

  void add(const TimeRow &Row, double PerTick);
  void add(const CallTimes &Other);
  /// Over all calls. Where calls of a function lie in other calls of it, their
  /// own times are known by the buckets, so it is as exact as these.
  double average() const;
  /// Whether `Total` lacks the times of such calls.
  bool hasNested() const;
  /// The time below which this share of the calls lies.
  double quantile(double Share) const;
  /// The bounds of a bucket.
  double startOf(uint32_t Bucket) const;
};

enum class TimesBy { Nothing, Function, Caller, Thread, Process };

class Timing {
public:
  Timing(Target &At, const Patterns &P, TimesBy By, const Budget &B)
      : At(At), P(P), By(By), B(B) {}

  /// Attaches to all processes of the target.
  llvm::Error attach();
  /// Reads all processes, and keeps their probes within the budget. What a
  /// process that has ended told last stays.
  llvm::Error read();
  /// The same, without new rows: for the budget, and to see that a process is
  /// about to end. Its last rows are read then.
  llvm::Error look();
  /// When look() is due.
  Target::Clock::time_point nextLook() const;
  /// What the budget has changed since the last call, for people.
  std::vector<std::string> takeNews();
  /// By what was asked for; one row named "" for TimesBy::Nothing.
  std::map<std::string, CallTimes> rows() const;

  uint64_t sites() const { return Sites; }
  /// Of all processes together.
  uint64_t missed() const;
  uint64_t untimed() const;
  /// The processes that have ended.
  llvm::ArrayRef<std::string> ended() const { return Ended; }
  bool allEnded() const { return Ended.size() == Processes.size(); }
  /// How old the oldest last reading is of processes that have ended without
  /// waiting until what they did last was read.
  std::optional<Target::Clock::duration> age() const;
  /// Says why there are no rows, and what they lack.
  void explain() const;

private:
  struct Process {
    Process(Connection &C, const Patterns &P)
        : On(C, P, Functions, TPRT_CONTROL_ACTION_TIME), Names(P, Functions) {}
    Connection *C = nullptr;
    std::string Name;
    bool Told = false; ///< at the last reading, that it is about to end
    Target::Clock::time_point Read; ///< when its rows were last read
    /// How old that was when it had ended, unless it waited for the reading.
    std::optional<Target::Clock::duration> Age;
    uint32_t Group = 0;
    double PerTick = 1;               ///< nanoseconds
    uint64_t Missed = 0, Untimed = 0; ///< as it told last
    Following On;
    SiteNames Names;
    std::optional<CodeNames> Code; ///< for TimesBy::Caller
    /// By site, what was told last. The calls are newer than the rows where the
    /// process was only looked at.
    std::map<uint32_t, std::vector<TimeRow>> Rows;
    std::map<uint32_t, uint64_t> Calls;
    std::optional<Limiter> Limit;
    std::map<uint32_t, Reduced> Less; ///< what that has left of functions
    std::vector<std::string> News;
  };
  static const uint32_t Functions;
  std::string keyOf(Process &Of, const TimeRow &Row) const;
  llvm::Error attachTo(Connection &C);
  llvm::Error readAll(bool WithRows);
  llvm::Error readOne(Process &Of, bool WithRows);
  llvm::Error take(Process &Of, const Times &Now, bool WithRows);
  llvm::Error limit(Process &Of);
  void addReduced(Process &Of, std::map<std::string, CallTimes> &To) const;

  Target &At;
  const Patterns &P;
  TimesBy By;
  const Budget &B;
  std::vector<std::unique_ptr<Process>> Processes;
  Target::Clock::time_point Looked; ///< the end of the last reading
  Target::Clock::duration Took{0};  ///< how long that took
  uint64_t Sites = 0;
  std::string Why;
  std::vector<std::string> Ended;
};

} // namespace tpctl

#endif
