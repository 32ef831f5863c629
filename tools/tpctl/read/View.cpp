// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl view: a recording as one HTML file, for a browser without a network.
// The page is speedscope, with a flame graph of all events and a timeline of
// some of them.

#include "ViewPage.h"

#include "FlameTree.h"
#include "PairNames.h"
#include "Speedscope.h"
#include "ViewFacts.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "shared/UsageError.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

/// How much a page can draw quickly. speedscope needs about 2 µs for a path,
/// and 5 µs for a call of the timeline.
constexpr size_t MostPaths = 50'000;
constexpr size_t MostCalls = 200'000;

struct Options {
  Selection Chosen;
  std::string Path;
  bool Diff = false;
};

/// Finds the earliest time after which the calls are few enough for a page.
class NewestCalls {
public:
  void add(uint64_t Start) {
    if (Start < Least)
      return;
    Starts.push_back(Start);
    if (Starts.size() == 2 * MostCalls)
      keepNewest();
  }
  /// 0 if all calls are few enough.
  uint64_t from() {
    if (Starts.size() > MostCalls)
      keepNewest();
    return Least;
  }

private:
  void keepNewest() {
    auto Nth = Starts.begin() + MostCalls;
    std::nth_element(Starts.begin(), Nth, Starts.end(), std::greater<>());
    Least = *Nth + 1;
    Starts.erase(Nth, Starts.end());
  }
  std::vector<uint64_t> Starts;
  uint64_t Least = 0;
};

class NewestVisitor : public CallVisitor {
public:
  NewestVisitor(NewestCalls &To, const SpeedscopeCalls::Taker &Takes)
      : To(To), Takes(Takes) {}
  void left(const Frame &F, Frame *, uint64_t End, Ending, size_t) {
    if (Takes(F, End))
      To.add(F.Start);
  }
  void whole(const Frame &F, uint64_t End, Ending How, bool) {
    left(F, nullptr, End, How, 0);
  }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t) {
    if (Takes({F, false, 0, Time, 0}, Time))
      To.add(Time);
  }

private:
  NewestCalls &To;
  const SpeedscopeCalls::Taker &Takes;
};

/// If a call began before the cut or ends after it, the timeline shows the part
/// of the call inside the cut. Other verbs leave such a call out.
SpeedscopeCalls::Taker takerOf(const Selection &Chosen, Recording &R,
                               const CallFilter &Filter) {
  return [&](const Frame &F, uint64_t End) {
    uint64_t Ticks = End - F.Start;
    return F.Start < Filter.To &&
           (End > Filter.From || F.Start >= Filter.From) &&
           Ticks >= Filter.MinTicks && Ticks <= Filter.MaxTicks &&
           Chosen.takes(R.tables().function(F.Function));
  };
}

std::string timelineHint(Recording &R, const CallFilter &Filter,
                         const SpeedscopeCalls &Calls, bool Narrowed) {
  std::string Hint = countText(Calls.calls(), "call");
  auto time = [&](uint64_t Counter) {
    return timeText(std::max(R.clock().sinceStart(Counter), 0.0));
  };
  if (Narrowed)
    Hint = "the last " + Hint + " that fit, from " + time(Filter.From) + " on";
  else if (Filter.From)
    Hint += " from " + time(Filter.From) + " on";
  if (Filter.To != UINT64_MAX)
    Hint += ", before " + time(Filter.To);
  if (Calls.tooDeep())
    Hint += "; " +
            countText(Calls.tooDeep(), "deeper call is", "deeper calls are") +
            " left out";
  return Hint;
}

