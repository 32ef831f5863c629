// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl count: how often functions and points are hit, exactly.

#include "Callees.h"
#include "CountTable.h"
#include "Limiter.h"
#include "Matches.h"
#include "Names.h"
#include "Target.h"
#include "shared/Output.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <CLI/CLI.hpp>

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
  std::string Path = "-";
};

/// What is counted of one process.
struct Counted {
  static constexpr uint32_t Kinds = TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  Counted(Connection &C, const Patterns &P)
      : On(C, P, Kinds, TPRT_CONTROL_ACTION_COUNT), Names(P, Kinds) {}
  Connection *C = nullptr;
  pid_t Pid = 0;
  uint32_t Group = 0, Sites = 0;
  std::string Why; ///< the first refusal, or why nothing matches
  uint64_t Missed = 0;
  bool Told = false; ///< that it ends; what it told is its last word
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
  Error read(Clock::time_point &Taken);
  Error readOne(size_t I);
  Error limit(Counted &Of, Counts &Now);
  Error add(Counted &Of, const Counts &Now, CountSums &To);
  Error show(bool Last);
  void explain() const;

  Options &O;
  std::vector<std::unique_ptr<Counted>> All;
  std::vector<CountSums> PerProcess; ///< the latest reading of each
  CountSums Shown;                   ///< what the tables so far have shown
  Clock::time_point Begin, Before;
};

/// Whether nothing more is to come of any process.
bool areDone(ArrayRef<std::unique_ptr<Counted>> All) {
  return all_of(All, [](auto &Of) { return !Of->C || Of->Told; });
}

Error Counter::attach() {
  for (auto &C : O.At.Connections) {
    auto Of = std::make_unique<Counted>(*C, O.Chosen);
    Of->C = C.get();
    Of->Pid = C->pid();
    auto Done = Of->On.attach(
        O.Table.by() == CountBy::Thread ? TPRT_CONTROL_PER_THREAD : 0);
    if (!Done)
      return Done.takeError();
    if (!Done->Why.empty() && Done->Matched)
      note(Done->Why);
    Of->Group = Done->Group;
    Of->Sites = Done->Enabled;
    Of->Why = Done->Why;
    if (O.Limits.isOn())
      Of->Limit.emplace(*C, O.Chosen, O.Limits, Done->Group, Level::Counted);
    All.push_back(std::move(Of));
    PerProcess.emplace_back();
  }
  return Error::success();
}

/// Functions that are off for the budget keep the hits that were seen.
Error Counter::limit(Counted &Of, Counts &Now) {
  if (!Of.Limit)
    return Error::success();
  std::map<uint32_t, uint64_t> Hits;
  for (const tprt_control_count &Row : Now.Rows)
    Hits[Row.site] += Row.count;
  if (Error E = Of.Limit->look(Hits))
    return E;
  // The threads' own counts stay in the group.
  if (O.Table.by() != CountBy::Thread) {
    const auto &Gone = Of.Limit->reduced();
    erase_if(Now.Rows, [&](auto &Row) { return Gone.count(Row.site) != 0; });
    for (auto [Number, Less] : Gone)
      Now.Rows.push_back({Number, 0, Less.Counted});
  }
  auto NameOf = [&](uint32_t Number) {
    auto Site = Of.Names.find(*Of.C, Number);
    if (Site)
      return (*Site)->place();
    consumeError(Site.takeError());
    return "site " + std::to_string(Number);
  };
  for (const std::string &Line :
       describeSteps(Of.Limit->takeSteps(), O.Limits, NameOf))
    note(Line);
  return Error::success();
}

Error Counter::add(Counted &Of, const Counts &Now, CountSums &To) {
  pid_t Pid = O.Table.by() == CountBy::Function ? 0 : Of.Pid;
  for (const tprt_control_count &Row : Now.Rows) {
    auto Site = Of.Names.find(*Of.C, Row.site);
    if (!Site)
      return Site.takeError();
    To[{Pid, Row.thread, (*Site)->place(), (*Site)->Module}] += Row.count;
  }
  return Error::success();
}

Error Counter::readOne(size_t I) {
  Counted &Of = *All[I];
  CountBy By = O.Table.by();
  auto Later = Of.On.attachLater();
  if (!Later)
    return Later.takeError();
  Of.Sites += *Later;
  auto Now = readCounts(
      *Of.C, Of.Group, By == CountBy::Thread ? TPRT_CONTROL_DETAIL_THREADS : 0);
  if (!Now)
    return Now.takeError();
  if (Error E = limit(Of, *Now))
    return E;
  CountSums Fresh;
  if (Error E = add(Of, *Now, Fresh))
    return E;
  PerProcess[I] = std::move(Fresh);
  Of.Missed = Now->Missed + Now->Untimed;
  if (Now->Ending) {
    Of.C->goOn();
    Of.Told = true;
  }
  return Error::success();
}

