// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl hist: how long calls take, as a histogram.

#include "Bars.h"
#include "GroupResults.h"
#include "Heat.h"
#include "ValueHistogram.h"
#include "live/measure/PairAggregate.h"
#include "live/measure/Timing.h"
#include "live/targets/Callees.h"
#include "live/targets/DryRun.h"
#include "shared/CommandLine.h"
#include "shared/DistinctNames.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;
using namespace tpctl;

namespace {

enum class Format { Text, Json, Csv, OpenMetrics };

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  CalleesOf Callees;
  Selection Names;
  Format As = Format::Text;
  TimesBy By = TimesBy::Usual;
  bool HasBy = false; ///< --by was given
  Ask Question;
  Pairs Between;
  bool WithHeat = false;
  std::string Sort = "total";
  size_t Limit = 0;
  Budget Limits{"2%"};
  std::string Path;   ///< of -o
  uint32_t Group = 0; ///< a group whose times are shown
};

using Rows = std::vector<std::pair<std::string, CallTimes>>;

/// What --sort sorts by, the largest first; also by name.
constexpr std::pair<StringLiteral, double (*)(const CallTimes &)> Keys[] = {
    {"calls",
     [](const CallTimes &T) {
       return static_cast<double>(T.Calls + T.Counted);
     }},
    {"total", [](const CallTimes &T) { return T.Total; }},
    {"self", [](const CallTimes &T) { return T.Self; }},
    {"avg", [](const CallTimes &T) { return T.average(); }},
    {"p50", [](const CallTimes &T) { return T.quantile(0.5).value_or(0); }},
    {"p90", [](const CallTimes &T) { return T.quantile(0.9).value_or(0); }},
    {"p99", [](const CallTimes &T) { return T.quantile(0.99).value_or(0); }},
    {"max", [](const CallTimes &T) { return T.Longest; }},
};

/// The rows in the order of --sort, and only as many as -n allows. Equal rows
/// are sorted by name.
Rows sorted(std::map<std::string, CallTimes> Of, const Options &O) {
  Rows All(std::make_move_iterator(Of.begin()),
           std::make_move_iterator(Of.end()));
  if (const auto *Key =
          find_if(Keys, [&](auto &K) { return K.first == O.Sort; });
      Key != std::end(Keys))
    stable_sort(All, [&](const auto &A, const auto &B) {
      return Key->second(A.second) > Key->second(B.second);
    });
  if (O.Limit && All.size() > O.Limit)
    All.resize(O.Limit);
  return All;
}

/// Calls by the power of two of their nanoseconds.
std::map<int, uint64_t> octavesOf(const CallTimes &T) {
  std::map<int, uint64_t> Octaves;
  for (auto [Bucket, Count] : T.Buckets) {
    double Middle = (T.startOf(Bucket) + T.startOf(Bucket + 1)) / 2;
    Octaves[std::max(0, std::ilogb(std::max(Middle, 1.0)))] += Count;
  }
  return Octaves;
}

std::string quantileText(const CallTimes &T, double Share) {
  std::optional<double> Time = T.quantile(Share);
  return Time ? timeText(*Time) : "-";
}

/// `Name` is as shown.
void writeText(raw_ostream &OS, const std::string &Name, const CallTimes &T) {
  if (!Name.empty())
    OS << Name << '\n';
  OS << formatv("  {0}, total {1}, self {2}, avg {3}, p50 {4}, p99 {5}, "
                "max {6}\n",
                countText(T.Calls, "call"), timeText(T.Total), timeText(T.Self),
                T.timed() ? timeText(T.average()) : "-", quantileText(T, 0.5),
                quantileText(T, 0.99), T.timed() ? timeText(T.Longest) : "-");
  if (T.hasNested())
    OS << "  total leaves out calls inside other calls of the same function\n";
  std::vector<std::string> Odd;
  if (T.Cut)
    Odd.push_back(formatv("{0:n} of them without a known duration", T.Cut));
  if (T.Open)
    Odd.push_back(formatv("{0:n} under way besides", T.Open));
  if (T.Unplaced)
    Odd.push_back(formatv("{0:n} in no bar", T.Unplaced));
  if (!Odd.empty())
    OS << "  " << join(Odd, ", ") << '\n';
  if (T.Now != Level::Timed)
    OS << formatv("  {0} more, only counted for the budget{1}\n",
                  countText(T.Counted, "call"),
                  T.Now == Level::Off ? ", before it was turned off" : "");
  writeBars(OS, octavesOf(T), [](int Power) {
    return timeText(Power ? std::ldexp(1, Power) : 0);
  });
  OS << '\n';
}

