// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that need one pass over the words of a recording, but no pairing of
// calls: the recording's end, its marks, and its number of events. Not
// thread-safe.

#ifndef TP_TRACE_CUTS_H
#define TP_TRACE_CUTS_H

#include "Recording.h"

namespace tp::trace {

/// The counter at the end of the recording. If the recording was not closed,
/// the counter of the latest event.
llvm::Expected<uint64_t> endOf(Recording &R);

struct MarkSearch {
  uint64_t Time = 0;    ///< of the earliest mark of the number
  uint64_t Matches = 0; ///< how many there are
  uint64_t Marks = 0;   ///< of all numbers
  uint64_t Example = 0; ///< number of one of them
};

llvm::Expected<MarkSearch> findMark(Recording &R, uint64_t Number);

struct EventCount {
  uint64_t Events = 0, Lost = 0;
};

llvm::Expected<EventCount> countEvents(Recording &R);

} // namespace tp::trace

#endif
