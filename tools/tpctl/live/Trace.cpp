// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl trace: what happened, a line for each, in the order of time; of a
// recording, or of processes that run.

#include "Follow.h"
#include "Patterns.h"
#include "shared/Output.h"
#include "shared/TraceLines.h"
#include "shared/Verb.h"
#include <CLI/CLI.hpp>
#include <unistd.h>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options : FollowOptions {
  using FollowOptions::FollowOptions;
  Selection Chosen;
  std::vector<std::string> What; ///< a recording, or patterns
};

Expected<ExitCode> traceFile(Options &O) {
  auto R = O.Chosen.Code.open(O.What.front());
  if (!R)
    return R.takeError();
  auto Filter = O.Chosen.filterFor(**R);
  if (!Filter)
    return Filter.takeError();
  auto To = Output::open(O.Output);
  if (!To)
    return To.takeError();
  TraceLines L((*To)->stream(), O.Chosen, O.Limit);
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
    note("these are the first " + Twine(O.Limit) + " lines: -n shows more");
  else
    tellFindings(**R);
  if (!L.count())
    note(O.Chosen.explainNothing(**R, Sum->Events, Sum->Lost));
  return Done;
}

Expected<ExitCode> trace(Options &O, bool Live, bool LiveOnly) {
  if (Error E = O.Chosen.prepare())
    return E;
  if (!Live) {
    if (LiveOnly)
      return createStringError(
          "--for, --args, --rate, --code and --signals are for processes "
          "that run: give -p PID or -- COMMAND...");
    if (O.What.size() != 1)
      return createStringError(
          "give one recording; or patterns, with -p PID or -- COMMAND...");
    return traceFile(O);
  }
  if (O.Chosen.cutsTime())
    return createStringError("--from, --to, --last and --around are for "
                             "recordings");
  if (Error E = refuseRegexes(O.What))
    return E;
  if (O.Code)
    if (Error E = checkCodePatterns(O.What))
      return E;
  O.Patterns = O.What;
  O.Results = O.Arguments;
  O.Size = "16M";
  return followProcesses(O, O.Chosen);
}

} // namespace

void tpctl::addTrace(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  if (isatty(STDOUT_FILENO))
    O->Rate = 1000;
  CLI::App &Verb = *Top.add_subcommand(
      "trace", "what happened, a line for each, in the order of time");
  Verb.add_option("FILE", O->What, "a recording; with -p or --: PATTERN...")
      ->type_name("");
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->Chosen.addCuts(Verb);
  O->Chosen.addLeastDuration(Verb);
  O->Picks.addOptions(Verb);
  Verb.add_option("--args", O->Arguments,
                  "show results, and the first N integer arguments")
      ->check(CLI::Range(0, 8))
      ->option_text("N");
  Verb.add_flag("--code", O->Code, "also functions without sleds");
  O->At.addSignals(Verb);
  Verb.add_option("--rate", O->Rate,
                  "at most N lines a second; on a terminal 1000; 0: all")
      ->option_text("N");
  O->Chosen.addNames(Verb);
  O->Chosen.Code.addLines(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.add_option("-n", O->Limit, "only the first N lines")->option_text("N");
  Verb.add_option("-o", O->Output, "write to this file")->option_text("FILE");
  Verb.callback([O, &Chosen, &Verb, Command] {
    bool Live = Verb.count("-p") || !Command.empty();
    bool LiveOnly = Verb.count("--for") || Verb.count("--args") ||
                    Verb.count("--rate") || Verb.count("--code") ||
                    Verb.count("--signals");
    Chosen = [=] { return trace(*O, Live, LiveOnly); };
  });
}
