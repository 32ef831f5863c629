// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Recording.h. When a recording is opened, its records are read. If a
// program was killed early, its records may lack a second moment. In that case,
// the reader searches the words for a moment. If the words have none either,
// the machine's clocks are read (Here.h).

#include "Recording.h"

#include "Here.h"
#include "Words.h"

using namespace llvm;

namespace tp::trace {
namespace {

Segment whole(const Block &B) {
  const tprt_trace_block &H = B.Header;
  return {H.process, H.pid,     H.thread, H.tid,   H.order,
          H.depth,   H.counter, H.lost,   B.Owner, B.words()};
}

/// Ends a segment at each SEGMENT word.
bool split(const Block &B, function_ref<bool(Segment)> Visit) {
  Segment S = whole(B);
  ArrayRef<uint64_t> All = S.Words;
  size_t Start = 0, At = 0;
  while (At < All.size()) {
    uint64_t Word = All[At];
    size_t Length = lengthOf(Word);
    if (Length > All.size() - At)
      break;
    if (isExtension(Word, TPRT_TRACE_SEGMENT) && Length == 5) {
      S.Words = All.slice(Start, At - Start);
      if (!Visit(S))
        return false;
      const uint64_t *W = &All[At + 1];
      S.Thread = static_cast<uint32_t>(W[0]);
      S.Tid = static_cast<uint32_t>(W[0] >> 32);
      S.Process = static_cast<uint32_t>(W[1]);
      S.Order = static_cast<uint32_t>(W[1] >> 32);
      S.Counter = W[2];
      S.Lost = W[3];
      S.Depth = TPRT_TRACE_DEPTH_UNKNOWN;
      Start = At + Length;
    }
    At += Length;
  }
  S.Words = All.drop_front(Start);
  return Visit(S);
}

} // namespace

Expected<std::unique_ptr<Recording>> Recording::open(StringRef Path) {
  std::unique_ptr<Recording> R(new Recording);
  auto File = BlockFile::open(Path, R->Found);
  if (!File)
    return File.takeError();
  R->File = std::move(*File);
  R->Time = Clock(R->header());
  if (Error E = R->readRecords())
    return E;
  R->Time.calibrate();
  if (!R->Time.known()) {
    if (Error E = R->readMoments())
      return E;
    R->Time.calibrate();
  }
  if (!R->Time.known() && isFromHere(R->header()))
    if (auto Now = momentNow(R->header())) {
      R->Time.add(*Now);
      R->Time.calibrate();
    }
  R->Found.add(Finding::EventsLost, R->header().lost);
  R->Found.add(Finding::CallsUnread, R->header().unread);
  if (R->header().state == TPRT_TRACE_STATE_OPEN)
    R->findEnds();
  return R;
}

void Recording::findEnds() {
  bool Here = isFromHere(header());
  for (const Process &P : Names.processes())
    if (!P.Ended)
      Found.add(Here && isRunning(P.Pid) ? Finding::ProcessesGoOn
                                         : Finding::ProcessesCut);
}

Error Recording::readRecords() {
  return File->visitRecords([&](Block B) {
    Names.read(B, Time);
    return true;
  });
}

Error Recording::readMoments() {
  return File->visitEvents([&](Block B) {
    ArrayRef<uint64_t> Words = B.words();
    for (size_t At = 0; At < Words.size(); At += lengthOf(Words[At]))
      if (isExtension(Words[At], TPRT_TRACE_CLOCK) &&
          lengthOf(Words[At]) == 4 && Words.size() - At >= 4)
        Time.add({Words[At + 1], Words[At + 2], Words[At + 3]});
    return true;
  });
}

Error Recording::visit(function_ref<bool(Segment)> Visit, uint64_t From) {
  auto VisitBlock = [&](Block B) {
    if (B.Header.flags & TPRT_TRACE_BLOCK_SHARED)
      return split(B, Visit);
    return Visit(whole(B));
  };
  return File->visitEvents(VisitBlock, From);
}

} // namespace tp::trace