void writeJson(raw_ostream &OS, const Rows &Of, const TableTime &At) {
  At.writeJson(OS, [&](json::OStream &J) {
    for (const auto &[Name, T] : Of)
      J.object([&] {
        J.attribute("name", jsonText(Name));
        J.attribute("calls", T.Calls);
        J.attribute("total_ns", T.Total);
        J.attribute("self_ns", T.Self);
        J.attribute("max_ns", T.Longest);
        for (auto [Label, Share] :
             {std::pair("p50_ns", 0.5), {"p90_ns", 0.9}, {"p99_ns", 0.99}})
          J.attribute(Label, jsonTime(T.quantile(Share)));
        J.attribute("cut", T.Cut);
        J.attribute("open", T.Open);
        J.attribute("unplaced", T.Unplaced);
        J.attribute("state", stateText(T.Now));
        J.attribute("counted", T.Counted);
        J.attributeArray("buckets", [&] {
          for (auto [Bucket, Count] : T.Buckets)
            J.object([&] {
              J.attribute("from_ns", T.startOf(Bucket));
              J.attribute("to_ns", T.startOf(Bucket + 1));
              J.attribute("calls", Count);
            });
        });
      });
  });
}

/// A line for each bucket that has calls.
void writeCsv(raw_ostream &OS, const Rows &Of, const TableTime &At) {
  At.writeCsv(OS, "name,from_ns,to_ns,calls");
  for (const auto &[Name, T] : Of)
    for (auto [Bucket, Count] : T.Buckets) {
      At.beginRow(OS);
      OS << csvField(Name) << ',' << plainNumber(T.startOf(Bucket)) << ','
         << plainNumber(T.startOf(Bucket + 1)) << ',' << Count << '\n';
    }
}

/// A label's value, with the escapes of the exposition format.
std::string labelText(StringRef Text) {
  std::string Escaped;
  for (char C : jsonText(Text))
    Escaped += C == '\n'               ? "\\n"
               : C == '"' || C == '\\' ? std::string("\\") + C
                                       : std::string(1, C);
  return Escaped;
}

std::string secondsText(double Nanoseconds) {
  std::string Text;
  raw_string_ostream(Text) << format("%.9g", Nanoseconds / 1e9);
  return Text;
}

/// OpenMetrics 1.0, section 5.5: cumulative buckets, the last one "+Inf".
void writeMetrics(raw_ostream &OS, const Rows &Of) {
  OS << "# TYPE tp_call_duration_seconds histogram\n"
        "# UNIT tp_call_duration_seconds seconds\n"
        "# HELP tp_call_duration_seconds How long calls took.\n";
  for (const auto &[Name, T] : Of) {
    std::string Label = "of=\"" + labelText(Name) + "\"";
    uint64_t Sum = 0;
    for (auto [Power, Count] : octavesOf(T)) {
      Sum += Count;
      OS << formatv("tp_call_duration_seconds_bucket{{{0},le=\"{1}\"} {2}\n",
                    Label, secondsText(std::ldexp(1, Power + 1)), Sum);
    }
    OS << formatv("tp_call_duration_seconds_bucket{{{0},le=\"+Inf\"} {1}\n",
                  Label, T.timed())
       << formatv("tp_call_duration_seconds_sum{{{0}} {1}\n", Label,
                  secondsText(T.Total))
       << formatv("tp_call_duration_seconds_count{{{0}} {1}\n", Label,
                  T.timed());
  }
  OS << "# EOF\n";
}

/// Whether a table has only the calls since the table before. The numbers of
/// OpenMetrics are those since the start (section 5.5).
bool showsParts(const Options &O) {
  return O.At.showsParts() && O.As != Format::OpenMetrics;
}

/// The tables: one at the end, or one after each interval.
class HistTables {
public:
  explicit HistTables(Options &O)
      : O(O), To(O.At.resultPath(O.Path), /*Replaces=*/!showsParts(O)) {}

  /// `All` has the calls since the start, which was `Seconds` ago, and `Fresh`
  /// those since the last table. `Write(OS, Rows, Time)` writes one of them.
  template <class AllRows, class WriteRows>
  Error write(const AllRows &All, const AllRows &Fresh, double Seconds,
              bool Last, WriteRows Write) {
    if (Last && To.any() && Fresh.empty())
      return Error::success();
    TableTime At;
    if (O.At.interval().count())
      At.Seconds = Seconds;
    At.IsPart = showsParts(O);
    return To.write([&](raw_ostream &OS, bool IsFirst) {
      At.IsFirst = IsFirst;
      Write(OS, At.IsPart ? Fresh : All, At);
    });
  }
  Error show(Timing &T, bool Last);

private:
  Options &O;
  ResultTables To;
  std::map<std::string, CallTimes> Before; ///< the rows of the last table
};

