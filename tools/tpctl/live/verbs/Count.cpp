// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl count: how often functions and points are hit, exactly.

#include "CountTable.h"
#include "live/measure/Limiter.h"
#include "live/targets/Callees.h"
#include "live/targets/Matches.h"
#include "live/targets/Names.h"
#include "live/targets/Target.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "tprt/tprt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tpctl;
using Clock = Target::Clock;

namespace {

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  CalleesOf Callees;
  CountTable Table;
  Budget Limits{"none"};
  std::string Path; ///< of -o
};

using HitsBySite = DenseMap<std::pair<uint32_t, int32_t>, uint64_t>;

/// The counts of one process.
struct Counted {
  static constexpr uint32_t Kinds = TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  Counted(Connection &C, const Patterns &P)
      : On(C, P, Kinds, TPRT_CONTROL_ACTION_COUNT), Names(P, Kinds) {}
  Connection *C = nullptr;
  pid_t Pid = 0;
  uint32_t Group = 0, Sites = 0;
  bool Matched = false;
  std::string Why; ///< the first refusal, or why nothing matches
  uint64_t Missed = 0;
  /// By site and thread; without --by=thread the thread is 0.
  HitsBySite Hits;
  /// The same when the last site had been turned on.
  HitsBySite Start;
  /// The times of `Start` and `Hits`, by the process's own clock.
  double Begin = 0, Latest = 0;
  Clock::time_point Read; ///< when it was last read
  /// The age of that reading at the process's end, unless the process waited
  /// for the reading.
  std::optional<Clock::duration> Age;
  bool Told = false; ///< at the last reading, that it is about to end
  Following On;
  SiteNames Names;
  std::optional<Limiter> Limit;
};

class Counter {
public:
  explicit Counter(Options &O) : O(O) {}
  Expected<ExitCode> run();

private:
  Error begin();
  Error attach();
  Error attachTo(Connection &C);
  Error beginWindow(Counted &Of);
  Error read();
  Error readOne(size_t I);
  void beginNext();
  void take(Counted &Of, const Counts &Now);
  Expected<Counts> ask(Counted &Of) const;
  Error learnNames(Clock::time_point Until);
  double begun() const;
  double latest() const;
  Error limit(Counted &Of);
  void add(Counted &Of, const HitsBySite &Hits, CountSums &To) const;
  std::optional<Clock::duration> age() const;
  Error show(bool Last);
  void explain() const;

  Options &O;
  std::vector<std::unique_ptr<Counted>> All;
  CountSums Shown;   ///< shown by earlier tables
  double Before = 0; ///< the time of the previous table
};

Error Counter::attachTo(Connection &C) {
  auto Of = std::make_unique<Counted>(C, O.Chosen);
  Of->C = &C;
  Of->Pid = C.pid();
  Of->Read = Clock::now(); // nothing is attached before this time
  auto Done = Of->On.attach(
      O.Table.by() == CountBy::Thread ? TPRT_CONTROL_PER_THREAD : 0);
  if (!Done)
    return Done.takeError();
  if (Done->Matched)
    O.At.tellRefused(C, O.Chosen, *Done);
  bool Waits = !Done->Matched && !O.At.hasCommand();
  if (Waits)
    note(nothingYet(C, O.Chosen, Done->Why));
  Of->Group = Done->Group;
  Of->Sites = Done->Enabled;
  Of->Matched = Done->Matched;
  if (!Waits) // explain() does not repeat it
    Of->Why = Done->Why;
  if (O.Limits.isOn())
    Of->Limit.emplace(C, O.Chosen, O.Limits, Done->Group, Level::Counted);
  All.push_back(std::move(Of));
  return Error::success();
}

Error Counter::attach() {
  for (auto &C : O.At.Connections)
    if (Error E = attachTo(*C))
      return E;
  // The next reading drops a process that has ended already, and reports one
  // that is stopped.
  for (auto &Of : All)
    if (Error E = handleErrors(
            beginWindow(*Of), [](const ProcessEnded &) {},
            [](const ProcessStopped &) {}))
      return E;
  return Error::success();
}

Expected<Counts> Counter::ask(Counted &Of) const {
  uint32_t Detail = TPRT_CONTROL_DETAIL_CHANGED;
  if (O.Table.by() == CountBy::Thread)
    Detail |= TPRT_CONTROL_DETAIL_THREADS;
  if (Of.Limit)
    Of.Limit->beginReading();
  return readCounts(*Of.C, Of.Group, Detail);
}

/// While sites are turned on, some functions are counted and others are not
/// yet. So hits a second are computed from this moment on.
Error Counter::beginWindow(Counted &Of) {
  auto Now = ask(Of);
  if (!Now)
    return Now.takeError();
  take(Of, *Now);
  Of.Start = Of.Hits;
  Of.Begin = Of.Latest;
  std::map<uint32_t, uint64_t> Hits;
  for (auto [Key, Count] : Of.Hits)
    Hits[Key.first] += Count;
  if (Of.Limit)
    Of.Limit->begin(std::move(Hits));
  return Error::success();
}

