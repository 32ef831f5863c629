// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each function was called and how long its calls took: the numbers
// of `tpctl report` and `tpctl diff`.

#ifndef TP_TRACE_PROFILE_H
#define TP_TRACE_PROFILE_H

#include "Calls.h"
#include "Histogram.h"
#include "Recording.h"
#include <deque>
#include <optional>
#include <unordered_set>

namespace tp::trace {

/// All times are in ticks. The structure is aligned because each recorded call
/// makes the reader write to it.
struct alignas(64) FunctionStats {
  uint64_t Calls = 0; ///< every call that was seen, whole or not
  uint64_t Total =
      0; ///< a call inside a call of the same function adds nothing
  uint64_t Self = 0;
  uint64_t Whole = 0; ///< calls with entry and exit; the rest is of these
  uint64_t Sum = 0;
  uint64_t Min = UINT64_MAX, Max = 0;
  double Squares = 0; ///< sum of squares
  Histogram Times;
  uint64_t Untimed = 0; ///< calls of which only the entry or the exit is known

  void add(const FunctionStats &Other);
  /// Whether Total and Self are the times of some calls.
  bool hasTimes() const { return Calls > Untimed; }
};

/// Which calls count. Bounds in ticks.
struct CallFilter {
  uint64_t MinTicks = 0, MaxTicks = UINT64_MAX;
  uint64_t From = 0, To = UINT64_MAX; ///< counters: when the call began
  std::unordered_set<uint32_t> Tids;  ///< empty: all

  bool takesTime(uint64_t Start) const { return Start >= From && Start < To; }
  bool takes(uint64_t Start, uint64_t Ticks) const {
    return takesTime(Start) && Ticks >= MinTicks && Ticks <= MaxTicks;
  }
  bool hasDurations() const { return MinTicks || MaxTicks != UINT64_MAX; }
  bool cuts() const { return hasDurations() || From || To != UINT64_MAX; }
  bool takesThread(uint32_t Tid) const {
    return Tids.empty() || Tids.count(Tid);
  }
};

/// A thread of a recording, and what is known about it.
struct ThreadInfo {
  uint32_t Process = 0, Pid = 0, Thread = 0, Tid = 0;
  std::string Name;
  uint64_t Events = 0, Lost = 0;
  uint64_t FirstTime = 0, LastTime = 0;

  /// The data of the thread's first segment.
  static ThreadInfo of(const Segment &S) {
    return {S.Process, S.Pid, S.Thread, S.Tid, "", 0, 0, S.Counter, 0};
  }
};

struct Profile {
  /// One entry for all threads together, or one for each thread, at the
  /// thread's index.
  std::vector<std::vector<FunctionStats>> Stats;
  std::vector<ThreadInfo> Threads;
  uint64_t Events = 0, Lost = 0;
  uint64_t FirstTime = UINT64_MAX, LastTime = 0;
};

/// Reads all events with `Jobs` threads. If `Jobs` is 0, uses one thread for
/// each processor.
llvm::Expected<Profile> readProfile(Recording &R, const CallFilter &Filter,
                                    bool ByThread, unsigned Jobs);

} // namespace tp::trace

#endif
