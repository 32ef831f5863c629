// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pairs.h.

#include "Pairs.h"

#include "expressions/FunctionAndKey.h"
#include "shared/CommandLine.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

// --- options -----------------------------------------------------------------

void Pairs::addOptions(VerbSyntax &Verb) {
  Verb.addOption("--since", Since, "FUNCTION:EXPR",
                 "time from here to PATTERN:EXPR of equal value");
}

void Pairs::addOpen(VerbSyntax &Verb) {
  Verb.addOption("--since", Since, "FUNCTION:EXPR",
                 "pairs of this with PATTERN:EXPR; --open: not ended");
  Verb.addFlag("--open", Open, "with --since: those that have not ended")
      .unlisted();
}

Error Pairs::check(const Patterns &P, const Ask &Question,
                   bool Histogram) const {
  if (Since.empty())
    return wrongUsage("--open shows what has started and not ended: say by "
                      "--since what starts, as in --since 'malloc:result' "
                      "'free:arg0' --open");
  if (P.hasFiles())
    return wrongUsage("--since needs a key for each function: leave out -f, "
                      "and write 'FUNCTION:EXPR'");
  if (none_of(P.given(), [](StringRef Text) { return !Text.starts_with("!"); }))
    return wrongUsage("--since says what starts: give what ends, too, as in "
                      "--since 'enqueue:arg0' 'dequeue:arg0'");
  if (Question.Around.isInside() || Question.asksToStop() ||
      Question.isDryRun())
    return wrongUsage("--in, --stop-if, --hits and --dry-run are for the calls "
                      "of one function: leave them out, or leave out --since");
  if (Histogram && !Question.of().empty())
    return wrongUsage("--of: with --since, hist shows the time between both "
                      "calls: leave out --of");
  return Error::success();
}

Error Pairs::add(const Patterns &P, const Ask &Question, StringRef Text,
                 bool Starts, StringRef By, bool Histogram) {
  auto Of = expressions::FunctionAndKey::parse(Text);
  if (!Of)
    return Of.takeError();
  const std::string Option = Starts ? "--since" : "'" + Text.str() + "'";
  auto Keys = expressions::parseList(Option, Of->Key);
  if (!Keys)
    return Keys.takeError();
  if (Keys->size() != 1)
    return wrongUsage("'" + Text +
                      "': a pair has one key, a number or an "
                      "address");
  std::vector<std::string> Texts = {Of->Function};
  append_range(Texts, Excluded);
  Side &New = *Sides.emplace_back(std::make_unique<Side>());
  New.Text = Text.str();
  New.Key = Of->Key;
  New.Starts = Starts;
  New.Of = P.with(std::move(Texts));
  if (!Rows && Starts == Open)
    Rows = &New.Calls;
  if (Error E = New.Of.prepare())
    return E;
  if (Error E = New.Calls.preparePair(Question, {Keys->front(), Starts, Open},
                                      By, Histogram))
    return E;
  return New.Calls.Around.any()
             ? wrongUsage("depth is not known with --since: leave it out")
             : Error::success();
}

Error Pairs::prepare(Patterns &P, const Ask &Question, StringRef By,
                     bool Histogram) {
  if (Error E = check(P, Question, Histogram))
    return E;
  std::vector<std::string> Ends;
  for (const std::string &Text : P.given())
    (StringRef(Text).starts_with("!") ? Excluded : Ends).push_back(Text);
  for (const std::string &Text : Ends)
    if (Error E = add(P, Question, Text, /*Starts=*/false, By, Histogram))
      return E;
  for (const std::string &Text : Since)
    if (Error E = add(P, Question, Text, /*Starts=*/true, By, Histogram))
      return E;
  std::vector<std::string> Functions;
  for (const auto &Each : Sides)
    if (!is_contained(Functions, Each->Of.given().front()))
      Functions.push_back(Each->Of.given().front());
  append_range(Functions, Excluded);
  P = P.with(std::move(Functions));
  return Error::success();
}

// --- attaching ---------------------------------------------------------------

uint32_t Pairs::kinds() const {
  uint32_t All = 0;
  for (const auto &Each : Sides)
    All |= Each->Calls.kinds();
  return All;
}

/// Whether the side is the one for a function. The process runs only one
/// program at the end of a function's calls.
bool Pairs::take(const Side &By, pid_t Pid, const LiveSite &S) {
  auto [At, New] =
      Taken.try_emplace({Pid, S.Module, S.Function, S.Base, By.Starts}, &By);
  if (At->second != &By) {
    if (At->second->Key != By.Key)
      Fault = S.readable() + (By.Starts ? " starts" : " ends") +
              " pairs by two expressions: '" + At->second->Text + "' and '" +
              By.Text + "'";
    return false;
  }
  auto Other = Taken.find({Pid, S.Module, S.Function, S.Base, !By.Starts});
  if (New && Other != Taken.end() && By.Calls.isAtEnd() &&
      Other->second->Calls.isAtEnd())
    Fault = S.readable() + " starts and ends pairs, and both expressions need "
                           "the end of the call (result, duration or errno): "
                           "one of them has to do without";
  return true;
}

Following Pairs::follow(Connection &C, const Patterns &P) {
  std::optional<Following> First;
  for (const auto &Each : Sides) {
    Each->Of.takeCodeAs(P);
    Following Next(C, Each->Of, Each->Calls.kinds(),
                   [this, &C, Own = Each.get()](const LiveSite &S) {
                     if (!take(*Own, C.pid(), S))
                       return std::string();
                     Ask &Calls = Own->Calls;
                     return Calls.common().empty() ? Calls.programOf(C, S)
                                                   : Calls.common().str();
                   });
    if (First)
      First->then(std::move(Next));
    else
      First.emplace(std::move(Next));
  }
  return std::move(*First);
}

Error Pairs::tellLeftOut() {
  if (!Fault.empty())
    return wrongUsage(Fault);
  for (const auto &Each : Sides)
    if (Error E = Each->Calls.tellLeftOut())
      return E;
  return Error::success();
}

} // namespace tpctl