/// Adds the timeline to a page.
Expected<TimelineFacts> addTimeline(ViewPage &Page, const Options &O,
                                    uint64_t Events) {
  auto R = O.Chosen.Code.open(O.Chosen.Files.front());
  if (!R)
    return R.takeError();
  auto Filter = O.Chosen.filterFor(**R);
  if (!Filter)
    return Filter.takeError();
  SpeedscopeCalls::Taker Takes = takerOf(O.Chosen, **R, *Filter);
  bool Narrowed = false;
  if (Events > MostCalls) {
    NewestCalls Newest;
    auto Sum = readThreads<NewestVisitor>(**R, *Filter, [&](ThreadInfo &) {
      return NewestVisitor(Newest, Takes);
    });
    if (!Sum)
      return Sum.takeError();
    Narrowed = Newest.from() > Filter->From;
    Filter->From = std::max(Filter->From, Newest.from());
  }
  SpeedscopeCalls Calls(**R, O.Chosen.Code, Takes);
  auto Sum = Calls.read(*Filter);
  if (!Sum)
    return Sum.takeError();
  std::string Text;
  raw_string_ostream OS(Text);
  Calls.setBounds(Filter->From, Filter->To);
  if (Error E = Calls.write(OS, sys::path::filename((*R)->file().path()),
                            FrameNames::Short))
    return E;
  if (!Calls.calls()) {
    if (Events)
      note("the page has no timeline: " +
           O.Chosen.explainNothing(**R, Sum->Events, Sum->Lost));
    return TimelineFacts();
  }
  Page.addPacked("timeline", Text);
  TimelineFacts Facts;
  Facts.Hint = timelineHint(**R, *Filter, Calls, Narrowed);
  Facts.Start = Calls.start();
  Calls.visitProfiles([&](const std::string &Name, uint64_t Count) {
    Facts.Threads.push_back(json::Array{jsonText(Name), Count});
  });
  return Facts;
}

/// All calls of a recording. Cuts do not apply.
struct AllCalls {
  std::unique_ptr<Recording> R;
  CallTree Tree;
  std::vector<FunctionId> Functions;
  std::map<FunctionId, std::string> Where; ///< tells functions apart

  Row rowOf(FunctionId Id) const {
    const Function &F = R->tables().function(Id);
    auto At = Where.find(Id);
    Row Result;
    Result.Module = F.ModulePath;
    Result.Name = F.Name;
    Result.Linked = F.Linked;
    Result.Where = At == Where.end() ? "" : At->second;
    return Result;
  }
};

Expected<AllCalls> readCalls(const Options &O, StringRef Path,
                             ViewFacts &Facts) {
  auto R = O.Chosen.Code.open(Path);
  if (!R)
    return R.takeError();
  auto Trees = readCallTrees(**R, CallFilter(), /*ByThread=*/false,
                             [](FunctionId) { return true; });
  if (!Trees)
    return Trees.takeError();
  Facts.addRecording(**R); // reading the facts has told the findings
  AllCalls Calls{std::move(*R), std::move(Trees->Trees.front()), {}, {}};
  Calls.Functions = Calls.Tree.functions();
  O.Chosen.Code.prepare(*Calls.R, Calls.Functions);
  Calls.Where = O.Chosen.Code.tellApart(*Calls.R);
  return Calls;
}

Expected<ViewPage> viewOne(const Options &O) {
  auto Page = ViewPage::find(ViewPage::OneRecording);
  if (!Page)
    return Page.takeError();
  StringRef Path = O.Chosen.Files.front();
  auto Facts = ViewFacts::read(Path, O.Chosen.Code);
  if (!Facts)
    return Facts.takeError();
  auto Calls = readCalls(O, Path, *Facts);
  if (!Calls)
    return Calls.takeError();
  FlameTree Tree;
  Tree.add(FlameTree::Old, Calls->Tree, *Calls->R, [&](FunctionId Id) {
    Row Of = Calls->rowOf(Id);
    return FlameTree::Label{Of.Module, Of.Name, Of.Where,
                            O.Chosen.Code.lineOf(*Calls->R, Id),
                            Facts->rowOf(Of.Module, Of.Name, Of.Where)};
  });
  Tree.prune(MostPaths, SpeedscopeCalls::MostDepth);
  std::string Text;
  raw_string_ostream OS(Text);
  Tree.writeSpeedscope(OS, sys::path::filename(Path));
  bool HasCalls = Tree.nodes().size() > 1;
  if (HasCalls)
    Page->addPacked("calls", Text);
  else
    note(Facts->whyEmpty());
  auto Timeline = addTimeline(*Page, O, Facts->events());
  if (!Timeline)
    return Timeline.takeError();
  std::string All = Facts->events() == 1
                        ? "the only event"
                        : "all " + countText(Facts->events(), "event");
  if (Tree.hidden() > 0)
    All += formatv("; {0:f1}% of the time is in paths too small to draw",
                   Tree.hidden() * 100);
  Page->addJson("facts", Facts->json(All, std::move(*Timeline), HasCalls));
  return Page;
}

