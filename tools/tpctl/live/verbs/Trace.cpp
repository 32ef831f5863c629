// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl trace: one line per event, in time order, from a recording or from
// running processes.

#include "Follow.h"
#include "TypedValues.h"
#include "live/requests/Patterns.h"
#include "live/targets/DryRun.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/TraceLines.h"
#include "shared/UsageError.h"
#include <unistd.h>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options : FollowOptions {
  using FollowOptions::FollowOptions;
  Selection Picked;
  std::vector<std::string> What; ///< a recording, or patterns
  Ask Asked;
};

Expected<ExitCode> traceFile(Options &O) {
  auto R = O.Picked.Code.open(O.What.front());
  if (!R)
    return R.takeError();
  auto Filter = O.Picked.filterFor(**R);
  if (!Filter)
    return Filter.takeError();
  auto To = Output::open(O.Output);
  if (!To)
    return To.takeError();
  const TypedValues Texts;
  TraceLines L((*To)->stream(), O.Picked, Texts, O.Limit);
  L.read(**R);
  L.nameValues([&](const ThreadInfo &T, FunctionId F, uint32_t Kind,
                   uint64_t Word) {
    return O.Picked.shown(O.Picked.Code.namerOf(**R, T.Process, F)(Kind, Word));
  });
  auto Sum =
      readTimeline(**R, *Filter, [&](const ThreadInfo &T, const Moment &M) {
        StringRef Name = M.Function == NoFunction
                             ? StringRef()
                             : (*R)->tables().function(M.Function).Name;
        return !O.Picks.takes(T, M, Name) || L.moment(T, M);
      });
  if (!Sum)
    return Sum.takeError();
  if (L.more())
    L.flush();
  if (Error E = (*To)->close())
    return E;
  if (!L.more())
    note((O.Limit == 1 ? Twine("this is the first line")
                       : "these are the first " + Twine(O.Limit) + " lines") +
         ": -n shows more");
  else
    tellFindings(**R);
  if (!L.count())
    note(O.Picked.explainNothing(**R, Sum->Events, Sum->Lost));
  return Done;
}

Expected<ExitCode> trace(Options &O, bool Live, bool LiveOnly) {
  if (Error E = O.Picked.prepare())
    return E;
  if (!Live) {
    if (LiveOnly)
      return wrongUsage(
          "--for, --if, --print, --in, --stop-if, --hits, --dry-run, --args, "
          "--rate, --code, --traps, --signals and -f are for running "
          "processes: give -p PID or -- COMMAND...");
    if (O.What.empty()) {
      auto Newest = newestRecording();
      if (!Newest)
        return wrongUsage(toString(Newest.takeError()) +
                          "; or give patterns, with -p PID or -- COMMAND...");
      O.What.push_back(std::move(*Newest));
    }
    if (O.What.size() != 1)
      return wrongUsage(
          "give one recording; or patterns, with -p PID or -- COMMAND..." +
          O.At.guess());
    return traceFile(O);
  }
  if (O.Picked.cutsTime())
    return wrongUsage("--from, --to, --last and --around are for "
                      "recordings");
  for (const std::string &Pattern : O.What)
    O.Chosen.give(Pattern);
  if (O.Asked.isPrinting()) {
    if (O.Arguments)
      return wrongUsage("--args shows all calls' arguments: name those that "
                        "you want by --print, as in --print arg0,result");
    if (Error E = O.Asked.preparePrinting())
      return E;
    O.Expressions = &O.Asked;
  }
  O.Results = O.Arguments;
  O.Size = "16M";
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (O.Asked.isPrinting())
    if (Error E = O.Asked.check(O.Chosen))
      return E;
  if (Error E = O.Asked.isPrinting() ? Error::success() : O.Asked.checkPlain())
    return E;
  if (O.Asked.isDryRun())
    return dryRun(O.At, O.Chosen, O.Asked);
  return followProcesses(O, O.Picked);
}

} // namespace

void tpctl::addTrace(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  if (isatty(STDOUT_FILENO))
    O->Rate = 1000;
  VerbSyntax &Verb = Line.addVerb(
      "trace", "what happened: a line for each event, in time order");
  Verb.addArguments("FILE", O->What);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->Picked.addCuts(Verb);
  O->Picked.addLeastDuration(Verb);
  O->Picks.addOptions(Verb);
  O->Asked.addPrinting(Verb, "--print",
                       "show these with each call, as in str(arg0),result");
  Verb.addOption("--args", O->Arguments, "N",
                 "show results, and the first N integer arguments")
      .within(0, 8);
  O->Chosen.addOthers(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addSignals(Verb);
  Verb.addOption("--rate", O->Rate, "N",
                 "at most N lines a second; on a terminal 1000; 0: all");
  O->Picked.addNames(Verb);
  O->Picked.Code.addLines(Verb);
  O->Picked.Code.addBinaries(Verb);
  Verb.addOption("-n", O->Limit, "N", "only the first N lines");
  Verb.addOption("-o", O->Output, "FILE", "write to this file");
  Verb.setAction([O, &Verb, Command] {
    bool Live = Verb.isGiven("-p") || !Command.empty();
    bool LiveOnly = Verb.isGiven("--for") || Verb.isGiven("--args") ||
                    Verb.isGiven("--if") || Verb.isGiven("--print") ||
                    Verb.isGiven("--in") || Verb.isGiven("--stop-if") ||
                    Verb.isGiven("--hits") || Verb.isGiven("--dry-run") ||
                    Verb.isGiven("--rate") || Verb.isGiven("--code") ||
                    Verb.isGiven("--traps") || Verb.isGiven("-f") ||
                    Verb.isGiven("--signals");
    return trace(*O, Live, LiveOnly);
  });
}
