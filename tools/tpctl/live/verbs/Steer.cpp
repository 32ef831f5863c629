// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl on, off and status: probes that stay enabled in a process after tpctl
// has ended.

#include "live/requests/Readings.h"
#include "live/targets/Ask.h"
#include "live/targets/Callees.h"
#include "live/targets/Matches.h"
#include "live/targets/Target.h"
#include "live/targets/Unmatched.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tpctl;

namespace {

struct Options {
  Target At{{}};
  Patterns Chosen;
  CalleesOf Callees;
  bool Print = false, Time = false, Skip = false, All = false, Json = false;
  Ask Question; ///< --if
  std::vector<uint32_t> Groups;
  std::vector<std::string> Texts;
};

constexpr const char *Actions[] = {"count", "time", "print",
                                   "skip",  "rows", "follow"};

std::string actionOf(const tprt_control_group &G) {
  if (G.action == TPRT_CONTROL_ACTION_RUN)
    return "run";
  return G.action < std::size(Actions) ? Actions[G.action] : "?";
}

Expected<ExitCode> turnOn(Options &O) {
  if (O.Question.isGiven() && (O.Print || O.Time || O.Skip))
    return wrongUsage("--if counts hits, and cannot be combined with " +
                      Twine(O.Print  ? "--print"
                            : O.Time ? "--time"
                                     : "--skip") +
                      ": tpctl trace shows hits for which an expression is "
                      "true, and hist their times");
  if (O.Chosen.given().empty() && O.Chosen.globs().empty() && !O.Callees.isOn())
    return wrongUsage("no pattern: tpctl on -p PID PATTERN...");
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (O.Print && O.Chosen.hasProbes())
    return wrongUsage("--print is of points, and USDT probes have no text: "
                      "use tpctl trace --print args");
  const bool Asks = O.Question.isGiven();
  if (Asks) {
    if (Error E = O.Question.prepare("function", /*Histogram=*/false))
      return E;
    // The calls around others are followed only as long as tpctl runs.
    if (O.Question.usesDepth())
      return wrongUsage("--if: on cannot follow depth, because its group stays "
                        "when tpctl ends: use count, hist or trace");
  }
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/false))
    return E;
  auto What = O.Print  ? TPRT_CONTROL_ACTION_PRINT
              : O.Skip ? TPRT_CONTROL_ACTION_SKIP
              : O.Time ? TPRT_CONTROL_ACTION_TIME
                       : TPRT_CONTROL_ACTION_COUNT;
  uint32_t Kinds = O.Time || O.Skip ? uint32_t{TPRT_KIND_SET_ALL}
                                    : TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  if (Asks) {
    if (Error E = O.Question.check(O.Chosen))
      return E;
    Kinds = O.Question.kinds();
  }
  if (O.Skip)
    O.Chosen.takeProfilers();
  if (Error E = checkMatches(O.At, O.Chosen, Kinds))
    return E;
  if (Error E = O.Callees.learn(O.At, O.Chosen))
    return E;
  for (auto &C : O.At.Connections) {
    auto On = Asks ? O.Question.follow(*C, O.Chosen)
                   : Following(*C, O.Chosen, Kinds, What);
    auto Done = On.attach(TPRT_CONTROL_KEEP);
    if (!Done)
      return Done.takeError();
    if (Error E = O.Question.tellLeftOut()) {
      consumeError(detachGroups(*C, Done->Group, {}).takeError());
      return E;
    }
    // tpctl has already ended when a library is loaded later.
    if (O.Chosen.appliesHere() && !Done->Matched) {
      consumeError(detachGroups(*C, Done->Group, {}).takeError());
      return createStringError("no function or point of " + C->name() +
                               " matches " + O.Chosen.text());
    }
    outs() << formatv("{0}: group {1} is on: {2:n} of {3}\n", C->name(),
                      Done->Group, Done->Enabled,
                      countText(Done->Matched, "site"));
    if (!Done->Matched)
      note(nothingYet(*C, O.Chosen, Done->Why));
    else
      O.At.tellRefused(*C, O.Chosen, *Done);
  }
  if (O.Chosen.appliesHere())
    note("libraries that are loaded later are not searched, as tpctl applies " +
         Twine(O.Chosen.hasRegexes() ? "regular expressions"
                                     : "patterns of USDT probes") +
         ", and ends now; globs alone are applied there");
  return Done;
}

Expected<ExitCode> turnOff(Options &O) {
  if (O.All + !O.Groups.empty() + !O.Texts.empty() != 1)
    return wrongUsage("give patterns as status shows them, --group N, or "
                      "--all");
  if (Error E = O.At.prepareControlled())
    return E;
  std::vector<uint32_t> Groups = O.Groups;
  if (Groups.empty())
    Groups.push_back(0);
  for (auto &C : O.At.Connections) {
    uint32_t Sum = 0;
    for (uint32_t Group : Groups) {
      auto Ended = detachGroups(*C, Group, O.Texts);
      if (!Ended)
        return Ended.takeError();
      Sum += *Ended;
    }
    outs() << formatv("{0}: {1} off\n", C->name(),
                      countText(Sum, "group is", "groups are"));
    if (!Sum && !O.Texts.empty())
      note("no group of " + C->name() + " was attached with " +
           join(O.Texts, " ") + ": tpctl status shows the groups' patterns");
  }
  return Done;
}