/// When the first process's sites were on. An error of the processes' clocks
/// must not make the time negative.
double Counter::begun() const {
  double First = All.empty() ? 0 : All.front()->Begin;
  for (const auto &Of : All)
    First = std::min(First, Of->Begin);
  return First;
}

double Counter::latest() const {
  double Last = begun();
  for (const auto &Of : All)
    Last = std::max(Last, Of->Latest);
  return Last;
}

/// Functions that the budget has turned off keep the hits that were seen.
Error Counter::limit(Counted &Of) {
  if (!Of.Limit)
    return Error::success();
  std::map<uint32_t, uint64_t> Hits;
  for (auto [Key, Count] : Of.Hits)
    if (!Of.Limit->reduced().count(Key.first))
      Hits[Key.first] += Count;
  if (Error E = Of.Limit->look(Hits))
    return E;
  // With --by=thread, these are the counts of the last reading.
  if (O.Table.by() != CountBy::Thread)
    for (auto [Number, Less] : Of.Limit->reduced())
      Of.Hits[{Number, 0}] = Less.Counted;
  auto NameOf = [&](uint32_t Number) {
    consumeError(Of.Names.learnOne(*Of.C, Number).takeError());
    return Of.Names.known(Number).place();
  };
  for (const std::string &Line :
       describeSteps(Of.Limit->takeSteps(), O.Limits, NameOf))
    note(Line);
  return Error::success();
}

void Counter::add(Counted &Of, const HitsBySite &Hits, CountSums &To) const {
  pid_t Pid = O.Table.by() == CountBy::Function ? 0 : Of.Pid;
  for (auto [Key, Count] : Hits) {
    if (!Count)
      continue;
    const LiveSite &Site = Of.Names.known(Key.first);
    To[{Pid, Key.second, Site.place(), Site.Module}] += Count;
  }
}

/// The rows are the changed counts.
void Counter::take(Counted &Of, const Counts &Now) {
  std::vector<uint32_t> Numbers;
  for (const tprt_control_count &Row : Now.Rows) {
    Of.Hits[{Row.site, Row.thread}] = Row.count;
    Numbers.push_back(Row.site);
  }
  Of.Names.want(Numbers);
  Of.Latest = Of.C->timeOf(Now.Ticks);
}

/// A process may be killed at any time, so the names of new functions are
/// requested soon. If there are many, that takes seconds, and must not delay
/// the next reading. If the process has ended, the next reading notices it.
Error Counter::learnNames(Clock::time_point Until) {
  for (auto &Of : All)
    if (Of->C)
      if (Error E = O.At.learnNames(*Of->C, Of->Names, Until))
        return E;
  return Error::success();
}

Error Counter::readOne(size_t I) {
  Counted &Of = *All[I];
  if (Error E = O.At.checkRuns(*Of.C))
    return E;
  auto Later = Of.On.attachLater();
  if (!Later)
    return Later.takeError();
  Of.Sites += *Later;
  auto Asked = Clock::now();
  auto Now = ask(Of);
  if (!Now)
    return Now.takeError();
  Of.Read = Asked;
  Of.Missed = Now->Missed;
  take(Of, *Now);
  if (Error E = limit(Of))
    return E;
  // The program may continue after all, if its exec fails.
  Of.Told = Now->Ending;
  if (!Of.Told)
    return Error::success();
  if (Error E = Of.Names.learn(*Of.C))
    return E;
  Of.C->goOn();
  return Error::success();
}

/// Reads all processes. A process that has ended keeps its last counts. If it
/// has become another program, or started one, that program's counts are added.
Error Counter::read() {
  for (size_t I = 0; I != All.size(); ++I) {
    Counted &Of = *All[I];
    if (!Of.C)
      continue;
    Error E = readOne(I);
    if (!E)
      continue;
    if (E.isA<ProcessStopped>()) {
      O.At.tellStopped(std::move(E), Clock::now() - Of.Read);
      continue;
    }
    auto At =
        find_if(O.At.Connections, [&](auto &C) { return C.get() == Of.C; });
    Of.C = nullptr;
    Of.Limit.reset();
    if (!Of.Told)
      Of.Age = Clock::now() - Of.Read;
    if (Error Other = O.At.drop(
            static_cast<size_t>(At - O.At.Connections.begin()), std::move(E)))
      return Other;
  }
  beginNext();
  return Error::success();
}

/// The programs that wait until they are attached to.
void Counter::beginNext() {
  while (Connection *Next = O.At.takeNext()) {
    Error Attached = attachTo(*Next);
    if (!Attached && (Attached = beginWindow(*All.back())))
      All.pop_back();
    O.At.begin(*Next, std::move(Attached));
  }
}

