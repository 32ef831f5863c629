// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Profile.h. Each worker has its own numbers. The workers' numbers are
// added up at the end.

#include "Profile.h"

#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <thread>

using namespace llvm;

namespace tp::trace {

void FunctionStats::add(const FunctionStats &Other) {
  Calls += Other.Calls;
  Total += Other.Total;
  Self += Other.Self;
  Whole += Other.Whole;
  Sum += Other.Sum;
  Min = std::min(Min, Other.Min);
  Max = std::max(Max, Other.Max);
  Squares += Other.Squares;
  Times.add(Other.Times);
  Untimed += Other.Untimed;
}

namespace {

using Row = std::vector<FunctionStats>;

/// Adds the calls of a thread to a row of numbers.
class Counter : public CallVisitor {
public:
  Counter(Row &Stats, ThreadInfo &Info, const CallFilter &Filter,
          const Tables &Names)
      : Stats(Stats), Info(Info), Filter(Filter), Filters(Filter.cuts()),
        Names(Names) {}

  void left(const Frame &F, Frame *, uint64_t End, Ending How, size_t) {
    uint64_t Ticks = End - F.Start;
    if (LLVM_UNLIKELY(Filters && !Filter.takes(F.Start, Ticks)))
      return;
    FunctionStats &S = of(F.Function);
    ++S.Calls;
    S.Self += Ticks - F.Inner;
    if (!F.Nested)
      S.Total += Ticks;
    if (LLVM_UNLIKELY(How != Ending::Whole))
      return;
    ++S.Whole;
    S.Sum += Ticks;
    S.Min = std::min(S.Min, Ticks);
    S.Max = std::max(S.Max, Ticks);
    // The conversion of a signed number is one instruction.
    auto Signed = static_cast<double>(static_cast<int64_t>(Ticks));
    S.Squares += Signed * Signed;
    S.Times.add(Ticks);
  }
  void whole(const Frame &F, uint64_t End, Ending How, bool) {
    left(F, nullptr, End, How, 0);
  }
  void orphan(FunctionId F, uint64_t Time) { untimed(F, Time); }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t) {
    untimed(F, Time);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t, size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME))
      Info.Name = textOf(More);
  }

private:
  void untimed(FunctionId F, uint64_t Time) {
    if (!Filter.takes(Time, 0))
      return;
    FunctionStats &S = of(F);
    ++S.Calls;
    ++S.Untimed;
  }
  FunctionStats &of(FunctionId F) {
    if (LLVM_UNLIKELY(F >= Stats.size()))
      Stats.resize(std::max<size_t>(F + 1, Names.functionCount()));
    return Stats[F];
  }

  Row &Stats;
  ThreadInfo &Info;
  const CallFilter &Filter;
  const bool Filters;
  const Tables &Names;
};

/// One worker: the recorded threads that it reads, and their numbers.
class ProfileSink : public SegmentSink {
public:
  ProfileSink(Recording &R, const CallFilter &Filter, bool ByThread)
      : R(R), Filter(Filter), ByThread(ByThread) {}

  void segment(const Segment &S) override {
    if (!Filter.takesThread(S.Tid))
      return;
    std::unique_ptr<Thread> &T = Threads[S.key()];
    if (!T) {
      T = std::make_unique<Thread>(*this);
      T->Info = ThreadInfo::of(S);
    }
    T->Reader.segment(S, T->Visitor);
  }
  void finish() override {
    for (auto &[Key, T] : Threads) {
      T->Reader.finish(T->Visitor);
      T->Info.Events = T->Reader.events();
      T->Info.Lost = T->Reader.lost();
      T->Info.LastTime = std::max(T->Reader.lastTime(), T->Info.FirstTime);
    }
  }
  void addTo(Profile &P) {
    if (!ByThread)
      merge(P.Stats.front(), Together);
    for (auto &[Key, T] : Threads) {
      P.Events += T->Info.Events;
      P.Lost += T->Info.Lost;
      P.FirstTime = std::min(P.FirstTime, T->Info.FirstTime);
      P.LastTime = std::max(P.LastTime, T->Info.LastTime);
      P.Threads.push_back(std::move(T->Info));
      if (ByThread)
        P.Stats.push_back(std::move(T->Own));
    }
  }

private:
  struct Thread {
    explicit Thread(ProfileSink &Sink)
        : Reader(Sink.R.tables(), Sink.R.findings()),
          Visitor(Sink.ByThread ? Own : Sink.Together, Info, Sink.Filter,
                  Sink.R.tables()) {}
    ThreadInfo Info;
    Row Own;
    CallReader<Counter> Reader;
    Counter Visitor;
  };
  static void merge(Row &To, const Row &From) {
    if (To.size() < From.size())
      To.resize(From.size());
    for (size_t I = 0; I != From.size(); ++I)
      To[I].add(From[I]);
  }

  Recording &R;
  const CallFilter &Filter;
  const bool ByThread;
  Row Together;
  std::map<uint64_t, std::unique_ptr<Thread>> Threads;
};

} // namespace

Expected<Profile> readProfile(Recording &R, const CallFilter &Filter,
                              bool ByThread, unsigned Jobs) {
  if (!Jobs)
    Jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<SegmentSink>> Sinks;
  for (unsigned I = 0; I != Jobs; ++I)
    Sinks.push_back(std::make_unique<ProfileSink>(R, Filter, ByThread));
  if (Error E = R.distribute(Sinks))
    return E;
  Profile P;
  if (!ByThread)
    P.Stats.emplace_back();
  for (auto &Sink : Sinks)
    static_cast<ProfileSink &>(*Sink).addTo(P);
  return P;
}

} // namespace tp::trace
