// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one look at the words of a recording tells, without pairing calls: its
// end, its marks, and how many events it has. One thread at a time.

#ifndef TP_TRACE_CUTS_H
#define TP_TRACE_CUTS_H

#include "Recording.h"

namespace tp::trace {

/// The counter when recording ended; of a recording that was not closed, that
/// of the latest event.
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