/// The age of the oldest last reading of a process that ended abruptly.
std::optional<Clock::duration> Counter::age() const {
  std::optional<Clock::duration> Oldest;
  for (const auto &Of : All)
    Oldest = std::max(Oldest, Of->Age);
  return Oldest;
}

/// A table of the hits since the previous table. If the last table is the only
/// one, it covers the whole time.
Error Counter::show(bool Last) {
  if (Error E = read())
    return E;
  if (Error E = learnNames(Clock::time_point::max()))
    return E;
  double Taken = latest();
  bool Intervals = O.At.interval().count() != 0;
  CountSums Now, Fresh, Start;
  for (auto &Of : All)
    add(*Of, Of->Hits, Now);
  if (!Intervals || Shown.empty())
    for (auto &Of : All)
      add(*Of, Of->Start, Start);
  for (const auto &[K, Count] : Now)
    if (uint64_t More = Count - std::min(Count, Shown[K]))
      Fresh[K] = More;
  if (Last && Intervals && Fresh.empty())
    return Error::success();
  double Seconds = (Taken - (Intervals ? Before : begun())) / 1e9;
  Error E = Output::write(O.At.resultPath(O.Path), [&](raw_ostream &OS) {
    O.Table.write(OS, Intervals ? Fresh : Now, Start, Seconds);
  });
  Shown = Now;
  Before = Taken;
  return E;
}

void Counter::explain() const {
  uint64_t Sites = 0, Missed = 0;
  bool Matched = false;
  std::string Why;
  for (const auto &Of : All) {
    Sites += Of->Sites, Missed += Of->Missed, Matched |= Of->Matched;
    // If there are several programs, the last one is meant.
    if (!Of->Why.empty())
      Why = Of->Why;
  }
  // The process itself attaches to sites in libraries that it loads later.
  // Those sites have no number here.
  if (!Sites && Shown.empty() && Matched)
    note("no hit is counted, because all matching sites were refused");
  else if (!Sites && Shown.empty()) {
    note("no function or point matches " + O.Chosen.text() +
         (Why.empty() ? "" : ": " + Why));
    O.At.tellOthers();
  } else if (Shown.empty()) {
    note(countText(Sites, "site") + " watched, but no hit was seen");
    O.At.tellOthers();
  }
  if (Missed)
    note(
        countText(Missed, "hit") +
        " not counted: they came from inside handlers, or their threads got no "
        "memory");
}

// The steps before the processes continue.
Error Counter::begin() {
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (Error E = O.Limits.prepare())
    return E;
  if (Error E = Output::check(O.At.resultPath(O.Path)))
    return E;
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/true))
    return E;
  if (Error E = O.Callees.learn(O.At, O.Chosen))
    return E;
  if (!O.Callees.isOn())
    O.At.followExec();
  return attach();
}

Expected<ExitCode> Counter::run() {
  if (Error E = begin())
    return E;
  Before = begun();
  O.At.beginWindow();
  const Clock::time_point Begin = Clock::now();
  auto Next = O.At.interval().count() ? Begin + O.At.interval()
                                      : Clock::time_point::max();
  // An ending process waits until tpctl has read its counts. If a process is
  // killed, its hits since the last reading are lost.
  constexpr auto Look = std::chrono::milliseconds(100);
  Clock::time_point Asked = Begin;
  Clock::duration Took{0};
  while (O.At.isWatching()) {
    // tpctl itself uses at most half of a processor.
    auto Due =
        std::min(Next, Asked + std::max<Clock::duration>(Look, 2 * Took));
    for (const auto &Of : All)
      if (Of->Limit)
        Due = std::min(Due, Of->Limit->next(Took));
    if (Error E = learnNames(O.At.clampToEnd(Due)))
      return E;
    if (!O.At.sleepUntil(Due))
      break;
    if (O.At.hasOnlyNext()) {
      beginNext();
      continue;
    }
    Asked = Clock::now();
    bool Shows = Asked >= Next;
    if (Error E = Shows ? show(false) : read())
      return E;
    Took = Clock::now() - Asked;
    if (Shows)
      Next += O.At.interval();
  }
  if (Error E = show(true))
    return E;
  explain();
  O.At.tellAbruptEnd(age());
  return O.At.finish();
}

} // namespace

void tpctl::addCount(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  VerbSyntax &Verb =
      Line.addVerb("count", "count hits of functions and points, exactly");
  O->Chosen.addOptions(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addSignals(Verb);
  O->At.addInterval(Verb);
  O->At.addChildren(Verb, O->Callees.addOptions(Verb));
  O->Limits.addOption(Verb);
  O->Table.addOptions(Verb);
  Verb.addOption("-o", O->Path, "FILE",
                 "write to this file; - is standard output");
  Verb.setAction([O] { return Counter(*O).run(); });
}
