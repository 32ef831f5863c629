// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Follow.h.

#include "Follow.h"

#include "Cuts.h"
#include "MergedLines.h"
#include "TypedValues.h"
#include "live/requests/Copies.h"
#include "live/targets/CodeNames.h"
#include "live/targets/Unmatched.h"
#include "shared/Output.h"
#include "shared/TraceLines.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace llvm;
using namespace tp::trace;
using Steady = tpctl::Target::Clock;
using std::chrono::milliseconds;

namespace tpctl {
namespace {

/// The state that all processes share.
struct Show {
  Show(FollowOptions &O, const Selection &Chosen, raw_ostream &OS)
      : O(O), Chosen(Chosen), Single(OS, Chosen, Texts, O.Limit) {}
  /// For several processes, before the first line.
  void merge(raw_ostream &OS) {
    Merged.emplace(OS, O.Limit);
    Several.emplace(Merged->stream(), Chosen, Texts, /*Limit=*/0);
    Several->order([this](uint64_t Time) { Merged->begin(Time); });
  }
  TraceLines &lines() { return Several ? *Several : Single; }
  bool more() const { return Merged ? Merged->more() : Single.more(); }
  /// The lines of -n, or those so far.
  uint64_t count() const {
    return Merged && !Merged->more() ? Merged->written()
           : Several                 ? Several->count()
                                     : Single.count();
  }
  bool mayWrite() const { return !O.Rate || count() < Allowed; }

  FollowOptions &O;
  const Selection &Chosen;
  TypedValues Texts;
  TraceLines Single;
  std::optional<MergedLines> Merged;   ///< of several processes
  std::optional<TraceLines> Several;   ///< writes into it
  double LeastNs = 0;                  ///< --min
  const Connection *ClockOf = nullptr; ///< whose clock times are shown by
  uint64_t Allowed = 0;                ///< lines until the next check
  uint64_t Calls = 0, Untimed = 0, Exits = 0, LeftOut = 0, Lost = 0, Unread = 0,
           Overwritten = 0;
};

/// One process.
class Follower {
public:
  Follower(Connection &C, Show &To) : C(C), To(To), Code(C.pid()) {}
  Error start();
  /// Writes the new events. The last time, it reads the recording itself.
  Error look(bool Last);
  /// The process has ended, or runs another program now.
  bool hasEnded() const { return Gone || C.hasEnded(); }
  Error stop() { return stopRecording(C); }
  /// The counter's value up to which the process has been read.
  uint64_t until() const { return Until; }

private:
  struct Thread {
    uint64_t Last = 0, Latest = 0; ///< counters
    uint32_t Order = 0;            ///< of the latest block
    bool Known = false;
  };
  Error lookAtCopy();
  Error read(const std::string &Path, bool Last);
  Error read(Recording &R, bool Last);
  void nameProbes(tp::trace::Tables &Of) const;
  Error findGaps(Recording &R);
  bool take(const ThreadInfo &T, const Moment &M, uint64_t Until, bool Last);
  void show(const ThreadInfo &T, const Moment &M);
  bool isLong(const Moment &M) const;

