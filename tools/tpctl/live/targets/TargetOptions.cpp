// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of Target.h.

#include "Target.h"

#include "shared/CommandLine.h"
#include "shared/FileLimit.h"
#include "shared/Selection.h"
#include "shared/Usage.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using std::chrono::milliseconds;

namespace tpctl {

/// A number without a unit means seconds, as in timeout(1).
static Expected<std::chrono::nanoseconds> durationOf(const std::string &Text) {
  bool IsNumber = !Text.empty() && StringRef(Text).find_first_not_of(
                                       "0123456789.") == StringRef::npos;
  auto Value = parseDuration(IsNumber ? Text + "s" : Text);
  if (!Value)
    return Value.takeError();
  return std::chrono::nanoseconds(static_cast<int64_t>(*Value));
}

void Target::addOptions(VerbSyntax &Verb) {
  this->Verb = &Verb;
  Verb.addOption("-p,--pid", Pids, "PID", "a running process; repeatable");
}

void Target::addFor(VerbSyntax &Verb) {
  Verb.addOption("--for", ForText, "TIME",
                 "for this long, as in 5s; else until Ctrl-C");
}

void Target::addInterval(VerbSyntax &Verb) {
  Verb.addOption("--interval", IntervalText, "TIME",
                 "print a table each time, as in 1s");
}

void Target::addTotal(VerbSyntax &Verb) {
  Verb.addFlag("--total", Total,
               "with --interval: all calls so far in each table");
}

void Target::addSignals(VerbSyntax &Verb) {
  Verb.addFlag("--signals", Signals,
               "show signal handlers the program's own addresses");
}

void Target::addChildren(VerbSyntax &Verb, Option CalleesOf) {
  Verb.addFlag("--children", WithChildren,
               "also the programs that the command starts")
      .excludes(CalleesOf);
}

Error Target::parse() {
  if (Pids.empty() && Command.empty())
    return wrongUsage((runsCommand(Verb->name())
                           ? "no process: give -p PID or -- "
                             "COMMAND..."
                           : "no process: give -p PID") +
                      guess());
  if (!Pids.empty() && !Command.empty())
    return wrongUsage("give -p PID or -- COMMAND..., not both");
  if (Error E = refuseNumbers())
    return E;
  if (WithChildren && Command.empty())
    return wrongUsage("--children needs a command: -- COMMAND...; give each "
                      "process that is already running by -p PID");
  llvm::sort(Pids);
  Pids.erase(llvm::unique(Pids), Pids.end()); // each process once
  if (OnlyOne && Pids.size() > 1)
    return wrongUsage(OnlyOne);
  if (!IntervalText.empty()) {
    auto Span = durationOf(IntervalText);
    if (!Span)
      return Span.takeError();
    if (*Span < milliseconds(10))
      return wrongUsage("--interval must be 10ms or more");
    Interval = *Span;
  }
  if (!ForText.empty()) {
    auto Span = durationOf(ForText);
    if (!Span)
      return Span.takeError();
    if (Span->count() == 0)
      return wrongUsage("--for takes a time above 0; without --for, "
                        "tpctl continues until Ctrl-C");
    For = *Span;
  }
  if (Error E = checkFileLimit(Pids.size()))
    return E;
  if (Command.empty()) // a command must not inherit the limit
    raiseFileLimit();
  catchSignals();
  return Error::success();
}

} // namespace tpctl
