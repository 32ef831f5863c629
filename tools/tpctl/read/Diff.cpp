// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl diff: how functions changed from one recording to another, and whether
// the change is larger than the noise of their times.

#include "Condition.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <deque>
#include <map>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

enum class Format { Text, Json, Csv };

/// With fewer calls, the times of a function are not reliable.
constexpr uint64_t LeastForChance = 10;

struct Options {
  Selection Chosen;
  std::vector<std::string> New; ///< empty: the second of the files
  bool ByHost = false;
  std::vector<std::string> FailIf;
  uint64_t LeastCalls = LeastForChance; ///< for --fail-if
  Format As = Format::Text;
  std::string Path = "-";
  size_t Limit = 0;
};

/// The functions of two tables, sorted by their change of self time, the
/// largest first. The pairs refer to the tables and to the sums.
std::vector<Pair> pairsOf(const Table &Old, const Table &New,
                          std::deque<Row> &Sums) {
  PairNames Names;
  for (const Row &R : Old.Rows)
    Names.add(PairNames::Old, R);
  for (const Row &R : New.Rows)
    Names.add(PairNames::New, R);
  std::map<PairName, Pair> All;
  auto add = [&](const Table &T, const Row *Pair::*Side) {
    std::map<PairName, Row *> Summed;
    for (const Row &R : T.Rows) {
      PairName Name = Names.nameOf(R);
      const Row *&To = All[Name].*Side;
      if (!To) {
        To = &R;
        continue;
      }
      Row *&Sum = Summed[Name];
      if (!Sum) {
        Sum = &Sums.emplace_back(*To);
        Sum->Name = Name.Name;
      }
      Sum->Stats.add(R.Stats);
      To = Sum;
    }
  };
  add(Old, &Pair::Old);
  add(New, &Pair::New);
  std::vector<Pair> Result;
  for (auto &[Name, P] : All) {
    static_cast<PairName &>(P) = Name;
    Result.push_back(P);
  }
  auto change = [](const Pair &P) {
    return std::fabs(valueOf(P.New, "self").value_or(0) -
                     valueOf(P.Old, "self").value_or(0));
  };
  stable_sort(Result, [&](const Pair &A, const Pair &B) {
    return change(A) > change(B);
  });
  return Result;
}

/// The probability that equal functions have averages at least this far apart
/// (Welch's test, with a normal distribution). Nothing if there are too few
/// calls.
std::optional<double> chance(const Pair &P) {
  if (!P.Old || !P.New || P.Old->Stats.Whole < LeastForChance ||
      P.New->Stats.Whole < LeastForChance)
    return std::nullopt;
  auto error = [](const Row &R) {
    auto N = static_cast<double>(R.Stats.Whole);
    double Variance = R.Stats.Squares / N - R.average() * R.average();
    return std::max(Variance, 0.0) / (N - 1);
  };
  double Apart = std::fabs(P.New->average() - P.Old->average());
  double Error = std::sqrt(error(*P.Old) + error(*P.New));
  if (Error == 0)
    return Apart == 0 ? 1 : 0;
  return std::erfc(Apart / Error / std::sqrt(2.0));
}

/// The share of each function in all self time, in percent. With --by-host, the
/// share in the self time of its host.
class Shares {
public:
  Shares(const Table &Old, const Table &New)
      : Old(selfTimes(Old)), New(selfTimes(New)) {}
  std::optional<double> old(const Pair &P) const { return share(P.Old, Old); }
  std::optional<double> now(const Pair &P) const { return share(P.New, New); }

private:
  using Sums = std::map<std::string, double>;
  static Sums selfTimes(const Table &T) {
    Sums Result;
    for (const Row &R : T.Rows)
      Result[R.Group] += valueOf(&R, "self").value_or(0);
    return Result;
  }
  static std::optional<double> share(const Row *R, const Sums &All) {
    std::optional<double> Self = valueOf(R, "self");
    double Whole = R ? All.find(R->Group)->second : 0;
    if (!Self)
      return std::nullopt;
    return Whole > 0 ? *Self / Whole * 100 : 0;
  }
  Sums Old, New;
};

std::string shareText(std::optional<double> Share) {
  if (!Share)
    return "-";
  std::string Text;
  raw_string_ostream(Text) << format("%.1f%%", *Share);
  return Text;
}

std::string changeText(std::optional<double> OldValue,
                       std::optional<double> NewValue) {
  if (!OldValue || !NewValue)
    return "-";
  double Old = *OldValue, New = *NewValue;
  if (Old == 0)
    return New == 0 ? "0%" : "new";
  if (New == 0)
    return "gone";
  std::string Text;
  // For factors of ten and more, the factor is shorter and easier to read.
  double Factor = New / Old;
  if (Factor < 10)
    raw_string_ostream(Text) << format("%+.1f%%", (Factor - 1) * 100);
  else if (Factor < 1e7)
    Text = formatv("x{0:n}", static_cast<uint64_t>(Factor));
  else
    raw_string_ostream(Text) << format("x%.1e", Factor);
  return Text;
}