  Connection &C;
  Show &To;
  CodeNames Code;
  bool Gone = false;
  uint64_t Until = 0;
  std::optional<Copies> Files;
  RecorderOptions Asked;
  std::optional<Recorder> Taken;
  Recording *R = nullptr;
  std::map<uint64_t, Thread> Threads;
};

Error Follower::start() {
  auto Folder = Copies::openFor(C.pid());
  if (!Folder)
    return Folder.takeError();
  Files.emplace(std::move(*Folder));
  Asked = To.O;
  Asked.Path = Files->newPath();
  Asked.Mode = "newest";
  auto Made = Taken.emplace(C, Asked).start();
  if (!Made)
    return Made.takeError();
  return Files->keep(*Made);
}

/// The blocks of each thread are numbered. If a number was never seen, the
/// events of that block were overwritten.
Error Follower::findGaps(Recording &R) {
  std::map<uint64_t, std::pair<uint32_t, uint32_t>> Orders;
  Error E = R.visit([&](const Segment &S) {
    auto [It, New] = Orders.try_emplace(S.key(), S.Order, S.Order);
    It->second.first = std::min(It->second.first, S.Order);
    It->second.second = std::max(It->second.second, S.Order);
    return true;
  });
  uint64_t PerBlock = R.header().block_bytes / 8;
  for (auto &[Key, Range] : Orders) {
    Thread &Of = Threads[Key];
    uint32_t Next = Of.Known ? Of.Order + 1 : 0;
    if (Range.first > Next)
      To.Overwritten += (Range.first - Next) * PerBlock;
    Of.Order = Range.second;
    Of.Known = true;
  }
  return E;
}

bool Follower::isLong(const Moment &M) const {
  return (M.What == Moment::Exit || M.What == Moment::Whole) &&
         M.How != Ending::Unfinished &&
         static_cast<double>(M.Time - M.Start) * C.nanosecondsPerTick() >=
             To.LeastNs;
}

/// With --min, a call is written only after its end.
void Follower::show(const ThreadInfo &T, const Moment &M) {
  // Calls after the last line of -n are not counted.
  if (!To.more())
    return;
  std::string Name = M.Function == NoFunction
                         ? std::string()
                         : R->tables().function(M.Function).Name;
  if (M.What == Moment::Entry || M.What == Moment::Visit ||
      M.What == Moment::Whole)
    ++To.Calls;
  To.Untimed += M.What == Moment::Visit;
  To.Exits += M.What == Moment::Orphan;
  bool Taken = To.O.Picks.takes(T, M, Name);
  if (!Taken || (To.LeastNs > 0 && !isLong(M)))
    return;
  bool Begins = M.What != Moment::Exit || To.LeastNs > 0;
  if (Begins && !To.mayWrite()) {
    To.O.Picks.leaveOut(T, M);
    ++To.LeftOut;
    return;
  }
  if (To.LeastNs == 0 || M.What == Moment::Whole) {
    // An entry may come after the line of the entry before.
    if (!To.lines().moment(T, M) && M.What == Moment::Entry)
      --To.Calls;
    return;
  }
  Moment Unknown;
  Unknown.Time = M.Start;
  const Moment *Entry = To.O.Picks.entryOf(T, M);
  To.lines().whole(T, Entry ? *Entry : Unknown, M, /*AtEnd=*/true);
}

bool Follower::take(const ThreadInfo &T, const Moment &M, uint64_t Until,
                    bool Last) {
  Thread &Of = Threads[uint64_t{T.Process} << 32 | T.Thread];
  bool GoesOn = M.What == Moment::Exit && M.How == Ending::Unfinished;
  if (GoesOn ? !Last : M.Time <= Of.Last || M.Time > Until)
    return true;
  Of.Latest = std::max(Of.Latest, M.Time);
  if (To.lines().takes(M))
    show(T, M);
  return To.more();
}

/// A recording has the instructions of USDT probes by their functions' names.
void Follower::nameProbes(tp::trace::Tables &Of) const {
  if (C.Probes.all().empty())
    return;
  for (FunctionId F = 0; F != Of.functionCount(); ++F) {
    const Function &Known = Of.function(F);
    const Module *M = Of.module(Known.Module);
    if (auto Found = M ? C.Probes.at(M->Base + Known.Address) : nullptr)
      Of.setLinked(F, Found->text());
  }
}

Error Follower::read(Recording &R, bool Last) {
  this->R = &R;
  nameProbes(R.tables());
  To.lines().read(R);
  if (To.Several && !To.ClockOf)
    To.ClockOf = &C;
  if (To.ClockOf == &C)
    To.lines().showTimesBy(R.clock());
  To.Texts.readFiles(
      [this](const std::string &Path) { return Code.seen(Path); });
  To.lines().nameValues([this, &R](const ThreadInfo &, FunctionId F,
                                   uint32_t Kind,
                                   uint64_t Word) -> std::string {
    switch (Kind) {
    case TPRT_TRACE_VALUE_CODE:
      return To.Chosen.shown(Code.callerAt(Word));
    case TPRT_TRACE_VALUE_SYMBOL:
      return To.Chosen.shown(Code.symbolAt(Word));
    case TPRT_TRACE_VALUE_FUNCTION:
      return To.Chosen.shown(R.tables().function(F).Name);
    default:
      return "";
    }
  });
  if (Error E = findGaps(R))
    return E;
  auto Filter = To.Chosen.filterFor(R);
  if (!Filter)
    return Filter.takeError();
  Filter->MinTicks = 0; // short calls count, too
  // During this time, a thread may have claimed space without storing its event
  // yet.
  constexpr double UnstoredNs = 2e6;
  Until = UINT64_MAX;
  if (!Last) {
    auto End = endOf(R);
    if (!End)
      return End.takeError();
    Until = *End - std::min(*End, static_cast<uint64_t>(
                                      UnstoredNs / C.nanosecondsPerTick()));
  }
  auto Sum =
      readTimeline(R, *Filter, [&](const ThreadInfo &T, const Moment &M) {
        return take(T, M, Until, Last);
      });
  if (!Sum)
    return Sum.takeError();
  To.lines().flush();
  if (Last) {
    To.Lost += Sum->Lost + R.header().lost;
    To.Unread += R.header().unread;
  }
  for (auto &[Key, Of] : Threads)
    Of.Last = std::max(Of.Last, Of.Latest);
  return Error::success();
}

Error Follower::look(bool Last) {
  if (Last)
    return read(Files->kept(), Last);
  return handleErrors(lookAtCopy(), [&](const ProcessEnded &Why) {
    Gone = true;
    if (!C.hasEnded())
      note(Why.message());
  });
}

Error Follower::lookAtCopy() {
  if (auto Later = Taken->addLater(); !Later)
    return Later.takeError();
  auto Stopped = Taken->hasStopped();
  if (!Stopped)
    return Stopped.takeError();
  if (*Stopped)
    To.O.At.endNow();
  std::string Copy = Files->newPath();
  if (Error E = takeSnapshot(C, Copy))
    return E;
  return read(Files->seen(Copy), /*Last=*/false);
}

Error Follower::read(const std::string &Path, bool Last) {
  auto Opened = Recording::open(Path);
  if (!Last)
    Files->remove(Path);
  if (!Opened)
    return Opened.takeError();
  return read(**Opened, Last);
}

void tell(const Show &To) {
  std::string Text = countText(To.Calls, "call");
  if (To.LeastNs > 0)
    Text +=
        To.count() + To.LeftOut
            ? formatv(", {0:n} of them \u2265 {1}", To.count() + To.LeftOut,
                      durationText(To.LeastNs, " "))
                  .str()
            : formatv(", none \u2265 {0}", durationText(To.LeastNs, " ")).str();
  if (!To.Calls && To.O.Expressions && To.O.Expressions->hasCondition())
    Text += ": the condition was true for none";
  if (To.Exits)
    Text +=
        "; " +
        countText(
            To.Exits,
            "exit without a recorded entry, so the call's duration is unknown",
            "exits without recorded entries, so the calls' durations are "
            "unknown");
  if (To.LeastNs > 0 && To.Untimed)
    Text += "; " +
            countText(To.Untimed,
                      "call has no time, because no exit of its function is "
                      "known or can be probed",
                      "calls have no times, because no exits of their "
                      "functions are known or can be probed") +
            (To.O.Chosen.takesCode() && !To.O.Chosen.takesTraps()
                 ? "; --traps probes more exits"
                 : "");
  if (To.LeftOut)
    Text += "; " + countText(To.LeftOut, "line was", "lines were") +
            " left out by --rate";
  if (To.Lost)
    Text += "; " + countText(To.Lost, "event was", "events were") + " lost";
  note(Text);
  if (To.Unread)
    note(countText(To.Unread, "call") + " not shown, because " +
         "the condition is not known: memory could not be read, the call "
         "ended without a result (a tail call, an exception), or the "
         "condition divides by 0");
  if (To.Overwritten)
    note("up to " + countText(To.Overwritten, "event") +
         " more were overwritten before tpctl could read them: choose fewer "
         "functions");
}

/// Writes the lines of several processes up to the time to which all of them
/// were read.
void writeMerged(Show &To, ArrayRef<std::unique_ptr<Follower>> All) {
  if (!To.Merged)
    return;
  uint64_t Until = UINT64_MAX;
  for (const auto &F : All)
    if (!F->hasEnded())
      Until = std::min(Until, F->until());
  To.Merged->write(Until);
}

/// Checks each process that is still running. Returns false if there is none.
Expected<bool> lookAtAll(Show &To,
                         std::vector<std::unique_ptr<Follower>> &All) {
  bool Any = false;
  for (auto &F : All) {
    if (F->hasEnded())
      continue;
    Error E = F->look(/*Last=*/false);
    if (E && !F->hasEnded())
      return E;
    consumeError(std::move(E));
    Any |= !F->hasEnded();
  }
  writeMerged(To, All);
  return Any;
}

Error follow(Show &To, std::vector<std::unique_ptr<Follower>> &All,
             Output &Out) {
  // Reading a busy program's ring takes long. tpctl uses at most half a
  // processor for it.
  milliseconds Pause(100);
  auto Before = Steady::now();
  // The lines that --rate allows by now, at most those of a second. A look may
  // be too short for a whole one. Below 0 if more were written, as exits are.
  const auto Rate = static_cast<double>(To.O.Rate);
  double Unused = 0;
  To.O.At.beginWindow();
  while (To.more() && To.O.At.sleepUntil(Before + Pause)) {
    std::chrono::duration<double> Passed = Steady::now() - Before;
    Before = Steady::now();
    Unused = std::min(Rate, Unused + Rate * Passed.count());
    const uint64_t Written = To.count();
    To.Allowed = Written + static_cast<uint64_t>(std::max(Unused, 0.0));
    auto Any = lookAtAll(To, All);
    if (!Any)
      return Any.takeError();
    Unused -= static_cast<double>(To.count() - Written);
    Out.stream().flush();
    if (!*Any || Out.hasFailed())
      break;
    Pause = std::max(
        milliseconds(100),
        std::chrono::duration_cast<milliseconds>(Steady::now() - Before) * 2);
  }
  return Error::success();
}

/// Writes the rest of the recordings after their end.
Error finish(Show &To, std::vector<std::unique_ptr<Follower>> &All) {
  To.Allowed += To.O.Rate;
  for (auto &F : All) {
    if (!F->hasEnded())
      consumeError(F->stop()); // it may be ending
    if (Error E = F->look(/*Last=*/true))
      return E;
  }
  if (To.Merged)
    To.Merged->write(UINT64_MAX);
  return Error::success();
}

} // namespace

Expected<ExitCode> followProcesses(FollowOptions &O, const Selection &Chosen) {
  auto To = Output::open(O.Output);
  if (!To)
    return To.takeError();
  Show Shown(O, Chosen, (*To)->stream());
  auto Least = Chosen.leastDuration();
  if (!Least)
    return Least.takeError();
  Shown.LeastNs = *Least;
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/false))
    return E;
  if (Error E = checkMatches(O.At, O.Chosen, RecordedKinds))
    return E;
  if (O.Expressions)
    if (Error E = O.Expressions->Around.check(O.At))
      return E;
  std::vector<std::unique_ptr<Follower>> All;
  if (O.At.Connections.size() > 1)
    Shown.merge((*To)->stream());
  for (auto &C : O.At.Connections) {
    All.push_back(std::make_unique<Follower>(*C, Shown));
    if (Error E = All.back()->start())
      return E;
  }
  if (Error E = follow(Shown, All, **To))
    return E;
  if (Error E = finish(Shown, All))
    return E;
  All.clear();
  if (Error E = (*To)->close())
    return E;
  tell(Shown);
  if (Shown.LeastNs > 0 && Shown.Calls && Shown.Untimed == Shown.Calls)
    return createStringError("--min selects nothing, because no call has a "
                             "time");
  return O.At.finish();
}

} // namespace tpctl
