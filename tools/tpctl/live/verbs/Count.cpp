// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl count: how often functions and points are hit, exactly.

#include "CountTable.h"
#include "GroupResults.h"
#include "KeyTable.h"
#include "live/measure/Aggregate.h"
#include "live/measure/Limiter.h"
#include "live/measure/Measurement.h"
#include "live/measure/PairAggregate.h"
#include "live/requests/Readings.h"
#include "live/targets/Callees.h"
#include "live/targets/DryRun.h"
#include "live/targets/Names.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tpctl;

namespace {

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  CalleesOf Callees;
  CountTable Table;
  Ask Question;
  Pairs Between;
  Budget Limits{"none"};
  std::string Path;   ///< of -o
  uint32_t Group = 0; ///< a group whose counts are shown
};

using HitsBySite = DenseMap<std::pair<uint32_t, int32_t>, uint64_t>;

// The steps before the processes continue, after O.Chosen was prepared.
Error begin(Options &O, Measurement &Of, uint32_t Kinds) {
  if (Error E = prepareToMeasure(O.At, O.Chosen, Kinds, O.Callees, O.Limits,
                                 O.At.resultPath(O.Path)))
    return E;
  return Of.attach();
}

class Counter : public Measurement {
public:
  explicit Counter(Options &O)
      : Measurement(O.At, O.Chosen), O(O),
        To(O.At.resultPath(O.Path), /*Replaces=*/O.At.wantsTotal()) {}
  Expected<ExitCode> run();

private:
  static constexpr uint32_t Kinds = TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  struct Counted : Process {
    Counted(Connection &C, const Patterns &P)
        : Process(C, Following(C, P, Kinds, TPRT_CONTROL_ACTION_COUNT)),
          Names(P, Kinds) {}
    /// By site and thread; without --by=thread the thread is 0.
    HitsBySite Hits;
    /// The same when the last site had been turned on.
    HitsBySite Start;
    SiteNames Names;
    std::optional<Limiter> Limit;
  };

  std::unique_ptr<Process> make(Connection &C) override {
    return std::make_unique<Counted>(C, P);
  }
  uint32_t attachFlags() const override {
    return O.Table.by() == CountBy::Thread ? TPRT_CONTROL_PER_THREAD : 0;
  }
  void attached(Process &Of) override;
  Error beginWindow(Process &Of) override;
  Expected<bool> readProcess(Process &Of) override;
  Error learnNames(Process &Of, Clock::time_point Until) override {
    return At.learnNames(*Of.C, static_cast<Counted &>(Of).Names, Until);
  }
  void ended(Process &Of) override { static_cast<Counted &>(Of).Limit.reset(); }
  Clock::time_point nextReading(Clock::time_point Looked,
                                Clock::duration Took) const override;

  void take(Counted &Of, const Counts &Now);
  Expected<Counts> ask(Counted &Of) const;
  Error limit(Counted &Of);
  void add(Counted &Of, const HitsBySite &Hits, CountSums &To) const;
  Error show(bool Last);
  void explain() const;

  Options &O;
  ResultTables To;
  CountSums Shown;   ///< shown by earlier tables
  double Before = 0; ///< the time of the previous table
};

void Counter::attached(Process &Of) {
  if (O.Limits.isOn())
    static_cast<Counted &>(Of).Limit.emplace(*Of.C, P, O.Limits, Of.Group,
                                             Level::Counted);
}

Counter::Clock::time_point Counter::nextReading(Clock::time_point Looked,
                                                Clock::duration Took) const {
  auto Due = Measurement::nextReading(Looked, Took);
  for (const auto &Of : Processes)
    if (const auto &Limit = static_cast<Counted &>(*Of).Limit)
      Due = std::min(Due, Limit->next(Took));
  return Due;
}

