// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl count: how often functions and points are hit, exactly.

#include "Limiter.h"
#include "Names.h"
#include "Output.h"
#include "Selection.h"
#include "Target.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace tpctl;
using Clock = Target::Clock;

namespace {

enum class Format { Text, Json, Csv };

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  Selection Names;
  Format As = Format::Text;
  bool ByProcess = false;
  size_t Limit = 0;
  Budget Limits{"none"};
  std::string Path = "-";
};

/// What is counted of one process.
struct Counted {
  explicit Counted(const Patterns &P)
      : Names(P, TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT) {}
  Connection *C = nullptr;
  pid_t Pid = 0;
  uint32_t Group = 0, Sites = 0;
  uint64_t Missed = 0;
  SiteNames Names;
  std::optional<Limiter> Limit;
};

/// Hits by process (0 without --by process) and function.
using Key = std::tuple<pid_t, std::string, std::string>; // name, module
using Sums = std::map<Key, uint64_t>;

class Counter {
public:
  explicit Counter(Options &O) : O(O) {}
  Expected<ExitCode> run();

private:
  Error attach();
  Error read(Clock::time_point &Taken);
  Error readOne(size_t I);
  Error limit(Counted &Of, std::map<uint32_t, uint64_t> &Hits);
  Error show(bool Last);
  void explain() const;
  void write(raw_ostream &OS, const Sums &Of, double Seconds);

  Options &O;
  std::vector<std::unique_ptr<Counted>> All;
  std::vector<Sums> PerProcess; ///< the latest reading of each
  Sums Shown;                   ///< what the tables so far have shown
  Clock::time_point Begin, Before;
  bool Ending = false, Header = false;
};

Error Counter::attach() {
  for (auto &C : O.At.Connections) {
    auto Of = std::make_unique<Counted>(O.Chosen);
    Of->C = C.get();
    Of->Pid = C->pid();
    auto Done =
        attachSites(*C, O.Chosen, TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT,
                    TPRT_CONTROL_ACTION_COUNT, /*Keep=*/false);
    if (!Done)
      return Done.takeError();
    if (!Done->Why.empty() && Done->Matched)
      note(Done->Why);
    Of->Group = Done->Group;
    Of->Sites = Done->Enabled;
    if (O.Limits.isOn())
      Of->Limit.emplace(*C, O.Limits, Done->Group, Level::Counted);
    All.push_back(std::move(Of));
    PerProcess.emplace_back();
  }
  return Error::success();
}

/// Functions that are off for the budget keep the hits that were seen.
Error Counter::limit(Counted &Of, std::map<uint32_t, uint64_t> &Hits) {
  if (!Of.Limit)
    return Error::success();
  if (Error E = Of.Limit->look(Hits))
    return E;
  for (auto [Number, Less] : Of.Limit->reduced())
    Hits[Number] = Less.Counted;
  auto NameOf = [&](uint32_t Number) {
    auto Site = Of.Names.find(*Of.C, Number);
    if (Site)
      return (*Site)->readable();
    consumeError(Site.takeError());
    return "site " + std::to_string(Number);
  };
  for (const std::string &Line :
       describeSteps(Of.Limit->takeSteps(), O.Limits, NameOf))
    note(Line);
  return Error::success();
}

Error Counter::readOne(size_t I) {
  Counted &Of = *All[I];
  auto Now = readCounts(*Of.C, Of.Group);
  if (!Now)
    return Now.takeError();
  std::map<uint32_t, uint64_t> Hits;
  for (const tprt_control_count &Row : Now->Rows)
    Hits[Row.site] = Row.count;
  if (Error E = limit(Of, Hits))
    return E;
  Sums Fresh;
  for (auto [Number, Count] : Hits) {
    auto Site = Of.Names.find(*Of.C, Number);
    if (!Site)
      return Site.takeError();
    Fresh[{O.ByProcess ? Of.Pid : 0, (*Site)->readable(), (*Site)->Module}] +=
        Count;
  }
  PerProcess[I] = std::move(Fresh);
  Of.Missed = Now->Missed;
  if (Now->Ending) {
    Of.C->goOn();
    Ending = true;
  }
  return Error::success();
}

/// Reads all processes. One that has ended keeps its last counts.
Error Counter::read(Clock::time_point &Taken) {
  for (size_t I = 0; I != All.size(); ++I) {
    Counted &Of = *All[I];
    if (!Of.C)
      continue;
    Error E = readOne(I);
    if (!E)
      continue;
    auto At =
        find_if(O.At.Connections, [&](auto &C) { return C.get() == Of.C; });
    Of.C = nullptr;
    Of.Limit.reset();
    if (Error Other = O.At.drop(
            static_cast<size_t>(At - O.At.Connections.begin()), std::move(E)))
      return Other;
  }
  Taken = Clock::now();
  return Error::success();
}

std::vector<std::pair<Key, uint64_t>> sorted(const Sums &Of, size_t Limit) {
  std::vector<std::pair<Key, uint64_t>> Rows(Of.begin(), Of.end());
  stable_sort(Rows, [](const auto &A, const auto &B) {
    return std::pair(std::get<0>(A.first), B.second) <
           std::pair(std::get<0>(B.first), A.second);
  });
  if (Limit && Rows.size() > Limit)
    Rows.resize(Limit);
  return Rows;
}