Expected<ViewPage> viewDiff(const Options &O) {
  auto Page = ViewPage::find(ViewPage::TwoRecordings);
  if (!Page)
    return Page.takeError();
  json::Array Both;
  std::vector<AllCalls> Sides;
  PairNames Names;
  for (auto Of : {PairNames::Old, PairNames::New}) {
    StringRef Path = O.Chosen.Files[Of];
    auto Facts = ViewFacts::read(Path, O.Chosen.Code);
    if (!Facts)
      return Facts.takeError();
    auto Calls = readCalls(O, Path, *Facts);
    if (!Calls)
      return Calls.takeError();
    for (FunctionId Id : Calls->Functions)
      Names.add(Of, Calls->rowOf(Id));
    Sides.push_back(std::move(*Calls));
    Both.push_back(Facts->json("", {}, true));
    if (!Facts->events())
      note(Facts->whyEmpty());
  }
  FlameTree Tree;
  for (auto Of : {FlameTree::Old, FlameTree::New})
    Tree.add(Of, Sides[Of].Tree, *Sides[Of].R, [&](FunctionId Id) {
      PairName Name = Names.nameOf(Sides[Of].rowOf(Id));
      return FlameTree::Label{Name.Module, Name.Name, Name.Where, {}};
    });
  // Each path is an element of the page.
  Tree.prune(/*MostNodes=*/20'000, /*MostDepth=*/300);
  std::string Text;
  raw_string_ostream OS(Text);
  Tree.writeNested(OS);
  Page->addPacked("calls", Text);
  Page->addJson("facts", std::move(Both));
  return Page;
}

Expected<ExitCode> view(Options &O) {
  if (Error E = O.Chosen.prepare())
    return E;
  if (O.Chosen.Files.empty() && !O.Diff) {
    auto Newest = newestRecording();
    if (!Newest)
      return Newest.takeError();
    O.Chosen.Files.push_back(std::move(*Newest));
  }
  if (O.Chosen.Files.size() != (O.Diff ? 2 : 1))
    return wrongUsage(O.Diff ? "view --diff takes two recordings, the "
                               "old and the new one"
                             : "view takes one recording; --diff "
                               "compares two");
  if (O.Path.empty())
    O.Path = (sys::path::filename(O.Chosen.Files.back()) +
              (O.Diff ? ".diff.html" : ".html"))
                 .str();
  auto Page = O.Diff ? viewDiff(O) : viewOne(O);
  if (!Page)
    return Page.takeError();
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  Page->write((*To)->stream());
  if (Error E = (*To)->close())
    return E;
  if (O.Path != "-")
    outs() << "wrote " << O.Path << ": open it with a browser\n";
  return Done;
}

} // namespace

void tpctl::addView(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb = Line.addVerb(
      "view", "an HTML page with flame graph, timeline and search");
  Verb.addArguments("FILE", O->Chosen.Files);
  Verb.addFlag("--diff", O->Diff, "a flame graph coloured by what has changed");
  O->Chosen.addCuts(Verb);
  O->Chosen.addDurations(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.addOption("-o", O->Path, "FILE",
                 "write to this file; FILE.html if not given");
  Verb.setFooter("FILE is a recording; with --diff, there are an old and a new "
                 "one.\nCuts are for the timeline. The flame graph is of all "
                 "events.");
  Verb.setAction([O] { return view(*O); });
}
