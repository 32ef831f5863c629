// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Cuts.h.

#include "Cuts.h"

#include "Words.h"
#include <unordered_map>

using namespace llvm;

namespace tp::trace {
namespace {

/// Visits the words of a segment that have a time, with the words after them.
template <class Visitor> void visitTimes(const Segment &S, Visitor Visit) {
  uint64_t Last = S.Counter;
  for (ArrayRef<uint64_t> Rest = S.Words; !Rest.empty();) {
    uint64_t Word = Rest.front();
    size_t Length = lengthOf(Word);
    if (Length > Rest.size())
      return;
    if (isExtension(Word, TPRT_TRACE_TIME) && Length > 1) {
      Last = Rest[1];
    } else if (hasTime(Word)) {
      Last = timeAfter(Last, Word);
      Visit(Word, Last, Rest.slice(1, Length - 1));
    }
    Rest = Rest.drop_front(Length);
  }
}

} // namespace

Expected<uint64_t> endOf(Recording &R) {
  const tprt_trace_header &H = R.header();
  if (H.state == TPRT_TRACE_STATE_CLOSED && H.end.counter)
    return H.end.counter;
  uint64_t Latest = H.start.counter;
  Error E = R.visit(
      [&](const Segment &S) {
        visitTimes(S, [&](uint64_t, uint64_t Time, ArrayRef<uint64_t>) {
          Latest = std::max(Latest, Time);
        });
        return true;
      },
      /*From=*/UINT64_MAX);
  if (E)
    return E;
  return Latest;
}

Expected<MarkSearch> findMark(Recording &R, uint64_t Number) {
  MarkSearch Found;
  auto mark = [&](uint64_t Word, uint64_t Time, ArrayRef<uint64_t> More) {
    if (!isExtension(Word, TPRT_TRACE_MARK) || More.empty())
      return;
    ++Found.Marks;
    Found.Example = More.front();
    if (More.front() != Number)
      return;
    Found.Time = Found.Matches++ ? std::min(Found.Time, Time) : Time;
  };
  Error E = R.visit([&](const Segment &S) {
    visitTimes(S, mark);
    return true;
  });
  if (E)
    return E;
  return Found;
}

Expected<EventCount> countEvents(Recording &R) {
  EventCount Sum;
  std::unordered_map<uint64_t, uint64_t> Lost; // of each thread, the latest
  Error E = R.visit([&](const Segment &S) {
    uint64_t &Mine = Lost[S.key()];
    Mine = std::max(Mine, S.Lost);
    visitTimes(S, [&](uint64_t Word, uint64_t, ArrayRef<uint64_t>) {
      Sum.Events += whatOf(Word) != TPRT_TRACE_EXTENSION ||
                    isExtension(Word, TPRT_TRACE_WIDE) ||
                    isExtension(Word, TPRT_TRACE_WHOLE_CALL) ||
                    isExtension(Word, TPRT_TRACE_POINT) ||
                    isExtension(Word, TPRT_TRACE_MARK);
    });
    return true;
  });
  if (E)
    return E;
  Sum.Lost = R.header().lost;
  for (const auto &[Thread, N] : Lost)
    Sum.Lost += N;
  return Sum;
}

} // namespace tp::trace