std::string chanceText(const Pair &P) {
  std::optional<double> C = chance(P);
  if (!C)
    return "-";
  if (*C < 0.001)
    return "<0.001";
  std::string Text;
  raw_string_ostream(Text) << format("%.3f", *C);
  return Text;
}

void writeText(raw_ostream &OS, ArrayRef<Pair> Pairs, const Shares &Parts,
               const Selection &Chosen) {
  static constexpr StringLiteral Heads[] = {
      "self old",  "self new",  "change",  "share old", "share new",
      "calls old", "calls new", "avg old", "avg new",   "chance"};
  for (StringRef Head : Heads)
    OS << ' ' << right_justify(Head, 10);
  OS << "  function\n";
  for (const Pair &P : Pairs) {
    auto time = [](std::optional<double> Value) {
      return Value ? timeText(*Value) : "-";
    };
    auto Old = valueOf(P.Old, "self"), New = valueOf(P.New, "self");
    const std::string Cells[] = {time(Old),
                                 time(New),
                                 changeText(Old, New),
                                 shareText(Parts.old(P)),
                                 shareText(Parts.now(P)),
                                 plainNumber(*valueOf(P.Old, "calls")),
                                 plainNumber(*valueOf(P.New, "calls")),
                                 time(valueOf(P.Old, "avg")),
                                 time(valueOf(P.New, "avg")),
                                 chanceText(P)};
    for (const std::string &Cell : Cells)
      OS << ' ' << right_justify(Cell, 10); // cells never touch
    OS << "  " << Chosen.shown(P.Name) << whereText(P.Where)
       << (P.Group.empty() ? "" : " on ") << P.Group << '\n';
  }
  OS << "\nshare: of all self time; chance: that the averages differ as much "
        "by chance alone; - with "
        "fewer than 10 calls\n";
}

constexpr StringLiteral Shown[] = {"calls", "total", "self", "min",
                                   "avg",   "p50",   "p99",  "max"};

void writeCsv(raw_ostream &OS, ArrayRef<Pair> Pairs, const Shares &Parts) {
  OS << "group,module,function,chance";
  for (StringRef Column : Shown) {
    StringRef Unit = Column == "calls" ? "" : "_ns";
    OS << ',' << Column << Unit << "_old," << Column << Unit << "_new";
  }
  OS << ",share_percent_old,share_percent_new\n";
  auto field = [](std::optional<double> Value) {
    return Value ? plainNumber(*Value) : "";
  };
  for (const Pair &P : Pairs) {
    OS << csvField(P.Group) << ',' << csvField(P.Module) << ','
       << csvField(P.Name + whereText(P.Where)) << ',' << field(chance(P));
    for (StringRef Column : Shown)
      OS << ',' << field(valueOf(P.Old, Column)) << ','
         << field(valueOf(P.New, Column));
    OS << ',' << field(Parts.old(P)) << ',' << field(Parts.now(P)) << '\n';
  }
}

json::Value jsonNumber(std::optional<double> Value) {
  return Value ? json::Value(*Value) : nullptr;
}

void writeJson(raw_ostream &OS, ArrayRef<Pair> Pairs, const Shares &Parts) {
  json::OStream J(OS, 1);
  J.array([&] {
    for (const Pair &P : Pairs)
      J.object([&] {
        if (!P.Group.empty())
          J.attribute("group", jsonText(P.Group));
        J.attribute("module", jsonText(P.Module));
        J.attribute("function", jsonText(P.Name));
        if (!P.Where.empty())
          J.attribute("where", jsonText(P.Where));
        if (std::optional<double> C = chance(P))
          J.attribute("chance", *C);
        for (const auto &[Side, R, Share] :
             {std::tuple("old", P.Old, Parts.old(P)),
              std::tuple("new", P.New, Parts.now(P))})
          if (R)
            J.attributeObject(Side, [&, R = R, Share = Share] {
              J.attribute("share_percent", jsonNumber(Share));
              for (StringRef Column : Shown)
                J.attribute((Column + (Column == "calls" ? "" : "_ns")).str(),
                            jsonNumber(valueOf(R, Column)));
            });
      });
  });
  OS << '\n';
}

/// The value of a function is not known, in words.
std::string unknownText(const Condition &C, const Pair &P) {
  bool Of = valueOf(P.New, C.column()).has_value();
  return (C.column() + " of " + P.Name + " is not known, because the " +
          (Of ? "old" : "new") +
          " recording has no call of it with its entry and its exit")
      .str();
}