/// Reads all processes. One that has ended keeps its last counts.
Error Counter::read(Clock::time_point &Taken) {
  for (size_t I = 0; I != All.size(); ++I) {
    Counted &Of = *All[I];
    if (!Of.C)
      continue;
    Error E = readOne(I);
    if (!E)
      continue;
    auto At =
        find_if(O.At.Connections, [&](auto &C) { return C.get() == Of.C; });
    Of.C = nullptr;
    Of.Limit.reset();
    if (Error Other = O.At.drop(
            static_cast<size_t>(At - O.At.Connections.begin()), std::move(E)))
      return Other;
  }
  Taken = Clock::now();
  return Error::success();
}

/// A table of what came since the one before; the last one is of the whole
/// time, if there were none before.
Error Counter::show(bool Last) {
  Clock::time_point Taken;
  if (Error E = read(Taken))
    return E;
  CountSums Now, Fresh;
  for (const CountSums &Of : PerProcess)
    for (const auto &[K, Count] : Of)
      Now[K] += Count;
  for (const auto &[K, Count] : Now)
    if (uint64_t More = Count - std::min(Count, Shown[K]))
      Fresh[K] = More;
  bool Intervals = O.At.interval().count() != 0;
  if (Last && Intervals && Fresh.empty())
    return Error::success();
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  double Seconds =
      std::chrono::duration<double>(Taken - (Intervals ? Before : Begin))
          .count();
  O.Table.write((*To)->stream(), Intervals ? Fresh : Now, Seconds);
  Shown = Now;
  Before = Taken;
  return (*To)->close();
}

void Counter::explain() const {
  uint64_t Sites = 0, Missed = 0;
  std::string Why;
  for (const auto &Of : All) {
    Sites += Of->Sites, Missed += Of->Missed;
    Why = Why.empty() ? Of->Why : Why;
  }
  if (!Sites)
    note("no function or point matches " + O.Chosen.text() +
         (Why.empty() ? "" : ": " + Why));
  else if (Shown.empty())
    note(countText(Sites, "site") + " watched, and no hit was seen");
  if (Missed)
    note(
        countText(Missed, "hit") +
        " not counted: they came from inside handlers, or their threads got no "
        "memory");
}

// Does what comes before the processes go on.
Error Counter::begin() {
  if (Error E = O.Chosen.prepare())
    return E;
  if (Error E = O.Limits.prepare())
    return E;
  if (O.Table.by() == CountBy::Thread)
    O.Limits.countInHandlers();
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/true))
    return E;
  if (Error E = O.Callees.learn(O.At, O.Chosen))
    return E;
  return attach();
}

Expected<ExitCode> Counter::run() {
  if (Error E = begin())
    return E;
  Begin = Before = Clock::now();
  O.At.release();
  auto Next = O.At.interval().count() ? Begin + O.At.interval()
                                      : Clock::time_point::max();
  // A process that ends waits for this look at it.
  auto Look = std::chrono::milliseconds(100);
  Clock::duration Took{0};
  while (!O.At.Connections.empty() && !areDone(All)) {
    auto Due = std::min(Next, Clock::now() + Look);
    for (const auto &Of : All)
      if (Of->Limit)
        Due = std::min(Due, Of->Limit->next(Took));
    bool On = O.At.sleepUntil(Due);
    if (!On)
      break;
    if (Clock::now() >= Next) {
      if (Error E = show(false))
        return E;
      Next += O.At.interval();
    } else {
      Clock::time_point Asked = Clock::now(), Taken;
      if (Error E = read(Taken))
        return E;
      Took = Taken - Asked;
      // Many sites take long to read, and the process's lock.
      Look =
          std::max(Look, std::chrono::duration_cast<std::chrono::milliseconds>(
                             20 * (Taken - Asked)));
    }
  }
  if (Error E = show(true))
    return E;
  explain();
  O.At.tellAbruptEnd(all_of(All, [](auto &Of) { return Of->Told; }));
  return O.At.finish();
}

} // namespace

void tpctl::addCount(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  CLI::App &Verb = *Top.add_subcommand(
      "count", "count hits of functions and points, exactly");
  O->Chosen.addOptions(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addSignals(Verb);
  O->At.addInterval(Verb);
  O->Callees.addOptions(Verb);
  O->Limits.addOption(Verb);
  O->Table.addOptions(Verb);
  Verb.add_option("-o", O->Path, "write to this file")->option_text("FILE");
  Verb.callback([O, &Chosen] { Chosen = [O] { return Counter(*O).run(); }; });
}