void showText(const Connection &C, const tprt_control_figures_answer &F,
              ArrayRef<LiveGroup> Groups) {
  outs() << formatv("{0}: {1} in {2}, {3:n} on, {4} missed\n", C.name(),
                    countText(F.sites, "site"), countText(F.modules, "module"),
                    F.enabled, countText(F.missed, "hit"));
  if (F.recording)
    outs() << formatv("recording: {0} or more, {1:n} lost, {2:n} "
                      "bytes{3}\n",
                      countText(F.words, "event"), F.lost, F.bytes,
                      F.full ? ", full" : "");
  if (Groups.empty()) {
    outs() << "nothing is attached\n";
    return;
  }
  outs() << " group  action     sites          hits       age  of      "
            "patterns\n";
  for (const LiveGroup &G : Groups)
    outs() << formatv(
        "{0,6}  {1,-6} {2,9:n} {3,13:n} {4,9}  {5,-7} {6}\n", G.Numbers.group,
        actionOf(G.Numbers), G.Numbers.sites, G.Numbers.hits,
        timeText(static_cast<double>(G.Numbers.age)),
        G.Numbers.owner ? std::to_string(G.Numbers.owner) : "kept", G.Patterns);
}

void showJson(json::OStream &J, const Connection &C,
              const tprt_control_figures_answer &F,
              ArrayRef<LiveGroup> Groups) {
  J.object([&] {
    J.attribute("pid", C.pid());
    J.attribute("program", jsonText(C.name()));
    J.attribute("modules", F.modules);
    J.attribute("sites", F.sites);
    J.attribute("enabled", F.enabled);
    J.attribute("missed", F.missed);
    J.attribute("recording", F.recording != 0);
    J.attribute("recorded_words", F.words);
    J.attribute("recorded_lost", F.lost);
    J.attribute("recorded_bytes", F.bytes);
    J.attributeArray("groups", [&] {
      for (const LiveGroup &G : Groups)
        J.object([&] {
          J.attribute("group", G.Numbers.group);
          J.attribute("action", actionOf(G.Numbers));
          J.attribute("sites", G.Numbers.sites);
          J.attribute("hits", G.Numbers.hits);
          J.attribute("age_ns", G.Numbers.age);
          J.attribute("owner", G.Numbers.owner);
          J.attribute("patterns", jsonText(G.Patterns));
        });
    });
  });
}

Expected<ExitCode> status(Options &O) {
  if (Error E = O.At.prepareControlled())
    return E;
  json::OStream J(outs(), 1);
  if (O.Json)
    J.arrayBegin();
  for (auto &C : O.At.Connections) {
    auto Figures = readFigures(*C);
    if (!Figures)
      return Figures.takeError();
    auto Groups = listGroups(*C);
    if (!Groups)
      return Groups.takeError();
    O.Json ? showJson(J, *C, *Figures, *Groups)
           : showText(*C, *Figures, *Groups);
  }
  if (O.Json) {
    J.arrayEnd();
    outs() << '\n';
  }
  return Done;
}

} // namespace

void tpctl::addOn(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb = Line.addVerb(
      "on", "turn functions and points on until they are turned off");
  O->Chosen.addOptions(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addOptions(Verb);
  O->At.addSignals(Verb);
  O->Callees.addOptions(Verb);
  Option Print = Verb.addFlag("--print", O->Print,
                              "each hit prints a line to the program's stderr");
  Option Time =
      Verb.addFlag("--time", O->Time, "time calls; else hits are counted")
          .excludes(Print);
  Verb.addFlag("--skip", O->Skip,
               "skip their calls of profilers (mcount, __fentry__ ...)")
      .excludes(Print)
      .excludes(Time);
  O->Question.addCondition(Verb);
  Verb.setAction([O] { return turnOn(*O); });
}

void tpctl::addOff(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb = Line.addVerb("off", "turn off what tools have turned on");
  Verb.addArguments("PATTERN", O->Texts);
  O->At.addOptions(Verb);
  Verb.addOption("--group", O->Groups, "N", "a group of status; repeatable");
  Verb.addFlag("--all", O->All, "everything");
  Verb.setAction([O] { return turnOff(*O); });
}

void tpctl::addStatus(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb =
      Line.addVerb("status", "what is on in a process, and for whom");
  O->At.addOptions(Verb);
  Verb.addChoice("--format", O->Json, {{"text", false}, {"json", true}},
                 "FORMAT", "text or json");
  Verb.setAction([O] { return status(*O); });
}
