// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times functions in processes that run, and adds up what they measured.

#ifndef TPCTL_LIVE_TIMING_H
#define TPCTL_LIVE_TIMING_H

#include "Names.h"
#include "Target.h"

namespace tpctl {

/// The calls of a function, or of several. Times are in nanoseconds.
struct CallTimes {
  uint64_t Calls = 0, Cut = 0, Open = 0, Unplaced = 0;
  double Total = 0, Self = 0, Longest = 0;
  std::map<uint32_t, uint64_t> Buckets; ///< of ticks
  double NanosecondsPerTick = 1;

  void add(const TimeRow &Row, double PerTick);
  void add(const CallTimes &Other);
  double average() const;
  /// The time below which this share of the calls lies.
  double quantile(double Share) const;
  /// The bounds of a bucket.
  double startOf(uint32_t Bucket) const;
};

enum class TimesBy { Nothing, Function, Thread, Process };

class Timing {
public:
  Timing(Target &At, const Patterns &P, TimesBy By) : At(At), P(P), By(By) {}

  /// Attaches to all processes of the target.
  llvm::Error attach();
  /// Reads all processes. What one that has ended told last stays.
  llvm::Error read();
  /// By what was asked for; one row named "" for TimesBy::Nothing.
  std::map<std::string, CallTimes> rows() const;

  uint64_t sites() const { return Sites; }
  uint64_t missed() const { return Missed; }
  uint64_t untimed() const { return Untimed; }
  /// A process is about to end, and has told all.
  bool ending() const { return Ending; }

private:
  struct Process {
    explicit Process(const Patterns &P) : Names(P, Functions) {}
    Connection *C = nullptr;
    pid_t Pid = 0;
    uint32_t Group = 0;
    SiteNames Names;
    std::map<std::string, CallTimes> Rows;
  };
  static const uint32_t Functions;
  llvm::Expected<std::string> keyOf(Process &Of, const tprt_control_time &Row);
  llvm::Error readOne(Process &Of);

  Target &At;
  const Patterns &P;
  TimesBy By;
  std::vector<std::unique_ptr<Process>> Processes;
  uint64_t Sites = 0, Missed = 0, Untimed = 0;
  bool Ending = false;
};

} // namespace tpctl

#endif