void writeTable(const Options &O, raw_ostream &OS,
                const std::map<std::string, CallTimes> &Of,
                const TableTime &At) {
  Rows All = sorted(Of, O);
  if (O.As == Format::Json)
    return writeJson(OS, All, At);
  if (O.As == Format::Csv)
    return writeCsv(OS, All, At);
  if (O.As == Format::OpenMetrics)
    return writeMetrics(OS, All);
  At.writeText(OS);
  for (const auto &[Name, Row] : zip_equal(
           namesOfRows(
               All, [](auto &Row) { return Row.first; }, O.Names.fullNames()),
           All))
    writeText(OS, Name, Row.second);
}

/// Writes the only table.
Expected<ExitCode> writeOnce(Options &O,
                             const std::map<std::string, CallTimes> &All,
                             double Seconds) {
  HistTables To(O);
  Error E = To.write(All, All, Seconds, /*Last=*/true,
                     [&](raw_ostream &OS, auto &Of, const TableTime &At) {
                       writeTable(O, OS, Of, At);
                     });
  if (E)
    return E;
  return Done;
}

Error HistTables::show(Timing &T, bool Last) {
  std::map<std::string, CallTimes> Now = T.rows(), Fresh;
  for (const auto &[Name, Of] : Now)
    if (CallTimes More = Of.since(Before[Name]); More.Calls || More.Counted)
      Fresh[Name] = std::move(More);
  Error E = write(Now, Fresh, T.seconds(), Last,
                  [&](raw_ostream &OS, auto &Of, const TableTime &At) {
                    writeTable(O, OS, Of, At);
                  });
  Before = std::move(Now);
  return E;
}

Error attach(Options &O, Timing &T) {
  if (O.WithHeat)
    O.At.useInterval(std::chrono::seconds(1));
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  if (O.WithHeat && O.At.wantsTotal())
    return wrongUsage("--heat has a line for the calls of each interval: leave "
                      "out --total");
  if (O.WithHeat && O.As != Format::Text && O.As != Format::Json)
    return wrongUsage(Twine("--heat has no ") +
                      (O.As == Format::Csv ? "CSV" : "OpenMetrics") +
                      " format: use --format=json, or leave out --heat");
  if (Error E = prepareToMeasure(O.At, O.Chosen, Timing::Functions, O.Callees,
                                 O.Limits, O.At.resultPath(O.Path)))
    return E;
  return T.attach();
}

/// Options that need the durations of all calls of a function.
Error checkForValues(const Options &O) {
  if (O.WithHeat)
    return wrongUsage("--heat shows the durations of all calls: leave it out, "
                      "or leave out --since, --if, --of and expressions of "
                      "--by");
  if (O.Limits.isGiven())
    return wrongUsage("--budget has no effect with expressions: leave it out");
  if (O.As == Format::OpenMetrics)
    return wrongUsage("--format=openmetrics is for durations of all calls: use "
                      "--format=json with expressions");
  if (!ValueHistogram::canSortBy(O.Sort))
    return wrongUsage("--sort=" + O.Sort +
                      " is for durations of all calls: use --sort=total with "
                      "expressions");
  return Error::success();
}

/// Histograms by keys until the verb ends. `Asked` has the rows.
Expected<ExitCode> histOfRows(Options &O, Aggregate &Of, const Ask &Asked,
                              uint32_t Kinds) {
  if (Error E = prepareToMeasure(O.At, O.Chosen, Kinds, O.Callees, O.Limits,
                                 O.At.resultPath(O.Path)))
    return E;
  if (!O.HasBy && !O.Between.isOn())
    Of.askForSeveral();
  if (Error E = Of.attach())
    return E;
  O.At.beginWindow();
  ValueHistogram Shape(Asked, O.Names.fullNames());
  HistTables To(O);
  AggregateRows Shown;
  auto Write = [&](raw_ostream &OS, auto &Rows, const TableTime &At) {
    const ValueHistogram::Rows All =
        ValueHistogram::sorted(Rows, O.Sort, O.Limit);
    if (O.As == Format::Json)
      Shape.writeJson(OS, All, At);
    else if (O.As == Format::Csv)
      Shape.writeCsv(OS, All, At);
    else
      Shape.writeText(OS, All, At);
  };
  auto Show = [&](bool Last) -> Error {
    AggregateRows Now = Of.rows(), Fresh = freshRows(Now, Shown);
    Shape.showKeys(O.HasBy || Of.selectsSeveral() || Now.size() > 1);
    Error E =
        To.write(Now, Fresh, (Of.latest() - Of.begun()) / 1e9, Last, Write);
    Shown = std::move(Now);
    return E;
  };
  if (Error E = Of.watch(Show))
    return E;
  Of.explain(/*Seen=*/!Shown.empty());
  O.At.tellAbruptEnd(Of.age());
  return O.At.finish();
}