Expected<Counts> Counter::ask(Counted &Of) const {
  uint32_t Detail = TPRT_CONTROL_DETAIL_CHANGED;
  if (O.Table.by() == CountBy::Thread)
    Detail |= TPRT_CONTROL_DETAIL_THREADS;
  if (Of.Limit)
    Of.Limit->beginReading();
  return readCounts(*Of.C, Of.Group, Detail);
}

Error Counter::beginWindow(Process &Which) {
  auto &Of = static_cast<Counted &>(Which);
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

/// Functions that the budget has turned off keep the hits that were seen.
Error Counter::limit(Counted &Of) {
  if (!Of.Limit)
    return Error::success();
  std::map<uint32_t, uint64_t> Hits;
  for (auto [Key, Count] : Of.Hits)
    if (!Of.Limit->reduced().count(Key.first))
      Hits[Key.first] += Count;
  if (Error E = Of.Limit->look(Hits, /*SelfPerHit=*/{}))
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

Expected<bool> Counter::readProcess(Process &Which) {
  auto &Of = static_cast<Counted &>(Which);
  auto Now = ask(Of);
  if (!Now)
    return Now.takeError();
  Of.Missed = Now->Missed;
  take(Of, *Now);
  if (Error E = limit(Of))
    return E;
  return Now->Ending;
}

/// A table of the hits since the previous table, or of all.
Error Counter::show(bool Last) {
  double Taken = latest();
  const bool IsPart = O.At.showsParts();
  CountSums Now, Fresh, Start;
  for (auto &Which : Processes) {
    auto &Of = static_cast<Counted &>(*Which);
    add(Of, Of.Hits, Now);
    if (!IsPart || Shown.empty())
      add(Of, Of.Start, Start);
  }
  for (const auto &[K, Count] : Now)
    if (uint64_t More = Count - std::min(Count, Shown[K]))
      Fresh[K] = More;
  if (Last && To.any() && Fresh.empty())
    return Error::success();
  double Seconds = (Taken - (IsPart ? Before : begun())) / 1e9;
  Error E = To.write([&](raw_ostream &OS, bool IsFirst) {
    O.Table.write(OS, IsPart ? Fresh : Now, Start, Seconds, IsFirst);
  });
  Shown = Now;
  Before = Taken;
  return E;
}

void Counter::explain() const {
  const auto [Sites, Missed, Matched, Why] = sums();
  // The process itself attaches to sites in libraries that it loads later.
  // Those sites have no number here.
  if (!Sites && Shown.empty() && Matched)
    note("no hit is counted, because all matching sites were refused");
  else if (!Sites && Shown.empty()) {
    const std::string Text = "no function or point matches " + O.Chosen.text() +
                             (Why.empty() ? "" : ": " + Why);
    Processes.empty() ? note(Text) : O.At.tellNothing(O.Chosen, Text);
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

Expected<ExitCode> Counter::run() {
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (Error E = begin(O, *this, Kinds))
    return E;
  Before = begun();
  O.At.beginWindow();
  if (Error E = watch([&](bool Last) { return show(Last); }))
    return E;
  explain();
  O.At.tellAbruptEnd(age());
  return O.At.finish();
}

/// Counts by keys until the verb ends. `Asked` has the rows.
Expected<ExitCode> countRows(Options &O, Aggregate &Of, const Ask &Asked,
                             uint32_t Kinds) {
  if (Error E = begin(O, Of, Kinds))
    return E;
  O.At.beginWindow();
  KeyTable Table(Asked, O.Table);
  // Pairs that are open may have started at any time.
  const bool IsPart = O.At.showsParts() && !Asked.isOpen();
  ResultTables To(O.At.resultPath(O.Path), /*Replaces=*/O.At.wantsTotal());
  double Before = Of.begun();
  AggregateRows Shown;
  auto Show = [&](bool Last) -> Error {
    AggregateRows Now = Of.rows(), Fresh = freshRows(Now, Shown);
    if (Last && To.any() && Fresh.empty() && !Asked.isOpen())
      return Error::success();
    const bool FromStart = Before == Of.begun();
    double Seconds = (Of.latest() - Before) / 1e9;
    Error E = To.write([&](raw_ostream &OS, bool IsFirst) {
      Table.write(OS, IsPart ? Fresh : Now,
                  FromStart ? Of.start() : AggregateRows(), Seconds,
                  /*Whole=*/!IsPart, IsFirst);
    });
    Before = IsPart ? Of.latest() : Before;
    Shown = std::move(Now);
    return E;
  };
  if (Error E = Of.watch(Show))
    return E;
  Of.explain(/*Seen=*/!Shown.empty());
  O.At.tellAbruptEnd(Of.age());
  return O.At.finish();
}

/// Counts with --if, --of, or expressions of --by.
Expected<ExitCode> countByKeys(Options &O) {
  if (O.Limits.isGiven())
    return wrongUsage("--budget has no effect with expressions: leave it out");
  if (Error E = O.Question.prepareWith(O.Chosen, O.At.program(), "function",
                                       /*Histogram=*/false))
    return E;
  if (O.Question.isDryRun())
    return dryRun(O.At, O.Chosen, O.Question);
  Aggregate Of(O.At, O.Chosen, O.Question);
  return countRows(O, Of, O.Question, O.Question.kinds());
}

/// Counts with --since.
Expected<ExitCode> countPairs(Options &O) {
  if (O.Limits.isGiven())
    return wrongUsage("--budget has no effect with --since: leave it out");
  if (O.Callees.isOn())
    return wrongUsage("--callees-of has no keys of pairs: leave it out, or "
                      "leave out --since");
  if (Error E = O.Between.prepare(O.Chosen, O.Question, "function",
                                  /*Histogram=*/false))
    return E;
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  PairAggregate Of(O.At, O.Chosen, O.Between);
  return countRows(O, Of, O.Between.rows(), O.Between.kinds());
}

/// What a group that `tpctl on` left has counted.
Expected<ExitCode> countOfGroup(Options &O) {
  auto Now = countsOfGroup(O.At, O.Group);
  if (!Now)
    return Now.takeError();
  if (Now->Of.empty())
    note("group " + Twine(O.Group) + " has seen no hit so far");
  ResultTables To(O.At.resultPath(O.Path), /*Replaces=*/true);
  Error E = To.write([&](raw_ostream &OS, bool IsFirst) {
    O.Table.write(OS, Now->Of, {}, Now->Seconds, IsFirst);
  });
  if (E)
    return E;
  return Done;
}

Expected<ExitCode> count(Options &O) {
  if (O.Group) {
    if (Error E = checkForGroup(O.Chosen, O.Question))
      return E;
    return countOfGroup(O);
  }
  if (O.Between.isOn())
    return countPairs(O);
  CountBy Plain = CountBy::Function;
  if (O.Question.isOn<CountBy>({{"function", CountBy::Function},
                                {"process", CountBy::Process},
                                {"thread", CountBy::Thread}},
                               Plain))
    return countByKeys(O);
  if (Error E = O.Question.checkPlain())
    return E;
  O.Table.setBy(Plain);
  return Counter(O).run();
}

} // namespace

void tpctl::addCount(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  VerbSyntax &Verb =
      Line.addVerb("count", "count hits of functions and points, exactly");
  O->Chosen.addOptions(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addSignals(Verb);
  O->At.addInterval(Verb);
  O->At.addTotal(Verb);
  O->At.addChildren(Verb, O->Callees.addOptions(Verb));
  O->Limits.addOption(Verb);
  O->Table.addOptions(Verb);
  Verb.addOption("-o", O->Path, "FILE",
                 "write to this file; - is standard output");
  O->Question.addOptions(Verb, "function, process, thread or caller",
                         "add up this value, such as result or arg0");
  O->Between.addOpen(Verb);
  addGroup(Verb, O->Group);
  Verb.setAction([O] { return count(*O); });
}
