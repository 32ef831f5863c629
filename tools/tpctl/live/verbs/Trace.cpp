// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl trace: one line per event, in time order, from a recording or from
// running processes.

#include "Follow.h"
#include "live/requests/Patterns.h"
#include "shared/Output.h"
#include "shared/TraceLines.h"
#include "shared/UsageError.h"
#include "shared/Verb.h"
#include <CLI/CLI.hpp>
#include <unistd.h>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options : FollowOptions {
  using FollowOptions::FollowOptions;
  Selection Picked;
  std::vector<std::string> What; ///< a recording, or patterns
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
  TraceLines L((*To)->stream(), O.Picked, O.Limit);
  L.read(**R);
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
          "--for, --args, --rate, --code, --traps, --signals and -f are for "
          "running processes: give -p PID or -- COMMAND...");
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
  O.Results = O.Arguments;
  O.Size = "16M";
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  return followProcesses(O, O.Picked);
}

} // namespace

void tpctl::addTrace(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  if (isatty(STDOUT_FILENO))
    O->Rate = 1000;
  CLI::App &Verb = *Top.add_subcommand(
      "trace", "what happened: a line for each event, in time order");
  Verb.add_option("FILE", O->What, "a recording; with -p or --: PATTERN...")
      ->type_name("");
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->Picked.addCuts(Verb);
  O->Picked.addLeastDuration(Verb);
  O->Picks.addOptions(Verb);
  Verb.add_option("--args", O->Arguments,
                  "show results, and the first N integer arguments")
      ->check(CLI::Range(0, 8))
      ->option_text("N");
  O->Chosen.addOthers(Verb);
  O->At.addSignals(Verb);
  Verb.add_option("--rate", O->Rate,
                  "at most N lines a second; on a terminal 1000; 0: all")
      ->option_text("N");
  O->Picked.addNames(Verb);
  O->Picked.Code.addLines(Verb);
  O->Picked.Code.addBinaries(Verb);
  Verb.add_option("-n", O->Limit, "only the first N lines")->option_text("N");
  Verb.add_option("-o", O->Output, "write to this file")->option_text("FILE");
  Verb.callback([O, &Chosen, &Verb, Command] {
    bool Live = Verb.count("-p") || !Command.empty();
    bool LiveOnly = Verb.count("--for") || Verb.count("--args") ||
                    Verb.count("--rate") || Verb.count("--code") ||
                    Verb.count("--traps") || Verb.count("-f") ||
                    Verb.count("--signals");
    Chosen = [=] { return trace(*O, Live, LiveOnly); };
  });
}
