// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Pairs.h.

#include "Pairs.h"

#include "shared/CommandLine.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

// --- FUNCTION:EXPR -----------------------------------------------------------

static bool isRegex(StringRef Text) {
  return Text.starts_with("/") || Text.contains("!/");
}

/// The places of the colons that are neither part of a `::` nor in brackets or
/// quotes. Of `:::` the first one counts: the name of a scope does not end with
/// `::`.
static std::vector<size_t> colonsOf(StringRef Text) {
  std::vector<size_t> Places;
  int Depth = 0;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (Quote) {
      I += C == '\\';
      Quote = C == Quote ? '\0' : Quote;
      continue;
    }
    // A pattern has no quotes.
    if (!Places.empty() && (C == '"' || C == '\''))
      Quote = C;
    Depth += StringRef("([{").contains(C);
    Depth -= StringRef(")]}").contains(C) && Depth;
    if (C != ':')
      continue;
    const size_t Run = Text.find_first_not_of(':', I);
    const size_t Length = (Run == StringRef::npos ? Text.size() : Run) - I;
    if (!Depth && Length != 2)
      Places.push_back(I);
    I += Length - 1;
  }
  return Places;
}

Expected<FunctionAndKey> FunctionAndKey::parse(StringRef Text) {
  auto wrong = [&](const Twine &Why) {
    return wrongUsage("'" + Text + "' " + Why);
  };
  constexpr StringRef Form = "FUNCTION:EXPR, as in 'enqueue:arg0'";
  if (Text.starts_with("point:"))
    return wrong("is a point, and pairs are of calls of functions");
  std::vector<size_t> Places = colonsOf(Text);
  // A regular expression may have any character.
  if (const size_t End = Text.rfind("/:");
      isRegex(Text) && End != StringRef::npos)
    Places = {End + 1};
  if (Places.empty())
    return wrong("lacks the key of the pair: write " + Form);
  if (Places.size() > 1)
    return wrong("can be read in several ways: put the ? : of its expression "
                 "in parentheses, as in 'f:(a ? b : c)'");
  FunctionAndKey Of{Text.take_front(Places[0]).trim().str(),
                    Text.drop_front(Places[0] + 1).trim().str()};
  if (Of.Function.empty() || Of.Key.empty())
    return wrong(Twine("lacks ") +
                 (Of.Key.empty() ? "the key of the pair" : "the function") +
                 ": write " + Form);
  if (Of.Function[0] == '@' &&
      Of.Key.find_first_not_of("0123456789") == std::string::npos)
    return wrong("is a line, and pairs are of calls of functions");
  return Of;
}

// --- options -----------------------------------------------------------------

void Pairs::addOptions(VerbSyntax &Verb) {
  Verb.addOption("--since", Since, "FUNCTION:EXPR",
                 "time from here to PATTERN:EXPR of equal value");
}

void Pairs::addOpen(VerbSyntax &Verb) {
  Verb.addOption("--since", Since, "FUNCTION:EXPR",
                 "pairs from here to PATTERN:EXPR of equal value");
  Verb.addFlag("--open", Open, "with --since: those that have not ended");
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
  auto Of = FunctionAndKey::parse(Text);
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
  New.Of = P.with(std::move(Texts));
  if (!Rows && Starts == Open)
    Rows = &New.Calls;
  if (Error E = New.Of.prepare())
    return E;
  return New.Calls.preparePair(Question, {Keys->front(), Starts, Open}, By,
                               Histogram);
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

Following Pairs::follow(Connection &C, const Patterns &P) {
  std::optional<Following> First;
  for (const auto &Each : Sides) {
    Each->Of.takeCodeAs(P);
    Following Next = Each->Calls.follow(C, Each->Of);
    if (First)
      First->then(std::move(Next));
    else
      First.emplace(std::move(Next));
  }
  return std::move(*First);
}

Error Pairs::tellLeftOut() {
  for (const auto &Each : Sides)
    if (Error E = Each->Calls.tellLeftOut())
      return E;
  return Error::success();
}

} // namespace tpctl
