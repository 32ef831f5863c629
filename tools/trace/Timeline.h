// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits the events of all threads in the order of time. Blocks are read in the
// order in which threads began them, so the events of a later block are later
// than a block's beginning. Therefore all events from before the next block's
// beginning can be passed on. Memory holds only the events of blocks that
// overlap in time, and events within the filter's least duration. The filter's
// greatest duration is ignored.

#ifndef TP_TRACE_TIMELINE_H
#define TP_TRACE_TIMELINE_H

#include "Threads.h"

namespace tp::trace {

struct Moment {
  enum Kind : uint8_t {
    Entry,
    Exit,
    Visit,
    Orphan,
    Whole, ///< a call that is known only at its end; it has no entry
    Extension,
    Nothing
  };
  Kind What;
  Ending How = Ending::Whole;
  bool TailExit = false;
  FunctionId Function = NoFunction;
  uint32_t Depth = 0;
  uint64_t Time = 0;
  uint64_t Start = 0;          ///< of an exit's call, or of a Whole
  uint64_t Word = 0;           ///< of an extension
  std::vector<uint64_t> Words; ///< after it
  uint64_t Forms = 0;          ///< of the values of an event
  std::vector<uint64_t> Values;
  uint64_t ComputedForms = 0; ///< of what programs have computed
  /// The number of the list of values, and the values.
  std::vector<uint64_t> Computed;
};

/// Visits all events, until the visitor returns false.
llvm::Expected<Totals> readTimeline(
    Recording &R, const CallFilter &Filter,
    llvm::function_ref<bool(const ThreadInfo &, const Moment &)> Visit);

} // namespace tp::trace

#endif
