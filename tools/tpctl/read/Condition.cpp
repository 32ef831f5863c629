// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Condition.h.

#include "Condition.h"

#include "shared/Output.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace tpctl {
namespace {

constexpr StringLiteral Columns[] = {"calls", "total", "self", "min",
                                     "avg",   "p50",   "p99",  "max"};

Error wrong(StringRef Text, const Twine &Why) {
  return wrongUsage("--fail-if '" + Text + "': " + Why +
                    "; write it as in 'parse_*.self > +5%' or "
                    "'main.max > 20ms'");
}

} // namespace

std::optional<double> valueOf(const Row *R, StringRef Column) {
  if (!R)
    return 0;
  const tp::trace::FunctionStats &S = R->Stats;
  if (Column == "calls")
    return static_cast<double>(S.Calls);
  if ((Column == "total" || Column == "self") && !S.hasTimes())
    return std::nullopt;
  if (Column == "total")
    return static_cast<double>(S.Total);
  if (Column == "self")
    return static_cast<double>(S.Self);
  if (!S.Whole)
    return std::nullopt;
  if (Column == "min")
    return static_cast<double>(S.Min);
  if (Column == "avg")
    return R->average();
  if (Column == "p50")
    return S.Times.quantile(0.5);
  if (Column == "p99")
    return S.Times.quantile(0.99);
  return static_cast<double>(S.Max);
}

Expected<Condition> Condition::parse(StringRef Text) {
  size_t At = Text.find_last_of("<>");
  if (At == StringRef::npos)
    return wrong(Text, "it has no > or <");
  StringRef Subject = Text.take_front(At).trim();
  StringRef Bound = Text.drop_front(At + 1).trim();
  auto [Glob, Column] = Subject.rsplit('.');
  if (!is_contained(Columns, Column))
    return wrong(Text, "'" + Column + "' is not a column (" +
                           join(ArrayRef<StringLiteral>(Columns), ", ") + ")");
  auto Names = tp::trace::NameGlob::create(Glob);
  if (!Names)
    return wrong(Text, toString(Names.takeError()));
  Condition C(std::move(*Names));
  C.Text = Text;
  C.Column = Column;
  C.Greater = Text[At] == '>';
  C.Relative = Bound.consume_back("%");
  if (!C.Relative && Column == "calls") {
    if (Bound.getAsDouble(C.Bound))
      return wrong(Text, "'" + Bound + "' is not a number of calls");
    return C;
  }
  if (!C.Relative) {
    auto Value = parseDuration(Bound);
    if (!Value)
      return wrong(Text, toString(Value.takeError()));
    C.Bound = *Value;
    return C;
  }
  bool Signed = Bound.starts_with("+") || Bound.starts_with("-");
  if (!Signed || Bound.drop_front().getAsDouble(C.Bound))
    return wrong(Text, "a change needs a sign and a number");
  if (Bound[0] == '-')
    C.Bound = -C.Bound;
  return C;
}

tp::trace::NameMatch Condition::match(const Pair &P) const {
  const Row *R = P.New ? P.New : P.Old;
  return std::max(
      matchOf(Names, R ? StringRef(R->Linked) : StringRef(), P.Name, P.Where),
      Names.match("", P.InSource));
}

void Condition::learnNames(ArrayRef<Pair> Pairs) {
  Whole = any_of(Pairs, [&](const Pair &P) {
    return match(P) == tp::trace::NameMatch::Whole;
  });
}

bool Condition::isAbout(const Pair &P) const {
  auto Match = match(P);
  return Match == tp::trace::NameMatch::Whole ||
         (Match != tp::trace::NameMatch::None && !Whole);
}

bool Condition::hasEnoughCalls(const Pair &P, uint64_t Least) const {
  if (!Relative || Column == "calls")
    return true;
  // The other columns measure calls with an entry and an exit.
  bool All = Column == "total" || Column == "self";
  auto enough = [&](const Row *R) {
    return !R ||
           (All ? R->Stats.Calls - R->Stats.Untimed : R->Stats.Whole) >= Least;
  };
  return enough(P.Old) && enough(P.New);
}

bool Condition::isKnown(const Pair &P) const {
  return valueOf(P.New, Column) && (!Relative || valueOf(P.Old, Column));
}

/// The change in percent, or the new value.
double Condition::compared(const Pair &P) const {
  double New = *valueOf(P.New, Column);
  if (!Relative)
    return New;
  double Old = *valueOf(P.Old, Column);
  if (Old == 0)
    return New == 0 ? 0 : std::numeric_limits<double>::infinity();
  return (New - Old) / Old * 100;
}

bool Condition::holds(const Pair &P) const {
  double Value = compared(P);
  return Greater ? Value > Bound : Value < Bound;
}

std::string Condition::found(const Pair &P) const {
  double Value = compared(P);
  std::string Result;
  raw_string_ostream OS(Result);
  if (Relative)
    OS << format("%+.1f%%", Value);
  else if (Column == "calls")
    OS << plainNumber(Value);
  else
    OS << timeText(Value);
  return Result;
}

} // namespace tpctl