/// Reports which conditions hold. If a condition applies to no function, or to
/// none with known times and enough calls, that is an error. Otherwise, a
/// mistyped name would pass.
Expected<ExitCode> judge(MutableArrayRef<Condition> Conditions,
                         ArrayRef<Pair> Pairs, uint64_t LeastCalls) {
  ExitCode Code = Done;
  for (Condition &C : Conditions) {
    C.learnNames(Pairs);
    uint64_t Any = 0, Unknown = 0, TooFew = 0;
    std::string WhyUnknown, Rare; ///< of a function that is left out
    for (const Pair &P : Pairs) {
      if (!C.isAbout(P))
        continue;
      ++Any;
      if (!C.isKnown(P)) {
        ++Unknown;
        WhyUnknown = unknownText(C, P);
        continue;
      }
      if (!C.hasEnoughCalls(P, LeastCalls)) {
        ++TooFew;
        Rare = P.Name;
        continue;
      }
      if (!C.holds(P))
        continue;
      Code = ConditionHolds;
      // A result, and no error.
      errs() << "tpctl: --fail-if '" << C.text() << "' holds: " << P.Name
             << whereText(P.Where) << " has " << C.found(P) << '\n';
    }
    if (!Any)
      return createStringError("--fail-if '" + C.text() +
                               "': no function of either recording matches");
    if (Unknown == Any)
      return createStringError(
          "--fail-if '" + C.text() + "': " + WhyUnknown +
          "; record its exits (tpctl list shows why an exit is refused), or "
          "compare its calls");
    if (Unknown + TooFew == Any)
      return createStringError(
          "--fail-if '" + C.text() + "': " + Rare + " has fewer than " +
          countText(LeastCalls, "call") +
          ", which is too few to compare times: --min-calls 1 compares them");
    if (Unknown)
      note("--fail-if '" + C.text() +
           "': " + countText(Unknown, "function was", "functions were") +
           " left out: " + WhyUnknown);
    if (TooFew)
      note("--fail-if '" + C.text() +
           "': " + countText(TooFew, "function was", "functions were") +
           " left out with fewer than " + countText(LeastCalls, "call") +
           ": --min-calls sets how many are needed");
  }
  return Code;
}

Expected<Table> readSide(const Options &O,
                         const std::vector<std::string> &Files) {
  Selection Side = O.Chosen;
  Side.Files = Files;
  return readRows(Side, O.ByHost ? GroupBy::Host : GroupBy::Nothing,
                  /*Jobs=*/0, /*WithSource=*/false);
}

/// Without --new, the two files are an old and a new recording.
Error splitFiles(Options &O) {
  std::vector<std::string> &Files = O.Chosen.Files;
  if (!O.New.empty())
    return Error::success();
  if (Files.size() != 2)
    return wrongUsage("diff compares two recordings; several on a side "
                      "are OLD... --new NEW...");
  O.New.push_back(Files.back());
  Files.pop_back();
  return Error::success();
}

Expected<ExitCode> diff(Options &O) {
  if (Error E = O.Chosen.prepare())
    return E;
  std::vector<Condition> Conditions;
  for (const std::string &Text : O.FailIf) {
    auto C = Condition::parse(Text);
    if (!C)
      return C.takeError();
    Conditions.push_back(std::move(*C));
  }
  if (Error E = splitFiles(O))
    return E;
  std::vector<std::string> Files = O.Chosen.Files;
  append_range(Files, O.New);
  if (Error E = O.Chosen.learnNames(Files))
    return E;
  auto Old = readSide(O, O.Chosen.Files);
  if (!Old)
    return Old.takeError();
  auto New = readSide(O, O.New);
  if (!New)
    return New.takeError();
  std::deque<Row> Sums;
  std::vector<Pair> All = pairsOf(*Old, *New, Sums);
  ArrayRef<Pair> Pairs = All;
  if (O.Limit)
    Pairs = Pairs.take_front(O.Limit);
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  raw_ostream &OS = (*To)->stream();
  Shares Parts(*Old, *New);
  if (O.As == Format::Json)
    writeJson(OS, Pairs, Parts);
  else if (O.As == Format::Csv)
    writeCsv(OS, Pairs, Parts);
  else if (!All.empty())
    writeText(OS, Pairs, Parts, O.Chosen);
  for (const Table *T : {&*Old, &*New})
    if (T->Rows.empty())
      note(T->WhyEmpty);
  if (Error E = (*To)->close())
    return E;
  return judge(Conditions, All, O.LeastCalls);
}

} // namespace

void tpctl::addDiff(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb = Line.addVerb(
      "diff", "how functions changed from an old recording to a new one");
  Verb.addArguments("FILE", O->Chosen.Files).required();
  Verb.addOption("--new", O->New, "FILE ...",
                 "new recordings; all others are old ones then")
      .takesFollowing();
  Verb.addFlag("--by-host", O->ByHost, "compare each host with itself");
  O->Chosen.addCuts(Verb);
  O->Chosen.addDurations(Verb);
  O->Chosen.addNames(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.addOption("--fail-if", O->FailIf, "CONDITION",
                 "exit with 3 if it holds, as in 'parse_*.self > +5%'");
  Verb.addOption("--min-calls", O->LeastCalls, "N",
                 "with it: changes of times need so many calls; 10");
  Verb.addOption("-n", O->Limit, "N", "only the first N rows");
  Verb.addChoice(
      "--format", O->As,
      {{"text", Format::Text}, {"json", Format::Json}, {"csv", Format::Csv}},
      "FORMAT", "text, json or csv");
  Verb.addOption("-o", O->Path, "FILE", "write to this file");
  Verb.setAction([O] { return diff(*O); });
}
