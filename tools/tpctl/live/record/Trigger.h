// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The condition of record --when: a call that took longer than a given
// duration, or a hit of a function or a point. The process's own counts show
// quickly whether the condition may have been met. Then the recording shows
// when and where.

#ifndef TPCTL_LIVE_RECORD_TRIGGER_H
#define TPCTL_LIVE_RECORD_TRIGGER_H

#include "Timeline.h"
#include "live/targets/Matches.h"
#include "live/targets/Names.h"
#include <optional>
#include <set>

namespace tpctl {

class Trigger {
public:
  /// As in 'f > 50ms', or 'f'.
  static llvm::Expected<std::unique_ptr<Trigger>> parse(llvm::StringRef Text);
  llvm::StringRef pattern() const { return Pattern; }

  /// `Like` has the options other than the pattern.
  llvm::Error attach(Connection &C, const Patterns &Like);
  /// Whether the condition may have been met since the last call.
  llvm::Expected<bool> mayHold(Connection &C);
  /// The functions that were called, and whose calls have no times.
  const std::set<std::string> &untimed() const { return Untimed; }
  /// Whether a call has a time.
  bool hasTimes() const { return Timed; }

  struct Event {
    std::string Name;
    uint32_t Tid;
    uint64_t Start;  ///< the counter
    double Duration; ///< in nanoseconds; 0 of a hit
  };
  /// The first matching event after the events found earlier.
  llvm::Expected<std::optional<Event>> find(tp::trace::Recording &R);

private:
  Trigger(std::string Pattern, double LeastNs)
      : Pattern(std::move(Pattern)), LeastNs(LeastNs) {}
  llvm::Error prepare();
  llvm::Expected<uint64_t> countSlow(Connection &C);
  llvm::Expected<uint64_t> countHits(Connection &C);
  llvm::Error nameAll(Connection &C);
  llvm::Error note(Connection &C, uint32_t Site);
  void noteTime(tp::trace::Recording &R, const tp::trace::Moment &M);
  bool isMet(tp::trace::Recording &R, const tp::trace::Moment &M,
             std::string &Name) const;

  std::string Pattern;
  double LeastNs; ///< 0: each hit counts
  Patterns Chosen;
  std::optional<SiteNames> Sites;
  std::optional<Following> On;
  std::set<std::string> Names; ///< of sites that may be hit, as linked
  std::set<std::string> Untimed;
  bool Timed = false;
  uint32_t Group = 0;
  uint64_t Seen = 0;     ///< events that may have met the condition
  uint64_t LastTime = 0; ///< of events that were found
  double NanosecondsPerTick = 1;
};

} // namespace tpctl

#endif