/// Histograms with --if, --of, or expressions of --by.
Expected<ExitCode> histOfValues(Options &O) {
  if (Error E = checkForValues(O))
    return E;
  if (Error E = O.Question.prepareWith(O.Chosen, O.At.program(), "function",
                                       /*Histogram=*/true))
    return E;
  if (O.Question.isDryRun())
    return dryRun(O.At, O.Chosen, O.Question);
  Aggregate Of(O.At, O.Chosen, O.Question);
  return histOfRows(O, Of, O.Question, O.Question.kinds());
}

/// Histograms with --since.
Expected<ExitCode> histOfPairs(Options &O) {
  if (Error E = checkForValues(O))
    return E;
  if (O.Callees.isOn())
    return wrongUsage("--callees-of has no keys of pairs: leave it out, or "
                      "leave out --since");
  if (Error E = O.Between.prepare(O.Chosen, O.Question, "all",
                                  /*Histogram=*/true))
    return E;
  if (Error E = O.Chosen.prepare(O.At.program()))
    return E;
  PairAggregate Of(O.At, O.Chosen, O.Between);
  return histOfRows(O, Of, O.Between.rows(), O.Between.kinds());
}

/// What a group that `tpctl on --time` left has timed.
Expected<ExitCode> histOfGroup(Options &O) {
  if (Error E = checkForGroup(O.Chosen, O.Question))
    return E;
  if (O.WithHeat || O.At.interval().count())
    return wrongUsage("--group shows all calls since tpctl on: leave out "
                      "--heat and --interval");
  auto Now = timesOfGroup(O.At, O.Group);
  if (!Now)
    return Now.takeError();
  if (Now->Of.empty())
    note("group " + Twine(O.Group) + " has timed no call so far");
  return writeOnce(O, Now->Of, Now->Seconds);
}

Expected<ExitCode> hist(Options &O) {
  if (O.Group)
    return histOfGroup(O);
  if (O.Between.isOn())
    return histOfPairs(O);
  if (O.Question.isOn<TimesBy>({{"all", TimesBy::Nothing},
                                {"function", TimesBy::Function},
                                {"caller", TimesBy::Caller},
                                {"thread", TimesBy::Thread},
                                {"process", TimesBy::Process}},
                               O.By))
    return histOfValues(O);
  if (Error E = O.Question.checkPlain())
    return E;
  Timing T(O.At, O.Chosen, O.By, O.Limits);
  if (Error E = attach(O, T))
    return E;
  HistTables To(O);
  HeatLines Lines(O.Names, O.As == Format::Json ? HeatLines::Format::Json
                                                : HeatLines::Format::Text);
  if (O.WithHeat)
    if (Error E = Lines.open(O.At.resultPath(O.Path)))
      return E;
  O.At.beginWindow();
  auto Show = [&](bool Last) {
    return Lines.areOn() ? Lines.add(T.rows()) : To.show(T, Last);
  };
  if (Error E = T.watch(Show))
    return E;
  if (Error E = Lines.close())
    return E;
  T.explain();
  O.At.tellAbruptEnd(T.age());
  return O.At.finish();
}

} // namespace

void tpctl::addHist(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  VerbSyntax &Verb =
      Line.addVerb("hist", "how long calls take, as a histogram");
  O->Chosen.addOptions(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addSignals(Verb);
  O->At.addInterval(Verb);
  O->At.addTotal(Verb);
  O->At.addChildren(Verb, O->Callees.addOptions(Verb));
  O->Names.addNames(Verb);
  O->Question.addOptions(
      Verb, "function, caller, thread, process or all",
      "of this value in place of the duration, such as result");
  std::vector<std::string> Sorts = {"name"};
  for (const auto &Key : Keys)
    Sorts.push_back(Key.first.str());
  Verb.addOption("--sort", O->Sort, "BY [total]",
                 "calls, total, self, avg, p50, p90, p99, max or name")
      .oneOf(Sorts);
  Verb.addOption("-n", O->Limit, "N", "only the first N histograms");
  Verb.addFlag("--heat", O->WithHeat,
               "over time: a line for each interval, shades for calls");
  Verb.addChoice("--format", O->As,
                 {{"text", Format::Text},
                  {"json", Format::Json},
                  {"csv", Format::Csv},
                  {"openmetrics", Format::OpenMetrics}},
                 "FORMAT", "text, json, csv or openmetrics");
  O->Between.addOptions(Verb);
  O->Limits.addOption(Verb);
  Verb.addOption("-o", O->Path, "FILE",
                 "write to this file; - is standard output");
  addGroup(Verb, O->Group);
  Verb.setAction([O, &Verb] {
    O->HasBy = Verb.isGiven("--by");
    return hist(*O);
  });
}