void Counter::write(raw_ostream &OS, const Sums &Of, double Seconds) {
  auto Rows = sorted(Of, O.Limit);
  if (O.As == Format::Json) {
    json::OStream J(OS);
    J.object([&] {
      J.attribute("seconds", Seconds);
      J.attributeArray("functions", [&] {
        for (const auto &[K, Count] : Rows)
          J.object([&] {
            if (O.ByProcess)
              J.attribute("pid", std::get<0>(K));
            J.attribute("function", jsonText(std::get<1>(K)));
            J.attribute("module", jsonText(std::get<2>(K)));
            J.attribute("hits", Count);
          });
      });
    });
    OS << '\n';
    return;
  }
  if (O.As == Format::Csv) {
    if (!Header)
      OS << "seconds,pid,function,module,hits\n";
    Header = true;
    for (const auto &[K, Count] : Rows)
      OS << plainNumber(Seconds) << ','
         << (O.ByProcess ? std::to_string(std::get<0>(K)) : "") << ','
         << csvField(std::get<1>(K)) << ',' << csvField(std::get<2>(K)) << ','
         << Count << '\n';
    return;
  }
  if (Rows.empty())
    return;
  OS << "          hits     per second  function\n";
  for (const auto &[K, Count] : Rows) {
    OS << formatv("{0,14:n} {1,14:n}  ", Count,
                  static_cast<uint64_t>(static_cast<double>(Count) /
                                        std::max(Seconds, 1e-9)));
    if (O.ByProcess)
      OS << std::get<0>(K) << ' ';
    OS << O.Names.shown(std::get<1>(K)) << '\n';
  }
}

/// A table of what came since the one before; the last one is of the whole
/// time, if there were none before.
Error Counter::show(bool Last) {
  Clock::time_point Taken;
  if (Error E = read(Taken))
    return E;
  Sums Now, Fresh;
  for (const Sums &Of : PerProcess)
    for (const auto &[K, Count] : Of)
      Now[K] += Count;
  for (const auto &[K, Count] : Now)
    if (uint64_t More = Count - std::min(Count, Shown[K]))
      Fresh[K] = More;
  bool Intervals = O.At.interval().count() != 0;
  if (Last && Intervals && Fresh.empty())
    return Error::success();
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  double Seconds =
      std::chrono::duration<double>(Taken - (Intervals ? Before : Begin))
          .count();
  write((*To)->stream(), Intervals ? Fresh : Now, Seconds);
  Shown = Now;
  Before = Taken;
  return (*To)->close();
}

std::string sum(uint64_t N, StringRef One) {
  return formatv("{0:n} {1}{2}", N, One, N == 1 ? "" : "s").str();
}

void Counter::explain() const {
  uint64_t Sites = 0, Missed = 0;
  for (const auto &Of : All)
    Sites += Of->Sites, Missed += Of->Missed;
  if (!Sites)
    note("no function or point matches " + O.Chosen.text());
  else if (Shown.empty())
    note(sum(Sites, "site") + " watched, and no hit was seen");
  if (Missed)
    note(
        sum(Missed, "hit") +
        " not counted: they came from inside handlers, or their threads got no "
        "memory");
}

Expected<ExitCode> Counter::run() {
  if (Error E = O.Chosen.prepare())
    return E;
  if (Error E = O.Limits.prepare())
    return E;
  if (Error E = O.At.prepare(/*AwaitAtEnd=*/true))
    return E;
  if (Error E = attach())
    return E;
  Begin = Before = Clock::now();
  O.At.release();
  auto Next = O.At.interval().count() ? Begin + O.At.interval()
                                      : Clock::time_point::max();
  // A process that ends waits for this look at it.
  auto Look = std::chrono::milliseconds(100);
  Clock::duration Took{0};
  while (!O.At.Connections.empty() && !Ending) {
    auto Due = std::min(Next, Clock::now() + Look);
    for (const auto &Of : All)
      if (Of->Limit)
        Due = std::min(Due, Of->Limit->next(Took));
    bool On = O.At.sleepUntil(Due);
    if (!On)
      break;
    if (Clock::now() >= Next) {
      if (Error E = show(false))
        return E;
      Next += O.At.interval();
    } else {
      Clock::time_point Asked = Clock::now(), Taken;
      if (Error E = read(Taken))
        return E;
      Took = Taken - Asked;
      // Many sites take long to read, and the process's lock.
      Look =
          std::max(Look, std::chrono::duration_cast<std::chrono::milliseconds>(
                             20 * (Taken - Asked)));
    }
  }
  if (Error E = show(true))
    return E;
  explain();
  O.At.tellAbruptEnd(Ending);
  return O.At.finish();
}

} // namespace

void tpctl::addCount(CLI::App &Top, Action &Chosen, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  CLI::App &Verb = *Top.add_subcommand(
      "count", "count hits of functions and points, exactly");
  O->Chosen.addOptions(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addInterval(Verb);
  O->Names.addNames(Verb);
  std::map<std::string, bool> Kinds = {{"function", false}, {"process", true}};
  Verb.add_option("--by", O->ByProcess, "function or process")
      ->transform(CLI::CheckedTransformer(Kinds))
      ->option_text("WHAT");
  O->Limits.addOption(Verb);
  Verb.add_option("-n", O->Limit, "only the first N rows")->option_text("N");
  std::map<std::string, Format> Formats = {
      {"text", Format::Text}, {"json", Format::Json}, {"csv", Format::Csv}};
  Verb.add_option("--format", O->As, "text, json or csv")
      ->transform(CLI::CheckedTransformer(Formats))
      ->option_text("FORMAT");
  Verb.add_option("-o", O->Path, "write to this file")->option_text("FILE");
  Verb.callback([O, &Chosen] { Chosen = [O] { return Counter(*O).run(); }; });
}
