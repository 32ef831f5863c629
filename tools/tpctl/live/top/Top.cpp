// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl top: which functions are busy, live.

#include "Batch.h"
#include "Live.h"
#include "live/targets/Callees.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "shared/UsageError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace llvm;
using namespace tpctl;

namespace {

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  CalleesOf Callees;
  Selection Names;
  Ask Question;
  Budget Limits{"2%"};
  TopView View;
  TopFormat As = TopFormat::Text;
  bool Batch = false;
  std::string Path = "-", CommandOutput;
};

/// Prints a table at each interval, and one at the end if there is anything
/// new.
class BatchTop {
public:
  BatchTop(Options &O, TopSource &T)
      : O(O), T(T), W(O.As, O.Names.fullNames(), T.keys()),
        To(O.Path, /*Replaces=*/!O.View.LastInterval) {}
  Error run();

private:
  Error show(bool Last);
  Options &O;
  TopSource &T;
  BatchWriter W;
  TopTable Table;
  ResultTables To;
};

Error BatchTop::show(bool Last) {
  Table.take(T.rows(), T.Of.seconds());
  if (Last && To.any() && !Table.changed())
    return Error::success();
  return To.write([&](raw_ostream &OS, bool IsFirst) {
    W.write(OS, Table, O.View, IsFirst);
  });
}

Error BatchTop::run() {
  O.At.beginWindow();
  return T.Of.watch([this](bool Last) { return show(Last); });
}

Error runLive(Options &O, TopSource &T) {
  TopState State;
  State.View = O.View;
  TopLayout How;
  How.FullNames = O.Names.fullNames();
  How.Keys = T.keys();
  LiveTop Live(O.At, O.Chosen, T, State, How);
  if (Error E = Live.run())
    return E;
  // The screen is closed, and its messages are no longer visible.
  for (const std::string &Line : Live.said())
    note(Line);
  return Error::success();
}

/// Reads the expressions. `IsByKeys`: whether there are any.
Error prepareKeys(Options &O, bool &IsByKeys) {
  bool Plain = false;
  IsByKeys = O.Question.isOn<bool>({{"function", true}}, Plain);
  if (!IsByKeys)
    return O.Chosen.prepare(O.At.program());
  if (O.Limits.isGiven())
    return wrongUsage("--budget has no effect with expressions: leave it out");
  O.Question.wantSelf();
  if (Error E = O.Question.prepare("function", /*Histogram=*/true))
    return E;
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  for (const std::string &Pattern : O.Chosen.positives())
    if (Patterns::namesPoint(Pattern) || Patterns::namesInstruction(Pattern))
      return wrongUsage("'" + Pattern +
                        "' selects no calls, whose times top shows: select "
                        "functions, or use tpctl count --by");
  return O.Question.check(O.Chosen);
}

/// Shows the tables, from the attach to the end.
Expected<ExitCode> show(Options &O, bool Batch, TopSource &T) {
  if (Error E = T.Of.attach())
    return E;
  if (Error E = Batch ? BatchTop(O, T).run() : runLive(O, T))
    return E;
  T.explain();
  O.At.tellAbruptEnd(T.Of.age());
  return O.At.finish();
}

Expected<ExitCode> top(Options &O) {
  bool Batch = O.Batch || O.As != TopFormat::Text || O.Path != "-" ||
               !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
  bool IsByKeys = false;
  if (Error E = prepareKeys(O, IsByKeys))
    return E;
  O.At.useInterval(std::chrono::seconds(1));
  if (!Batch || !O.CommandOutput.empty())
    O.At.keepOffTerminal(O.CommandOutput);
  if (Error E = prepareToMeasure(O.At, O.Chosen, Timing::Functions, O.Callees,
                                 O.Limits, O.Path))
    return E;
  if (IsByKeys) {
    KeyedSource Rows(O.At, O.Chosen, O.Question);
    return show(O, Batch, Rows);
  }
  Timing T(O.At, O.Chosen, TimesBy::Function, O.Limits);
  T.readRowsForTables();
  TimedSource Rows(T);
  return show(O, Batch, Rows);
}

void addSort(VerbSyntax &Verb, Options &O) {
  std::vector<VerbSyntax::Choice<TopSort>> Sorts;
  for (int I = 0; I <= static_cast<int>(TopSort::Name); ++I)
    Sorts.emplace_back(nameOf(static_cast<TopSort>(I)),
                       static_cast<TopSort>(I));
  Verb.addChoice("--sort", O.View.Sort, Sorts, "BY [self]",
                 "rate, calls, total, self, p50, p99, max or name");
}

} // namespace

void tpctl::addTop(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  VerbSyntax &Verb =
      Line.addVerb("top", "which functions are busy, live; ? for keys");
  O->Chosen.addOptions(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addSignals(Verb);
  O->At.addInterval(Verb);
  O->At.addChildren(Verb, O->Callees.addOptions(Verb));
  O->Names.addNames(Verb);
  O->Question.addKeys(Verb, "function, thread, process or caller");
  addSort(Verb, *O);
  Verb.addFlag("--last", O->View.LastInterval,
               "numbers of the last interval, not since the start");
  Verb.addOption("-n", O->View.Limit, "N", "only the first N rows");
  O->Limits.addOption(Verb);
  Verb.addOption("--log", O->CommandOutput, "FILE",
                 "the command's output; live without it: none is seen");
  Verb.addFlag("--batch", O->Batch, "a table each interval, no screen");
  Verb.addChoice("--format", O->As,
                 {{"text", TopFormat::Text},
                  {"json", TopFormat::Json},
                  {"csv", TopFormat::Csv}},
                 "FORMAT", "text, json or csv; implies --batch");
  Verb.addOption("-o", O->Path, "FILE", "write to this file; implies --batch");
  Verb.setAction([O] { return top(*O); });
}
