// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Timeline.h.

#include "Timeline.h"

#include "llvm/ADT/STLExtras.h"
#include <deque>
#include <map>
#include <queue>

using namespace llvm;

namespace tp::trace {
namespace {

/// A thread may have read the counter for an event a little before the event's
/// block began.
constexpr uint64_t Slack = uint64_t(1) << 20;

/// Keeps the moments of a thread until they are passed to the visitor.
class Collector : public CallVisitor {
public:
  Collector(const Tables &Names, ThreadInfo &Info, const CallFilter &Filter)
      : Names(Names), Info(Info), Filter(Filter) {}

  void site(uint32_t Site) { LastSite = Site; }
  void entered(Frame &F, const Frame *, size_t Depth) {
    F.Tag = First + static_cast<uint32_t>(Kept.size());
    add(Moment::Entry, F.Function, F.Start, Depth);
  }
  void left(const Frame &F, Frame *, uint64_t End, Ending How, size_t Depth) {
    Dropped = End - F.Start < Filter.MinTicks;
    if (Dropped) {
      // The entry is still in Kept: a moment of this age has not been passed on
      // yet.
      if (uint32_t At = F.Tag - First; At < Kept.size())
        Kept[At].What = Moment::Nothing;
      // Usually the entry is the last moment, so short calls need no memory.
      while (!Kept.empty() && Kept.back().What == Moment::Nothing)
        Kept.pop_back();
      return;
    }
    Moment &M = add(Moment::Exit, F.Function, End, Depth);
    M.How = How;
    M.Start = F.Start;
    M.TailExit = How == Ending::Whole && Names.isTailExit(LastSite);
  }
  void whole(const Frame &F, uint64_t End, Ending How, bool TailExit) {
    Dropped = End - F.Start < Filter.MinTicks;
    if (Dropped)
      return Next.clear();
    Moment &M = add(Moment::Whole, F.Function, End, 0);
    M.How = How;
    M.Start = F.Start;
    M.TailExit = TailExit;
  }
  void computed(uint64_t Forms, ArrayRef<uint64_t> Words) {
    NextForms = Forms;
    Next = Words.vec();
  }
  void orphan(FunctionId F, uint64_t Time) { add(Moment::Orphan, F, Time, 0); }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t Depth) {
    add(Moment::Visit, F, Time, Depth);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t Time,
                 size_t Depth) {
    if (isExtension(Word, TPRT_TRACE_VALUES)) {
      if (!Kept.empty() && !Dropped) {
        Kept.back().Forms = Word >> TPRT_TRACE_TIME_SHIFT;
        Kept.back().Values = More.vec();
      }
      return;
    }
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME))
      Info.Name = textOf(More);
    Moment &M = add(Moment::Extension, NoFunction, Time, Depth);
    M.Word = Word;
    M.Words = More.vec();
  }

  Moment take() {
    Moment M = std::move(Kept.front());
    Kept.pop_front();
    ++First;
    return M;
  }
  std::deque<Moment> Kept;

private:
  Moment &add(Moment::Kind What, FunctionId F, uint64_t Time, size_t Depth) {
    Dropped = false;
    Moment M;
    M.What = What;
    M.Function = F;
    M.Time = Time;
    M.Depth = static_cast<uint32_t>(Depth);
    if (LLVM_UNLIKELY(!Next.empty())) {
      M.ComputedForms = NextForms;
      M.Computed = std::move(Next);
      Next.clear();
    }
    Kept.push_back(std::move(M));
    return Kept.back();
  }
  const Tables &Names;
  ThreadInfo &Info;
  const CallFilter &Filter;
  uint32_t LastSite = 0;
  uint32_t First = 0;         ///< number of the first kept moment, modulo 2^32
  bool Dropped = false;       ///< the last event, whose values may follow
  uint64_t NextForms = 0;     ///< of what was computed at the next event
  std::vector<uint64_t> Next; ///< the words
};

struct Thread {
  Thread(Recording &R, ThreadInfo Of, const CallFilter &Filter)
      : Info(std::move(Of)), Reader(R.tables(), R.findings()),
        V(R.tables(), Info, Filter) {}
  ThreadInfo Info;
  CallReader<Collector> Reader;
  Collector V;
  bool Waits = false; ///< it is among the heads
};

class Merger {
public:
  using Visitor = function_ref<bool(const ThreadInfo &, const Moment &)>;
  Merger(Recording &R, const CallFilter &Filter, Visitor Visit)
      : R(R), Filter(Filter), Visit(Visit) {}

  bool segment(const Segment &S) {
    // If an entry's call may still turn out too short, the entry is not passed
    // on.
    uint64_t Young = std::min(Filter.MinTicks, UINT64_MAX - Slack) + Slack;
    if (!release(S.Counter > Young ? S.Counter - Young : 0))
      return false;
    if (!Filter.takesThread(S.Tid))
      return true;
    std::unique_ptr<Thread> &T = Threads[S.key()];
    if (!T) {
      T = std::make_unique<Thread>(R, ThreadInfo::of(S), Filter);
      Order.push_back(T.get());
    }
    T->Reader.segment(S, T->V);
    wait(*T);
    return true;
  }
  Totals finish() {
    Totals Sum;
    for (Thread *T : Order) {
      T->Reader.finish(T->V);
      wait(*T);
      Sum.Events += T->Reader.events();
      Sum.Lost += T->Reader.lost();
    }
    release(UINT64_MAX);
    return Sum;
  }

private:
  void wait(Thread &T) {
    if (T.Waits || T.V.Kept.empty())
      return;
    T.Waits = true;
    Heads.push({T.V.Kept.front().Time, &T});
  }

  /// Passes on the moments before a time.
  bool release(uint64_t Before) {
    while (!Heads.empty() && !Ended && Heads.top().first < Before) {
      auto [Time, T] = Heads.top();
      Heads.pop();
      T->Waits = false;
      // If a call turned out too short, its entry has been removed meanwhile.
      bool Gone = T->V.Kept.empty() || T->V.Kept.front().Time != Time;
      Moment M;
      if (!Gone)
        M = T->V.take();
      wait(*T);
      if (Gone)
        continue;
      bool Takes = M.What != Moment::Nothing && Filter.takesTime(M.Time);
      Ended = Takes && !Visit(T->Info, M);
    }
    return !Ended;
  }

  using Head = std::pair<uint64_t, Thread *>;
  struct Later {
    bool operator()(const Head &A, const Head &B) const {
      return std::tie(A.first, A.second->Info.Thread) >
             std::tie(B.first, B.second->Info.Thread);
    }
  };
  Recording &R;
  const CallFilter &Filter;
  Visitor Visit;
  std::map<uint64_t, std::unique_ptr<Thread>> Threads;
  std::vector<Thread *> Order;
  std::priority_queue<Head, std::vector<Head>, Later> Heads;
  bool Ended = false;
};

} // namespace

Expected<Totals>
readTimeline(Recording &R, const CallFilter &Filter,
             function_ref<bool(const ThreadInfo &, const Moment &)> Visit) {
  Merger M(R, Filter, Visit);
  // Calls that began earlier then lack their beginning, as in a ring.
  if (Error E = R.visit([&](const Segment &S) { return M.segment(S); },
                        Filter.From - std::min(Filter.From, Slack)))
    return E;
  return M.finish();
}

} // namespace tp::trace
