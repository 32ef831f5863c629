// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which calls tpctl trace shows: calls down to a depth, and each Nth
// call of a function on a thread. If the entry of a call is shown, its exit is
// shown, too.

#ifndef TPCTL_TRACE_PICKS_H
#define TPCTL_TRACE_PICKS_H

#include "Timeline.h"
#include <map>
#include <string>

namespace tpctl {

class VerbSyntax;

class TracePicks {
public:
  /// --depth and --every.
  void addOptions(VerbSyntax &Verb);
  /// Call this once for each moment, in order. `Function` identifies a function
  /// even if its number changes.
  bool takes(const tp::trace::ThreadInfo &T, const tp::trace::Moment &M,
             llvm::StringRef Function);
  /// The entry of the call that a moment ends, if the entry was passed to this
  /// class.
  const tp::trace::Moment *entryOf(const tp::trace::ThreadInfo &T,
                                   const tp::trace::Moment &M) const;
  /// Call this if the call was not shown after all.
  void leaveOut(const tp::trace::ThreadInfo &T, const tp::trace::Moment &M);

private:
  struct Call {
    tp::trace::Moment Entry;
    bool Shown = true;
  };
  struct Thread {
    std::map<uint32_t, Call> Open; ///< by depth
    std::map<std::string, uint64_t> Calls;
  };
  bool takesCall(Thread &Of, const tp::trace::Moment &M,
                 llvm::StringRef Function) const;
  static uint64_t keyOf(const tp::trace::ThreadInfo &T) {
    return uint64_t{T.Process} << 32 | T.Thread;
  }
  uint32_t Depth = UINT32_MAX;
  uint64_t Every = 1;
  std::map<uint64_t, Thread> Threads;
};

} // namespace tpctl

#endif
